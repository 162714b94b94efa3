"""Read pasted ids in any common notation, and look up their bytes."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import regex

from playground.core.errors import InvalidInputError, TextTooLongError, UnknownTokenError
from playground.core.tokenizer import Tokenizer

MAX_IDS = 1_000_000
MAX_DECODED_BYTES = 1_000_000
#: More than any id has; int() of a huge number would take quadratic time.
_MAX_DIGITS = 12
_SEPARATORS = regex.compile(r"[\s,;\[\](){}]+")


@dataclass(frozen=True, slots=True)
class DecodedIds:
    """Ids and their bytes; `lengths` has the bytes of each id, and `raw` need not be valid UTF-8."""

    ids: tuple[int, ...]
    lengths: tuple[int, ...]
    raw: bytes


def parse_ids(text: str, *, max_ids: int | None = MAX_IDS) -> list[int]:
    """Read ids separated by commas, spaces or lines, with or without brackets; no limit if `max_ids` is None.

    A JSON object with a list "ids", as the page and the shell write it, is read as that list.

    >>> parse_ids("[15496, 995]"), parse_ids("15496 995"), parse_ids('{"ids": [15496, 995]}'), parse_ids(" ")
    ([15496, 995], [15496, 995], [15496, 995], [])

    Raises InvalidInputError, which names the first thing that is not an id and its position, and
    TextTooLongError for more than `max_ids`.
    """
    listed = _listed_ids(text)
    words = _iter_words(text) if listed is None else enumerate(map(json.dumps, listed), start=1)
    ids: list[int] = []
    for position, word in words:
        if not (word.isascii() and word.isdigit() and len(word) <= _MAX_DIGITS):
            shown = word if len(word) <= 20 else f"{word[:20]}…"
            place = f"position {position:,}" if listed is None else f"place {position:,} of “ids”"
            raise InvalidInputError(
                f"“{shown}” at {place} is not an id; ids are whole numbers from 0, "
                "such as 15496, 995 or [15496, 995]"
            )
        if len(ids) == max_ids:
            raise TextTooLongError(f"too many ids; the limit is {max_ids:,}")
        ids.append(int(word))
    return ids


def _listed_ids(text: str) -> list[Any] | None:
    """Return the list "ids" of a JSON object; None for any other text."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        ids = json.loads(text).get("ids")
    except (ValueError, RecursionError):
        return None
    return ids if isinstance(ids, list) else None


def _iter_words(text: str) -> Iterator[tuple[int, str]]:
    """Yield the words between separators, each with its position from 1."""
    start = 0
    for separator in chain(_SEPARATORS.finditer(text), [None]):
        end = len(text) if separator is None else separator.start()
        if end > start:
            yield start + 1, text[start:end]
        start = len(text) if separator is None else separator.end()


def decode_ids(tokenizer: Tokenizer, ids: Sequence[int]) -> DecodedIds:
    """Look up the bytes of ids.

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
        raise TextTooLongError(f"these ids have {sum(lengths):,} bytes; the limit is {MAX_DECODED_BYTES:,}")
    return DecodedIds(tuple(ids), lengths, b"".join(raws))
