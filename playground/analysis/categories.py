"""Classify tokens as letters, white space, digits, punctuation, special or other, and count them."""

import unicodedata
from collections.abc import Collection
from enum import IntEnum
from functools import cache

import numpy as np
from numpy.typing import NDArray

from playground.core.text_units import character_of_bytes
from playground.core.tokenizer import replace_lone_surrogates
from playground.core.vocabulary import Ids, Vocabulary


class Category(IntEnum):
    """The kind of characters in a token; the value is the index in `count_categories`."""

    LETTERS = 0
    WHITESPACE = 1
    DIGITS = 2
    PUNCTUATION = 3
    SPECIAL = 4
    OTHER = 5


#: Our category for a Unicode general category or its first letter. All others are OTHER: emoji and other
#: pictures (So), enclosing marks such as the keycap (Me), controls, joiners and unassigned (C). Other marks
#: count as letters: vowel signs of Devanagari or Thai, accents of a decomposed é. Mathematics, currency and
#: `^` (S) are punctuation, as in `string.punctuation`.
_OF_GENERAL_CATEGORY = {
    "L": Category.LETTERS,
    "Mn": Category.LETTERS,
    "Mc": Category.LETTERS,
    "N": Category.DIGITS,
    "P": Category.PUNCTUATION,
    "Sm": Category.PUNCTUATION,
    "Sc": Category.PUNCTUATION,
    "Sk": Category.PUNCTUATION,
    "Z": Category.WHITESPACE,
}

#: Control characters with Unicode's White_Space property.
_SPACE_CONTROLS = frozenset("\t\n\v\f\r\x85")

_UNKNOWN, _PARTIAL, _SPACE_THEN_PARTIAL = -1, -2, -3


@cache
def character_category(character: str) -> Category:
    """Return the category of one character; never SPECIAL.

    >>> [character_category(character).name for character in "é7½ₓ+😀"]
    ['LETTERS', 'DIGITS', 'DIGITS', 'LETTERS', 'PUNCTUATION', 'OTHER']
    """
    if character in _SPACE_CONTROLS:
        return Category.WHITESPACE
    if _is_variation_selector(character) or "\U0001f3fb" <= character <= "\U0001f3ff":
        return Category.OTHER  # parts of emoji, which Unicode classifies as marks or Sk
    general = unicodedata.category(character)
    of_group = _OF_GENERAL_CATEGORY.get(general[0], Category.OTHER)
    return _OF_GENERAL_CATEGORY.get(general, of_group)


class CategoryTable:
    """The categories of a vocabulary's tokens, computed on first use.

    Keep one table per tokenizer: a live editor needs the same tokens again at every key.

    >>> from playground.catalog.registry import get_tokenizer
    >>> CategoryTable(get_tokenizer("gpt2").vocabulary).codes_of(np.array([15496, 198], np.uint32))
    array([0, 1], dtype=int8)
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._codes = np.full(len(vocabulary), _UNKNOWN, np.int8)  # by position

    def codes_of(self, ids: Ids) -> NDArray[np.int8]:
        """Return the category of each id, or a negative number if it depends on the surrounding text.

        Raises UnknownTokenError.
        """
        positions = self._vocabulary.positions_of(ids)
        codes: NDArray[np.int8] = self._codes[positions]
        if codes.size and codes.min() <= _UNKNOWN and (unknown := codes == _UNKNOWN).any():
            new, places = np.unique(positions[unknown], return_index=True)
            raws = self._vocabulary.raws_of(ids[unknown][places])
            self._codes[new] = [*map(_code_of_bytes, raws)]
            codes = self._codes[positions]
        return codes


def count_categories(
    ids: Ids,
    text: str,
    n_bytes_of_token: NDArray[np.integer],
    special_ids: Collection[int],
    category_of_id: CategoryTable,
) -> NDArray[np.int64]:
    """Return the number of tokens of each category, shape (6,), in the order of `Category`.

    A token of whole characters has the category that most of its bytes have, not counting one leading
    space; the first one in a tie. A token of white space alone is WHITESPACE. A token that has part of a
    character has the category of the first character it touches, again after one leading space: the bytes
    of a split Korean syllable are LETTERS, those of a split emoji OTHER.

    `ids` and `n_bytes_of_token` are of one length; the lengths add up to the UTF-8 bytes of the text.

    >>> from playground.catalog.registry import get_tokenizer
    >>> tokenizer = get_tokenizer("gpt2")
    >>> ids = tokenizer.encode("Hi 42!").ids
    >>> count_categories(ids, "Hi 42!", np.array([2, 3, 1]), {50256}, CategoryTable(tokenizer.vocabulary))
    array([1, 0, 1, 1, 0, 0])
    """
    if not special_ids or not ids.size or ids.max() < min(special_ids) or ids.min() > max(special_ids):
        codes = category_of_id.codes_of(ids)
    else:
        ordinary = ~np.isin(ids, np.fromiter(special_ids, np.uint32))
        codes = np.full(len(ids), Category.SPECIAL, np.int8)
        codes[ordinary] = category_of_id.codes_of(ids[ordinary])
    partial = np.flatnonzero(codes < 0)
    if partial.size and not text:
        codes[partial] = Category.OTHER  # inserted tokens, which cover no character
    elif partial.size:
        text = replace_lone_surrogates(text)
        starts = (np.cumsum(n_bytes_of_token, dtype=np.int64) - n_bytes_of_token)[partial]
        starts += codes[partial] == _SPACE_THEN_PARTIAL
        character_of = character_of_bytes(text)
        touched = character_of[np.minimum(starts, len(character_of) - 2)]
        codes[partial] = _codes_of_characters(np.frombuffer(text.encode("utf-32-le"), "<u4")[touched])
    return np.bincount(codes, minlength=len(Category))


_codes_by_code_point = np.full(0x110000, _UNKNOWN, np.int8)


def _codes_of_characters(code_points: NDArray[np.uint32]) -> NDArray[np.int8]:
    """Return `character_category` of each code point; results are cached in a table."""
    codes: NDArray[np.int8] = _codes_by_code_point[code_points]
    if (unknown := codes == _UNKNOWN).any():
        for code_point in np.unique(code_points[unknown]).tolist():
            _codes_by_code_point[code_point] = character_category(chr(code_point))
        codes = _codes_by_code_point[code_points]
    return codes


def _code_of_bytes(raw: bytes) -> int:
    """Return the category of whole characters; `_PARTIAL` or `_SPACE_THEN_PARTIAL` for others."""
    body = raw[1:] if raw[:1] == b" " else raw
    try:
        characters = body.decode()
    except UnicodeDecodeError:
        return _PARTIAL if body is raw else _SPACE_THEN_PARTIAL
    n_bytes: dict[Category, int] = {}
    for character in characters:
        category = character_category(character)
        n_bytes[category] = n_bytes.get(category, 0) + len(character.encode())
    return max(n_bytes, key=n_bytes.__getitem__, default=Category.WHITESPACE)


def _is_variation_selector(character: str) -> bool:
    return "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"
