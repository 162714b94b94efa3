"""Not every sequence of bytes is valid UTF-8, so not every sequence of ids is text."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import regex

from playground.lessons.inputs import TextInput
from playground.lessons.lesson import Guess, Lesson, Notes, Opening, Question, Shown

MAX_GROUPS, MAX_PREFIXES, MAX_TEXT_CHARS = 40, 6, 2_000
#: The valid range of the second byte after first bytes that allow less than 80 to BF: it excludes overlong
#: forms, surrogates, and code points above U+10FFFF.
_SECOND = {0xE0: (0xA0, 0xBF), 0xED: (0x80, 0x9F), 0xF0: (0x90, 0xBF), 0xF4: (0x80, 0x8F)}


@dataclass(frozen=True, slots=True)
class Group:
    """Bytes of one character, or the longest valid part of one; `why` explains what is invalid."""

    raw: bytes
    why: str = ""


def n_bytes_begun(byte: int) -> int:
    """Return the length in bytes of a character with this first byte; 0 if no character begins with it.

    >>> [n_bytes_begun(byte) for byte in (104, 206, 236, 240, 149, 255)]
    [1, 2, 3, 4, 0, 0]
    """
    if byte < 0x80:
        return 1
    return 2 if 0xC2 <= byte < 0xE0 else 3 if 0xE0 <= byte < 0xF0 else 4 if 0xF0 <= byte < 0xF5 else 0


def iter_groups(raw: bytes) -> Iterator[Group]:
    """Yield the characters and invalid parts of some bytes, as a decoder that replaces each with one � does.

    >>> [group.raw.decode(errors="replace") for group in iter_groups(bytes([236, 149, 136, 128, 236, 149]))]
    ['안', '�', '�']
    """
    start = 0
    while start < len(raw):
        first = raw[start]
        n_bytes = n_bytes_begun(first)
        if n_bytes == 0:
            why = (
                f"{first} continues a character, but none was begun"
                if first < 0xC0
                else f"no character begins with {first}"
            )
            yield Group(raw[start : start + 1], why)
            start += 1
            continue
        end = start + 1
        low, high = _SECOND.get(first, (0x80, 0xBF))
        while end < min(start + n_bytes, len(raw)) and low <= raw[end] <= high:
            end += 1
            low, high = 0x80, 0xBF
        n_missing = start + n_bytes - end
        stopped = f"{raw[end]} does not continue it" if end < len(raw) else "the bytes end too early"
        yield Group(raw[start:end], stopped if n_missing else "")
        start = end


def bytes_typed(text: str) -> bytes | None:
    """Return bytes typed as numbers, or the bytes of a text; None if a number is not a byte.

    >>> bytes_typed("236, 149"), bytes_typed("hi"), bytes_typed("256")
    (b'\\xec\\x95', b'hi', None)
    """
    words = [word for word in regex.split(r"[\s,;]+", text) if word]
    if not words or not all(regex.fullmatch(r"[0-9]{1,9}", word) for word in words):
        return text.strip().encode()
    return bytes(map(int, words)) if all(int(word) < 256 for word in words) else None


def show(text: str) -> Shown:
    """Return the bytes in groups, and each prefix of them decoded."""
    raw = bytes_typed(text)
    groups = list(iter_groups(raw or b""))
    figure: dict[str, Any] = {
        "groups": [
            {"bytes": list(group.raw), "text": group.raw.decode(errors="replace"), "why": group.why}
            for group in groups[:MAX_GROUPS]
        ],
        "n_groups": len(groups),
        "prefixes": [
            {
                "bytes": list(raw[:end]),
                "text": raw[:end].decode(errors="replace"),
                "is_text": _is_text(raw[:end]),
            }
            for end in range(1, min(len(raw), MAX_PREFIXES) + 1)
        ]
        if raw
        else [],
    }
    if raw is None:
        return Shown(figure, needs="A byte is a number from 0 to 255.")
    if not raw:
        return Shown(figure, needs="Type numbers from 0 to 255, such as 236 149 136.")
    is_ascii = all(byte < 0x80 for byte in raw)
    needs = "All of this is ASCII: try 236 149, or a letter such as é." if is_ascii else ""
    return Shown(figure, _question(raw, groups), needs)


def _is_text(raw: bytes) -> bool:
    return all(not group.why for group in iter_groups(raw))


def _question(raw: bytes, groups: Sequence[Group]) -> Question:
    wrong = next((group for group in groups if group.why), None)
    bytes_asked = "these bytes"
    if len(raw) <= 6:
        bytes_asked = f"the {'byte' if len(raw) == 1 else 'bytes'} {' '.join(map(str, raw))}"
    asks = f"{'Is' if len(raw) == 1 else 'Are'} {bytes_asked} valid UTF-8, yes or no?"

    def hint(guess: str) -> str:
        if wrong is not None:
            return f"Read on from {wrong.raw[0]}: {wrong.why}."
        if guess.strip().casefold() in ("no", "n"):
            return "Each first byte says how many bytes follow; count those whose bits begin with 10."
        return "Answer yes or no."

    if wrong is not None:
        return Question(asks, "no", hint, is_number=False)
    text = raw.decode()
    also = ("yes, " + text, text) if len(text) <= 20 and text.strip().casefold() not in ("", "no") else ()
    return Question(asks, "yes", hint, also, is_number=False)


def _openings(text: str) -> Sequence[Opening]:
    shown = (bytes_typed(text) or b"").decode(errors="replace")
    return (
        Opening("tokenize", {"text": shown, "tokenizer": "utf8_bytes"}),
        Opening("compare", {"text": shown, "tokenizers": ["utf8_bytes", "gpt2"]}),
    )


BACK_TO_TEXT = Lesson(
    slug="back-to-text",
    number=10,
    title="Back to text",
    claim="Not every sequence of ids is text.",
    guess=Guess("Is every sequence of bytes a text?", ("yes", "no"), right=1, proof="236 → �"),
    time="42:47",
    figure="back-to-text",
    steps=(
        "Decoding joins the tokens' bytes, then reads them as UTF-8.",
        "A byte's first bits give the character's length, or mark a continuation.",
        "Part of a character is not text: it becomes �.",
    ),
    inputs=(TextInput("text", "Bytes, or a text", "236 149 136", max_chars=MAX_TEXT_CHARS, is_line=True),),
    try_this="Delete the last number; then add 128.",
    notes=Notes(
        say=(
            "A model can generate any sequence of ids. The bytes may be invalid UTF-8, so decoding replaces "
            "them with � (errors='replace')."
        ),
        ask="Why is 128 alone not valid UTF-8?",
        expect="In bits it is 10000000: a continuation byte, and no character was begun before it.",
    ),
    show=show,
    sources=(n_bytes_begun, iter_groups),
    openings=_openings,
    in_class=True,
)
