"""A model sees ids, not letters, so spelling and reversing a word are hard for it."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from playground.catalog.registry import get_tokenizer
from playground.core.graphemes import grapheme_starts
from playground.core.tokenizer import Tokenizer
from playground.lessons.inputs import ChoiceInput, TextInput
from playground.lessons.lesson import Guess, Lesson, Notes, Opening, Question, Shown
from playground.lessons.pieces import shown_pieces

MAX_TEXT_CHARS, MAX_PIECES = 2_000, 60
_NAMES = ("gpt2", "cl100k_base", "o200k_base")


def letters_of(text: str) -> list[str]:
    """Return the graphemes of a text: its characters as a reader sees them.

    >>> letters_of("né👍🏽")
    ['n', 'é', '👍🏽']
    """
    starts = grapheme_starts(text).nonzero()[0].tolist()
    return [text[start:end] for start, end in pairwise(starts)]


def backwards(text: str) -> str:
    """Return the text with its graphemes reversed.

    >>> backwards(".DefaultCellStyle")
    'elytSlleCtluafeD.'
    """
    return "".join(reversed(letters_of(text)))


def spaced_out(text: str) -> str:
    """Return the text with a space between graphemes.

    >>> spaced_out("Egg")
    'E g g'
    """
    return " ".join(letters_of(text))


def show(text: str, tokenizer: str) -> Shown:
    """Return the tokens of the text, of its reverse and of its letters, and the ids the first two share."""
    encoder = get_tokenizer(tokenizer)
    ways = {"forward": text, "backward": backwards(text), "spaced": spaced_out(text)}
    shared = set(encoder.encode(text)) & set(encoder.encode(ways["backward"]))
    figure: dict[str, Any] = {
        "ways": [{"name": name, **_row(encoder, way)} for name, way in ways.items()],
        "shared": sorted(shared),
    }
    letters = letters_of(text)
    of_alphabet = Counter(letter.casefold() for letter in letters if letter[0].isalpha())
    if not of_alphabet:
        return Shown(figure, needs="Type a word.")
    n_tokens = figure["ways"][0]["n_tokens"]
    needs = "" if n_tokens < len(letters) else "No fewer tokens than letters here: type a more common word."
    return Shown(figure, _question(text, *of_alphabet.most_common(1)[0], n_tokens), needs)


def _row(encoder: Tokenizer, text: str) -> dict[str, Any]:
    shown = shown_pieces(encoder, text, max_pieces=MAX_PIECES)
    pieces = [
        {**piece, "text": piece["text"][:60], "n_letters": len(letters_of(piece["text"]))}
        for piece in shown["pieces"]
    ]
    return {**shown, "pieces": pieces}


def _question(text: str, letter: str, n_letters: int, n_tokens: int) -> Question:
    shown = f"“{text}”" if len(text) <= 24 and text.isprintable() else "the whole text"

    def hint(guess: str) -> str:
        if guess.strip() == str(n_tokens):
            return "That is the number of tokens, which is all that the model sees."
        if guess.strip() == str(n_letters - 1):
            return "You missed one. Count capitals, too."
        return "Step 3 shows the letters apart: count there."

    asks = f"How many times does {letter} occur in {shown}?"
    return Question(asks, str(n_letters), hint, also=(f"{n_letters} times",))


def _openings(text: str, tokenizer: str) -> Sequence[Opening]:
    return (
        Opening("tokenize", {"text": text, "tokenizer": tokenizer}),
        Opening("compare", {"text": text, "tokenizers": list(_NAMES)}),
        Opening("merge_tree", {"text": text, "tokenizer": tokenizer}),
    )


SPELLING = Lesson(
    slug="spelling",
    number=18,
    title="Spelling and reversing",
    claim="A token hides its letters.",
    guess=Guess(".DefaultCellStyle is one token: how many is it backwards?", ("1", "9", "17"), right=1),
    time="1:51:40",
    figure="spelling",
    steps=(
        "This is what a model gets: ids, not letters.",
        "Spelled backwards, the text gets ids of its own.",
        "Spaced out, each letter has an id, so ask for that first.",
    ),
    inputs=(
        TextInput("text", "Text", ".DefaultCellStyle", max_chars=MAX_TEXT_CHARS, is_line=True),
        ChoiceInput(
            "tokenizer", "Tokenizer", "cl100k_base", {name: name.removesuffix("_base") for name in _NAMES}
        ),
    ),
    try_this="Type your name.",
    notes=Notes(
        say=(
            "To a model, this token is one arbitrary number. The model must have memorised the token's "
            "letters."
        ),
        ask="How could a model reverse the word correctly?",
        expect="By writing the letters separately first: then each is a token, and reversing tokens is easy.",
    ),
    show=show,
    sources=(letters_of, backwards, spaced_out, shown_pieces),
    openings=_openings,
    told_at=2,
)
