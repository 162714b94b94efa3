"""The tokens of a vocabulary by rank, as a hash table that compiled code asks for bytes.

How a pretoken is merged with it is `rank_merges`' business.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from playground.training.kernel.compiled import compiled, inlined
from playground.training.kernel.pretoken_table import (
    COUNT,
    COUNT_BITS,
    PAD,
    Bytes,
    Longs,
    Table,
    Words,
    insert,
    key_of,
    new_table,
    row_of,
    words_of,
)

Ints = npt.NDArray[np.int32]

#: Larger than every rank.
NO_RANK = 0x7FFFFFFF
_FILTER_BITS = 21
_FILTER_SHIFT = np.uint64(64 - _FILTER_BITS)
_ONE, _SIX, _SIX_BITS = np.uint64(1), np.uint64(6), np.uint64(63)


class RankTable(NamedTuple):
    """A token's rank is its number in the table. `of_two` has the rank of each two bytes, low byte first."""

    rows: Words
    words: Words
    starts: Longs
    of_one: Ints  # shape (256,)
    of_two: Ints  # shape (65536,); NO_RANK where they are no token
    longest: int  # bytes of the longest token
    filter: Words  # a bit for the hash of each token: most of what is asked about is none


def new_rank_table(tokens: Sequence[bytes]) -> RankTable:
    """A table of tokens in the order of their ranks; each single byte must be one of them.

    >>> table = new_rank_table([bytes([byte]) for byte in range(256)] + [b"ab"])
    >>> int(table.of_two[0x6261]), int(table.of_two[0x6162]) == NO_RANK
    (256, True)
    """
    joined = b"".join(tokens)
    text = np.frombuffer(joined + bytes(PAD), np.uint8)
    lengths = np.fromiter(map(len, tokens), np.int64, len(tokens))
    ends = np.cumsum(lengths)
    table = new_table(n_pretokens=1 << len(tokens).bit_length(), n_bytes=len(joined))
    of_one = np.full(1 << 8, NO_RANK, np.int32)
    of_two = np.full(1 << 16, NO_RANK, np.int32)
    known = np.zeros(1 << (_FILTER_BITS - 6), np.uint64)
    _enter_tokens(table, text, words_of(text), ends, of_one, of_two, known)
    return RankTable(
        table.rows, table.words, table.starts, of_one, of_two, int(lengths.max(initial=0)), known
    )


@compiled
def _enter_tokens(
    table: Table, text: Bytes, words: Words, ends: Longs, of_one: Ints, of_two: Ints, known: Words
) -> None:
    start = 0
    for rank in range(len(ends)):
        stop = int(ends[rank])
        key = key_of(words, start, stop - start)
        row = row_of(table.rows, table.words, table.starts, words, start, stop - start, key)
        insert(table, row, key, text, start, stop, _ONE, start)
        bit = _bit(np.uint64(key))
        known[bit >> _SIX] |= _ONE << (bit & _SIX_BITS)
        if stop - start == 1:
            of_one[text[start]] = rank
        elif stop - start == 2:
            of_two[words[start] & np.uint64(0xFFFF)] = rank
        start = stop


@inlined
def rank_of(ranks: RankTable, words: Words, start: int, length: int) -> np.int64:
    """The rank of three bytes or more; NO_RANK where they are no token."""
    if length > ranks.longest:
        return np.int64(NO_RANK)
    key = key_of(words, start, length)
    bit = _bit(np.uint64(key))
    if not (ranks.filter[bit >> _SIX] >> (bit & _SIX_BITS)) & _ONE:
        return np.int64(NO_RANK)
    row = row_of(ranks.rows, ranks.words, ranks.starts, words, start, length, key)
    value = ranks.rows[row, COUNT]
    if value == 0:
        return np.int64(NO_RANK)
    return np.int64(value >> COUNT_BITS)


@inlined
def _bit(key: np.uint64) -> np.uint64:
    return ((key ^ (key >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)) >> _FILTER_SHIFT
