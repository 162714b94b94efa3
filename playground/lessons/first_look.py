"""One text in three tokenizers, and the ids of four spellings of one word."""

from collections.abc import Sequence

import regex

from playground.catalog.registry import get_tokenizer
from playground.core.wording import counted
from playground.lessons.inputs import TextInput
from playground.lessons.lesson import Guess, Lesson, Notes, Opening, Question, Shown
from playground.lessons.pieces import shown_pieces

TOKENIZERS = ("gpt2", "cl100k_base", "o200k_base")
#: Pieces of a text that are drawn: two lines of a wide screen.
MAX_SHOWN = 60
#: Letters with their marks, so that a word of any script stays whole.
_WORD = regex.compile(r"(?:\p{L}\p{M}*){1,12}")


def spellings_of(word: str) -> list[str]:
    """Return the distinct spellings of a word: as it is, after a space, in lower case and in capitals.

    >>> spellings_of("Egg")
    ['Egg', ' Egg', 'egg', 'EGG']
    >>> spellings_of("안녕")
    ['안녕', ' 안녕']
    """
    return list(dict.fromkeys([word, f" {word}", word.lower(), word.upper()]))


def show(text: str) -> Shown:
    """Return the text in each tokenizer, and the spellings of its first word in GPT-2."""
    panes = [
        {
            "name": name,
            **shown_pieces(get_tokenizer(name), text, max_pieces=MAX_SHOWN),
        }
        for name in TOKENIZERS
    ]
    found = _WORD.search(text)
    spellings = spellings_of(found[0]) if found else []
    gpt2 = get_tokenizer(TOKENIZERS[0])
    figure = {
        "panes": panes,
        "spellings": [{"text": one, "ids": list(gpt2.encode(one))} for one in spellings],
    }
    if not found:
        return Shown(figure, needs="Type a word to see its spellings.")
    return Shown(figure, _question(found[0]))


def _question(word: str) -> Question:
    ids = list(get_tokenizer(TOKENIZERS[0]).encode(word))

    def hint(guess: str) -> str:
        spaced = len(get_tokenizer(TOKENIZERS[0]).encode(f" {word}"))
        if spaced != len(ids) and guess.strip() == str(spaced):
            return "That is right if a space comes first. The question is about the word alone."
        return "Step 2 shows the spellings: count the ids of the first one."

    return Question(
        f"How many ids does “{word}” have in gpt2, without a space before it?",
        str(len(ids)),
        hint,
        also=(counted(len(ids), "id"),),
    )


def _openings(text: str) -> Sequence[Opening]:
    return (
        Opening("compare", {"text": text, "tokenizers": list(TOKENIZERS)}),
        Opening("tokenize", {"text": text, "tokenizer": "cl100k_base"}),
    )


FIRST_LOOK = Lesson(
    slug="first-look",
    number=4,
    title="First look",
    claim="Each tokenizer turns a text into its own ids.",
    guess=Guess(
        "Egg, egg, EGG: how many of them share a token in GPT-2?",
        ("all three", "two", "none"),
        right=2,
        proof="egg 33856",
    ),
    time="5:50",
    figure="first-look",
    steps=(
        "One text in three tokenizers: compare the number of tokens.",
        "Capitals or a leading space give a word different ids.",
    ),
    inputs=(TextInput("text", "Text", "Egg 127 + 677 = 804, 1275 + 6773 = 8041"),),
    try_this="Change the case of Egg.",
    notes=Notes(
        say="The model never sees the word, only these ids, and nothing in them says that they are similar.",
        ask="Which of the numbers are one token, and which are two?",
        expect="In the example, gpt2 has 127 as one token and 677 as two; cl100k_base has both as one.",
    ),
    show=show,
    sources=(shown_pieces, spellings_of),
    openings=_openings,
    in_class=True,
)
