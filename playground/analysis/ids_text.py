"""Ids that a person pasted, in any spelling, and the tokens they stand for."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import regex

from playground.core.errors import InvalidInputError, TextTooLongError, UnknownTokenError
from playground.core.tokenizer import Tokenizer

MAX_IDS = 1_000_000
MAX_DECODED_BYTES = 1_000_000
#: Longer than the digits of any id; int() of a huge number would take quadratic time.
_MAX_DIGITS = 12
_SEPARATORS = regex.compile(r"[\s,;\[\](){}]+")


@dataclass(frozen=True, slots=True)
class DecodedIds:
    """Ids with the bytes they stand for; `lengths` are bytes for each id, and `raw` need not be UTF-8."""

    ids: tuple[int, ...]
    lengths: tuple[int, ...]
    raw: bytes


def parse_ids(text: str, *, max_ids: int | None = MAX_IDS) -> list[int]:
    """Read ids separated by commas, spaces or lines, with or without brackets; `max_ids` None: any number.

    >>> parse_ids("[15496, 995]"), parse_ids("15496 995"), parse_ids(" ")
    ([15496, 995], [15496, 995], [])

    Raises InvalidInputError, which names the first thing that is not an id and its position, and
    TextTooLongError for more than `max_ids`.
    """
    ids: list[int] = []
    position = 0
    for separator in chain(_SEPARATORS.finditer(text), [None]):
        end = len(text) if separator is None else separator.start()
        word = text[position:end]
        if word:
            if not (word.isascii() and word.isdigit() and len(word) <= _MAX_DIGITS):
                shown = word if len(word) <= 20 else f"{word[:20]}…"
                raise InvalidInputError(
                    f"“{shown}” at position {position + 1:,} is not an id; ids are whole numbers from 0, "
                    "such as 15496, 995 or [15496, 995]"
                )
            if len(ids) == max_ids:
                raise TextTooLongError(f"more ids than this page takes; it takes up to {max_ids:,}")
            ids.append(int(word))
        position = len(text) if separator is None else separator.end()
    return ids


def decode_ids(tokenizer: Tokenizer, ids: Sequence[int]) -> DecodedIds:
    """Look the bytes of ids up.

    >>> from playground.catalog.registry import get_tokenizer
    >>> decode_ids(get_tokenizer("gpt2"), [15496, 995])
    DecodedIds(ids=(15496, 995), lengths=(5, 6), raw=b'Hello world')

    Raises UnknownTokenError, which names the id, its place and what is valid, and TextTooLongError for more
    than MAX_DECODED_BYTES.
    """
    raw_of: dict[int, bytes] = {}
    for place, token_id in enumerate(ids, start=1):
        if token_id not in raw_of:
            try:
                raw_of[token_id] = tokenizer.vocabulary.raw_of(token_id)
            except UnknownTokenError as error:
                raise UnknownTokenError(f"{error} (number {place:,} in your list)") from None
    raws = [raw_of[token_id] for token_id in ids]
    lengths = tuple(map(len, raws))
    if sum(lengths) > MAX_DECODED_BYTES:
        raise TextTooLongError(
            f"these ids spell {sum(lengths):,} bytes; this page takes up to {MAX_DECODED_BYTES:,}"
        )
    return DecodedIds(tuple(ids), lengths, b"".join(raws))
