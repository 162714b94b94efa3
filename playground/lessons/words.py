"""A word-level tokenizer, and how it encodes a word that isn't in its vocabulary."""

import re
from collections.abc import Mapping, Sequence

from playground.lessons.inputs import TextInput
from playground.lessons.lesson import Guess, Lesson, Notes, Opening, Question, Shown

_SPLIT = re.compile(r'([,.:;?_!"()\']|--|\s)')
_BEFORE_MARK = re.compile(r'\s+([,.:;?!"()\'])')
END, UNKNOWN = "<|endoftext|>", "<|unk|>"
_MAX_SHOWN = 40


def words_of(text: str) -> list[str]:
    """Return the words and punctuation marks of a text, without white space.

    >>> words_of("Hello, world -- again.")
    ['Hello', ',', 'world', '--', 'again', '.']
    """
    return [part.strip() for part in _SPLIT.split(text) if part.strip()]


def rows_of(text: str) -> dict[str, int]:
    """Return a row number for each distinct word, in sorted order, then for two special tokens.

    >>> rows_of("b a b")
    {'a': 0, 'b': 1, '<|endoftext|>': 2, '<|unk|>': 3}
    """
    return {word: row for row, word in enumerate([*sorted(set(words_of(text))), END, UNKNOWN])}


def encode(text: str, rows: Mapping[str, int]) -> list[int]:
    """Encode with the first version. Raises KeyError for a word without a row."""
    return [rows[word] for word in words_of(text)]


def encode_or_unknown(text: str, rows: Mapping[str, int]) -> list[int]:
    """Encode with the second version, in which a word without a row becomes <|unk|>."""
    return [rows.get(word, rows[UNKNOWN]) for word in words_of(text)]


def decode(ids: Sequence[int], rows: Mapping[str, int]) -> str:
    """Join the words of ids with spaces, without a space before a punctuation mark.

    >>> rows = rows_of("Hello, world")
    >>> decode(encode_or_unknown("Hello, you", rows), rows)
    'Hello, <|unk|>'
    """
    words = list(rows)
    return _BEFORE_MARK.sub(r"\1", " ".join(words[row] for row in ids))


def show(learned: str, sentence: str) -> Shown:
    """Return each word with its row, the error of the first version, and the second's decoded text."""
    rows = rows_of(learned)
    try:
        encode(sentence, rows)
        error = ""
    except KeyError as missing:
        error = f"KeyError: {missing}"
    words = words_of(sentence)
    ids = encode_or_unknown(sentence, rows)
    figure = {
        "n_rows": len(rows),
        "n_words": len(words),
        "words": [
            {"text": word[:80], "row": rows.get(word), "or_unknown": row}
            for word, row in zip(words[:_MAX_SHOWN], ids, strict=False)
        ],
        "error": error[:80],
        "back": decode(ids[:_MAX_SHOWN], rows)[:1_000],
    }
    if not words or len(rows) == 2:
        return Shown(figure, needs="Type a text to train on, and a sentence.")
    needs = "" if error else "Every word has a row: add a new one, such as Kathmandu."
    return Shown(figure, _question(words, rows), needs)


def _question(words: Sequence[str], rows: Mapping[str, int]) -> Question:
    missing = [word for word in words if word not in rows]

    def hint(guess: str) -> str:
        if guess.strip() == str(len(set(words)) - len(missing)):
            return "That is the number of words with a row. Count those without."
        folded = {row.casefold() for row in rows}
        twin = next((word for word in missing if word.casefold() in folded), "")
        if twin:
            return f"Capitals make another word: “{twin:.30}” has no row."
        return f"The sentence has {len(words):,} words and marks; look for those without a number."

    return Question("How many words of the sentence have no row?", str(len(missing)), hint)


def _openings(learned: str, sentence: str) -> Sequence[Opening]:
    return (
        Opening("tokenize", {"text": sentence, "tokenizer": "gpt2"}),
        Opening("train", {"chosen": {"train.corpus": "Paste a text", "train.pasted": learned}}),
    )


WORDS = Lesson(
    slug="words",
    number=2,
    title="Words break",
    claim="A word without a row is lost.",
    guess=Guess(
        "How does a word tokenizer encode a word it has never seen?",
        ("by its letters", "as the most similar word", "not at all"),
        right=2,
        proof="KeyError: 'people'",
    ),
    time="",
    figure="words",
    steps=(
        "Each word of the first text has a row.",
        "The second version has two more rows: <|unk|>, for unknown words, and <|endoftext|>.",
        "Decoding gives this back: which words were lost?",
    ),
    inputs=(
        TextInput(
            "learned", "Learn from", "The highest mountain is in Nepal. People climb it, and some come back."
        ),
        TextInput("sentence", "Sentence", "The people of Nepal climb Everest, and come back."),
    ),
    try_this="Add Kathmandu to the sentence.",
    notes=Notes(
        say="A word vocabulary is never complete: names, endings, capitals and typos all need rows.",
        ask="Which words of your language would this tokenizer miss?",
        expect=(
            "Mostly inflected forms and compounds. Subword tokens solve most of that, and byte tokens all "
            "of it."
        ),
    ),
    show=show,
    sources=(words_of, rows_of, encode, encode_or_unknown, decode),
    openings=_openings,
    told_at=1,
)
