"""Everything about one token: its bytes, its characters, its place, and its word's other spellings."""

import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from playground.core.tokenizer import Tokenizer
from playground.core.tokens import Token

#: Unicode gives control characters no name; these are their formal aliases (NameAliases.txt).
_CONTROL_NAMES = {
    0: "NULL", 7: "ALERT", 8: "BACKSPACE", 9: "CHARACTER TABULATION", 10: "LINE FEED", 11: "LINE TABULATION",
    12: "FORM FEED", 13: "CARRIAGE RETURN", 27: "ESCAPE", 127: "DELETE", 0x85: "NEXT LINE",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class CodePoint:
    """A character that a token touches; `is_partial` where it holds only some of its bytes."""

    code_point: str
    name: str
    is_partial: bool


@dataclass(frozen=True, slots=True)
class Variant:
    """The token's word, spelled otherwise, and its ids."""

    text: str
    ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TokenDetails:
    """What the token card shows; spans are half-open.

    `text` is None where the bytes are not whole characters; `character` is the text that the token touches;
    `code_points` is empty where that is not UTF-8; `rank` is None for special tokens and for tokenizers
    that have no merges.
    """

    id: int
    text: str | None
    character: str
    hex: str
    code_points: tuple[CodePoint, ...]
    rank: int | None
    is_special: bool
    byte_start: int
    byte_end: int
    char_start: int
    char_end: int
    n_occurrences: int
    variants: tuple[Variant, ...]

    def as_json(self) -> dict[str, Any]:
        """The same as a dictionary of plain values."""
        return asdict(self)


def describe_token(tokenizer: Tokenizer, token: Token, *, touched: bytes, n_occurrences: int) -> TokenDetails:
    """Describe a token; `touched` are the bytes of the characters that the token touches.

    >>> from playground.catalog.registry import get_tokenizer
    >>> gpt2 = get_tokenizer("gpt2")
    >>> details = describe_token(gpt2, gpt2.segment("Egg").tokens[1], touched=b"gg", n_occurrences=1)
    >>> details.id, details.hex, details.rank, details.code_points[0].name
    (1130, '67 67', 1130, 'LATIN SMALL LETTER G')
    >>> [(variant.text, variant.ids) for variant in details.variants][:2]
    [('gg', (1130,)), (' gg', (308, 70))]
    """
    text = _decode_or_none(token.raw)
    characters = _decode_or_none(touched)
    ranks: Mapping[bytes, int] = getattr(tokenizer, "mergeable_ranks", {})
    return TokenDetails(
        id=token.id,
        text=text,
        character=touched.decode(errors="replace"),
        hex=token.raw.hex(" ").upper(),
        code_points=() if characters is None else _code_points(token, characters),
        rank=None if token.is_special else ranks.get(token.raw),
        is_special=token.is_special,
        byte_start=token.byte_start,
        byte_end=token.byte_end,
        char_start=token.char_start,
        char_end=token.char_end,
        n_occurrences=n_occurrences,
        variants=() if token.is_special or text is None else _variants(tokenizer, text),
    )


def _decode_or_none(raw: bytes) -> str | None:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return None


def character_name(character: str) -> str:
    """The Unicode name of a character, or what kind of character has none.

    >>> character_name("é"), character_name("\\n"), character_name("\\ue000")
    ('LATIN SMALL LETTER E WITH ACUTE', 'LINE FEED', 'PRIVATE USE')
    """
    kinds = {"Cc": "CONTROL", "Co": "PRIVATE USE", "Cn": "UNASSIGNED", "Cs": "SURROGATE"}
    unnamed = _CONTROL_NAMES.get(ord(character), kinds.get(unicodedata.category(character), "NO NAME"))
    return unicodedata.name(character, unnamed)


def _code_points(token: Token, touched: str) -> tuple[CodePoint, ...]:
    starts_inside = token.raw[0] & 0xC0 == 0x80
    n_first = 0
    for byte in token.raw:
        if byte & 0xC0 != 0x80:
            break
        n_first += 1
    points = []
    n_left = len(token.raw)
    for place, character in enumerate(touched):
        n_bytes = len(character.encode())
        n_held = min(n_first if place == 0 and starts_inside else n_bytes, n_left)
        n_left -= n_held
        name = character_name(character)
        is_partial = n_held < n_bytes
        if is_partial:
            name += f" ({n_held} of its {n_bytes} bytes)"
        points.append(CodePoint(f"U+{ord(character):04X}", name, is_partial))
    return tuple(points)


def _variants(tokenizer: Tokenizer, text: str) -> tuple[Variant, ...]:
    word = text.strip()
    if not word or len(word) > 100:
        return ()
    spellings = dict.fromkeys(
        lead + spelling for spelling in (word, word.lower(), word.upper(), word.title()) for lead in ("", " ")
    )
    return tuple(Variant(spelling, tuple(tokenizer.encode(spelling))) for spelling in spellings)
