"""A text is a sequence of code points, which UTF-8, UTF-16 and UTF-32 write as bytes."""

import unicodedata
from collections.abc import Sequence

from playground.core.errors import InvalidInputError
from playground.core.wording import counted
from playground.lessons.inputs import PicksInput, TextInput
from playground.lessons.lesson import Guess, Lesson, Notes, Opening, Question, Shown

#: Characters shown at a time, from the chosen position; the totals are of the whole text.
MAX_SHOWN = 64
_UTF_16, _UTF_32 = "utf-16-le", "utf-32-le"


def name_of(character: str) -> str:
    """Return a character's Unicode name, or its kind if it has none.

    >>> name_of("안"), name_of("\\n")
    ('HANGUL SYLLABLE AN', 'control character')
    """
    kinds = {"Cc": "control character", "Co": "private use", "Cn": "not assigned"}
    return unicodedata.name(character, kinds.get(unicodedata.category(character), "no name"))


def bytes_of(character: str) -> dict[str, list[int]]:
    """Return a character's bytes in UTF-8 and in little-endian UTF-16 and UTF-32.

    >>> bytes_of("안")
    {'utf8': [236, 149, 136], 'utf16': [72, 197], 'utf32': [72, 197, 0, 0]}
    """
    return {
        "utf8": list(character.encode()),
        "utf16": list(character.encode(_UTF_16)),
        "utf32": list(character.encode(_UTF_32)),
    }


def show(text: str, start: tuple[str, ...] = ()) -> Shown:
    """Return the characters from a position on with their bytes, and the totals of the whole text."""
    first = _place(start, len(text))
    figure = {
        "n_characters": len(text),
        "first": first,
        "characters": [
            {"text": character, "code": ord(character), "name": name_of(character), **bytes_of(character)}
            for character in text[first : first + MAX_SHOWN]
        ],
        "n_bytes": {
            "utf8": len(text.encode()),
            "utf16": len(text.encode(_UTF_16)),
            "utf32": len(text.encode(_UTF_32)),
        },
    }
    if not text:
        return Shown(figure, needs="Type something to see its bytes.")
    needs = "" if not text.isascii() else "All of this is ASCII, one byte each: add a letter such as é or 안."
    return Shown(figure, _question(text), needs)


def _place(start: Sequence[str], n_characters: int) -> int:
    """Return the chosen position; 0 if the text has become too short for it."""
    if not start:
        return 0
    if not start[0].isascii() or not start[0].isdecimal():
        raise InvalidInputError(f"start must be a place in the text, and is {start[0]!r:.60}")
    return int(start[0]) if int(start[0]) < n_characters else 0


def _question(text: str) -> Question:
    """Ask for the number of bytes of the longest character."""
    longest = max(text[:MAX_SHOWN], key=lambda character: len(character.encode()))
    n_bytes, n_utf16 = len(longest.encode()), len(longest.encode(_UTF_16))

    def hint(guess: str) -> str:
        if guess.strip() == str(n_utf16):
            return "That is its length in UTF-16. Count the cells of the first row."
        if guess.strip() == "1":
            return f"One byte is enough for code points below 128; this one is {ord(longest):,}."
        return "The first byte begins with as many 1 bits as there are bytes."

    shown = longest if longest.isprintable() and not longest.isspace() else f"U+{ord(longest):04X}"
    return Question(
        f"How many bytes does {shown} have in UTF-8?", str(n_bytes), hint, also=(counted(n_bytes, "byte"),)
    )


def _openings(text: str, **_turned: object) -> Sequence[Opening]:
    return (
        Opening("tokenize", {"text": text, "tokenizer": "utf8_bytes"}),
        Opening("compare", {"text": text, "tokenizers": ["utf8_bytes", "characters", "gpt2"]}),
    )


BYTES = Lesson(
    slug="bytes",
    number=5,
    title="Text is bytes",
    claim="Text is stored as numbers: code points, encoded as bytes.",
    guess=Guess(
        "How many bytes does 안 take in UTF-8?",
        ("1", "2", "3", "4"),
        right=2,
        proof="11101100 236 10010101 149 10001000 136",
    ),
    time="14:56",
    figure="bytes",
    steps=(
        "Each character has a number, its code point.",
        "UTF-8 takes one to four bytes per character; the coloured bits say how many.",
        "UTF-32 pads every character with zeros; UTF-16 pads ASCII.",
    ),
    inputs=(
        TextInput("text", "Type your name", "안녕하세요 👋 (hello in Korean!)"),
        PicksInput("start", (), max_picks=1, max_chars=6),
    ),
    try_this="Type your name in another script.",
    notes=Notes(
        say="A model takes numbers, so text must become numbers first. Bytes need a vocabulary of only 256.",
        ask="Why don't we use the code points themselves?",
        expect="There are about 160,000 of them, and every Unicode version adds more; bytes are always 256.",
    ),
    show=show,
    sources=(bytes_of, name_of),
    openings=_openings,
    in_class=True,
    told_at=2,
)
