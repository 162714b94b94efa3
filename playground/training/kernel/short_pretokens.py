"""What is known of short pretokens: a cache in which a look takes one line, and new ones push out old.

A pretoken of up to 15 bytes is its own key, in two numbers. A place has both keys, then how many ids it has
and the first two of them, then two more; two places share a line, the newer in front.
"""

import numpy as np
import numpy.typing as npt

from playground.training.kernel.compiled import inlined
from playground.training.kernel.memory_pages import zero_pages
from playground.training.kernel.memory_reads import eight_bytes

Bytes = npt.NDArray[np.uint8]
Words = npt.NDArray[np.uint64]
Ints = npt.NDArray[np.int32]
Ids = npt.NDArray[np.uint32]

MAX_SHORT = 15  # bytes
#: Ids that a place has room for; of a pretoken with more it knows only how many.
MAX_IDS = 4
_LINE_BITS = 17  # 8 MB
SECOND_KEY, KNOWN, MORE, OTHER = (np.uint64(n) for n in (1, 2, 3, 4))  # in a place, and the other one
_LINE_SHIFT = np.uint64(64 - _LINE_BITS)
_ALL_BITS = np.uint64(0xFFFFFFFFFFFFFFFF)
_ZERO, _ONE, _EIGHT, _N_BITS = np.uint64(0), np.uint64(1), np.uint64(8), np.uint64(64)
LENGTH_AT = np.uint64(56)  # in the second key
_HALF, _ID_AT, _SECOND_ID_AT = np.uint64(32), np.uint64(8), np.uint64(36)
_MIX, _MIX_SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)


def new_short_rows() -> Words:
    """An empty cache; shape (8 * lines,)."""
    return zero_pages(8 << _LINE_BITS, np.uint64)


@inlined
def first_key_of(text: Bytes, start: int, length: int) -> np.uint64:
    """The first eight bytes, fewer of a shorter pretoken."""
    return eight_bytes(text, start) & (_ALL_BITS >> (_N_BITS - _EIGHT * np.uint64(min(length, 8))))


@inlined
def second_key_of(text: Bytes, start: int, length: int) -> np.uint64:
    """The bytes behind, and the length, so that it is never 0."""
    behind = _EIGHT * np.uint64(max(length - 8, 0))
    return eight_bytes(text, start + 8) & ((_ONE << behind) - _ONE) | (np.uint64(length) << LENGTH_AT)


@inlined
def line_of(first: np.uint64, second: np.uint64) -> np.uint64:
    """Where the line of a pretoken begins."""
    return (mixed_keys(first, second) >> _LINE_SHIFT) * _EIGHT


@inlined
def mixed_keys(first: np.uint64, second: np.uint64) -> np.uint64:
    """A number of which the upper half is as good as drawn."""
    mixed = first ^ (second * _MIX_SECOND)
    return (mixed ^ (mixed >> _HALF)) * _MIX


@inlined
def place_of(
    rows: Words, line: np.uint64, first: np.uint64, second: np.uint64
) -> tuple[np.uint64, np.uint64]:
    """Where in its line a pretoken stands, and 0 if it does.

    Which of two places it is, is as good as random: a branch would be taken wrongly half the time.
    """
    differs = (rows[line] ^ first) | (rows[line + SECOND_KEY] ^ second)
    other = line + OTHER
    other_differs = (rows[other] ^ first) | (rows[other + SECOND_KEY] ^ second)
    return line + OTHER * np.uint64(differs != _ZERO), min(differs, other_differs)


@inlined
def remember(
    rows: Words,
    line: np.uint64,
    first: np.uint64,
    second: np.uint64,
    n_ids: int,
    token: Ints,
    id_of_rank: Ids,
) -> None:
    """Write how many ids a pretoken has, and those that there is room for; in front, and the older goes."""
    if rows[line] != first or rows[line + SECOND_KEY] != second:
        for i in range(4):
            rows[line + OTHER + np.uint64(i)] = rows[line + np.uint64(i)]
    known, more = np.uint64(n_ids), np.uint64(0)
    if n_ids <= MAX_IDS:
        known |= np.uint64(id_of_rank[token[0]]) << _ID_AT
        if n_ids > 1:
            known |= np.uint64(id_of_rank[token[1]]) << _SECOND_ID_AT
        if n_ids > 2:
            more = np.uint64(id_of_rank[token[2]])
        if n_ids > 3:
            more |= np.uint64(id_of_rank[token[3]]) << _HALF
    rows[line], rows[line + SECOND_KEY], rows[line + KNOWN], rows[line + MORE] = first, second, known, more
