"""The tokens of a vocabulary as a hash table from bytes to rank, for `merging`.

It is small enough for a core's own cache, because merging waits for little else: a token takes eight bytes,
and 100,256 tokens take 1 MB.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from playground.training.kernel.compiled import compiled, inlined, pasted
from playground.training.kernel.intrinsics import borrowed, eight_bytes, fetch, lowest_bit
from playground.training.kernel.memory_pages import zero_pages
from playground.training.kernel.pretoken_table import PAD, Bytes, Words, is_same, key_of

Ints = npt.NDArray[np.int32]
Ids = npt.NDArray[np.uint32]

#: Larger than every rank.
NO_RANK = 0x7FFFFFFF
MAX_TOKENS = (1 << 20) - 1
_RANK_BITS, _RANK_MASK = np.uint64(20), np.uint64((1 << 20) - 1)
_ORDER_BITS = 10
#: In `RankTable.order`: no token for one order, and for all three.
NO_ORDER = (1 << _ORDER_BITS) - 1
NO_ORDERS = (1 << 3 * _ORDER_BITS) - 1
_MAX_WHOLE = 5  # bytes of a token that is its own mark, beside its length
_WHOLE_MASK, _LENGTH_AT = np.uint64((1 << 40) - 1), np.uint64(40)
_HASH_MASK, _IS_HASH = np.uint64((1 << 43) - 1), np.uint64(1 << 43)
_FILTER_BITS, _SHORT_FILTER_BITS = 21, 19
_FILTER_SHIFT = np.uint64(64 - _FILTER_BITS)
MAX_SHORT, SHORT_MASK = 4, (1 << 32) - 1  # bytes of what the filter of short tokens knows
_LINE, _LINE_MASK = np.uint64(8), np.uint64(0xFF)  # rows that are looked at together
_ZERO, _ONE, _SIX, _SIX_BITS = np.uint64(0), np.uint64(1), np.uint64(6), np.uint64(63)


class RankTable(NamedTuple):
    """Tokens by rank. A row has a mark and a rank in one number, or 0 while it is free.

    The mark is the bytes of a short token, or a hash of a long one, whose bytes are then compared in `text`.
    """

    rows: Words  # a power of two of them
    shift: int  # a hash shifted right by this is the number of a row
    text: Bytes  # all tokens one after another, zeros behind
    ends: Ints  # where each token ends in `text`, with 0 in front
    of_one: Ints  # shape (256,)
    of_two: Ints  # shape (65536,), the first byte the low one; NO_RANK if two bytes are no token
    order: Ids  # the same shape: see `order_of_two`, `order_from` and `order_up_to`
    longest: int  # length of the longest token in bytes
    filter: Words  # a bit for the hash of each token; most bytes that are looked up are no token
    short_filter: Ids  # the same for tokens of 2 to MAX_SHORT bytes


class TokenRow(NamedTuple):
    """Tokens one after another in the order of their ranks, at most MAX_TOKENS."""

    text: Bytes  # zeros behind
    ends: Ints  # where each token ends, with 0 in front

    @classmethod
    def of(cls, tokens: Sequence[bytes]) -> "TokenRow":
        """Make it of a sequence of tokens."""
        ends = np.zeros(len(tokens) + 1, np.int32)
        np.cumsum(np.fromiter(map(len, tokens), np.int32, len(tokens)), out=ends[1:])
        return cls(np.frombuffer(bytearray().join([*tokens, bytes(2 * PAD)]), np.uint8), ends)

    @property
    def n_tokens(self) -> int:
        """Number of tokens."""
        return len(self.ends) - 1

    def has_all_bytes(self) -> bool:
        """Whether each of the 256 bytes is a token."""
        found = np.zeros(256, np.bool)
        found[self.text[self.ends[:-1][np.diff(self.ends) == 1]]] = True
        return bool(found.all())


def new_rank_table(tokens: TokenRow) -> RankTable:
    """Make a table of tokens; each single byte must be one of them.

    >>> table = new_rank_table(TokenRow.of([bytes([byte]) for byte in range(256)] + [b"ab"]))
    >>> int(table.of_two[0x6261]), int(table.of_two[0x6162]) == NO_RANK
    (256, True)
    """
    n_bits = (tokens.n_tokens * 5 // 4).bit_length()  # at most four fifths of the rows are taken
    lengths = np.diff(tokens.ends)
    table = RankTable(
        zero_pages(1 << n_bits, np.uint64),
        64 - n_bits,
        tokens.text,
        tokens.ends,
        np.full(1 << 8, NO_RANK, np.int32),
        np.full(1 << 16, NO_RANK, np.int32),
        np.full(1 << 16, NO_ORDERS, np.uint32),
        int(lengths.max(initial=0)),
        np.zeros(1 << (_FILTER_BITS - 6), np.uint64),
        np.zeros(1 << (_SHORT_FILTER_BITS - 5), np.uint32),
    )
    n_alike = int(np.count_nonzero(lengths == 2)) // NO_ORDER + 1
    _enter_tokens(table, n_alike)
    return table


@compiled
def _enter_tokens(ranks: RankTable, n_alike: int) -> None:
    """Enter all tokens, lowest rank first; `n_alike` two-byte tokens in a row have the same order."""
    ranks = borrowed(ranks)
    last_row, n_first = np.uint64(len(ranks.rows) - 1), 0
    for rank in range(len(ranks.ends) - 1):
        start = np.int64(ranks.ends[rank])
        length = np.int64(ranks.ends[rank + 1]) - start
        key = key_of(ranks.text, start, length)
        hashed = hash_of(key)
        row = _line_of(ranks, hashed)
        while ranks.rows[row] != _ZERO:
            row = (row + _ONE) & last_row
        ranks.rows[row] = _mark_of(key, hashed, length) << _RANK_BITS | np.uint64(rank)
        ranks.filter[filter_place(hashed)] |= _ONE << ((hashed >> _FILTER_SHIFT) & _SIX_BITS)
        if length == 1:
            ranks.of_one[ranks.text[start]] = rank
            continue
        if length <= MAX_SHORT:
            place = _short_filter_place(key & np.uint64(SHORT_MASK))
            ranks.short_filter[place >> np.uint64(5)] |= np.uint32(1 << np.int64(place & np.uint64(31)))
        first, last = two_bytes(ranks.text, start), two_bytes(ranks.text, start + length - 2)
        order = n_first // n_alike
        if length == 2:
            ranks.of_two[first] = rank
            if order_from(ranks.order[first]) == NO_ORDER and order_up_to(ranks.order[first]) == NO_ORDER:
                ranks.order[first] = order | order << _ORDER_BITS | order << 2 * _ORDER_BITS
                n_first += 1
        known = np.int64(ranks.order[first])
        if order_from(known) == NO_ORDER:
            ranks.order[first] = known & ~(NO_ORDER << _ORDER_BITS) | order << _ORDER_BITS
        known = np.int64(ranks.order[last])
        if order_up_to(known) == NO_ORDER:
            ranks.order[last] = known & ~(NO_ORDER << 2 * _ORDER_BITS) | order << 2 * _ORDER_BITS


@pasted
def two_bytes(text: Bytes, start: int | np.int64) -> np.uint64:
    """Return the place of two bytes in `RankTable.of_two` and `order`."""
    return eight_bytes(text, start) & np.uint64(0xFFFF)


@pasted
def order_of_two(known: int) -> int:
    """Return the order in which a pair of bytes merges among all pairs, from its entry of `RankTable.order`.

    Some pairs in a row have the same order. It is NO_ORDER if the pair is no token, or if a longer token of
    lower rank begins or ends with it.
    """
    return known & NO_ORDER


@pasted
def order_from(known: int) -> int:
    """Return the lowest order of a token that begins with the pair."""
    return (known >> _ORDER_BITS) & NO_ORDER


@pasted
def order_up_to(known: int) -> int:
    """Return the lowest order of a token that ends with the pair."""
    return known >> 2 * _ORDER_BITS


@inlined
def rank_of(ranks: RankTable, text: Bytes, start: int, length: int) -> np.int64:
    """Return the rank of two bytes or more, NO_RANK if they are no token."""
    if length > ranks.longest:
        return np.int64(NO_RANK)
    hashed = hash_of(key_of(text, start, length))
    if not filter_bit(ranks.filter[filter_place(hashed)], hashed):
        return np.int64(NO_RANK)
    return rank_in_rows(ranks, text, start, length)


@inlined
def rank_in_rows(ranks: RankTable, text: Bytes, start: int, length: int) -> np.int64:
    """Return the same without asking the filter."""
    key = key_of(text, start, length)
    hashed = hash_of(key)
    line = _line_of(ranks, hashed)
    mark = _mark_of(key, hashed, length)
    while True:
        found = _look_in_line(ranks.rows, line, mark)
        while found & _LINE_MASK:
            rank = ranks.rows[line + np.uint64(lowest_bit(found))] & _RANK_MASK
            if length <= _MAX_WHOLE or _is_token(ranks, rank, text, start, length):
                return np.int64(rank)
            found &= found - _ONE
        if found:
            return np.int64(NO_RANK)
        line = (line + _LINE) & np.uint64(len(ranks.rows) - 1)


@pasted
def fetch_row(ranks: RankTable, hashed: np.uint64) -> None:
    """Fetch the rows where the search for a hash begins."""
    fetch(ranks.rows, _line_of(ranks, hashed))


@inlined
def _look_in_line(rows: Words, line: np.uint64, mark: np.uint64) -> np.uint64:
    """Return which of eight rows have a mark, and in the next eight bits which are free."""
    found, bit = _ZERO, _ONE
    for i in range(8):
        row = rows[line + np.uint64(i)]
        found |= bit * np.uint64(row >> _RANK_BITS == mark) | (bit << np.uint64(8)) * np.uint64(row == _ZERO)
        bit <<= _ONE
    return found


@inlined
def _is_token(ranks: RankTable, rank: np.uint64, text: Bytes, start: int, length: int) -> bool:
    """Whether bytes with the hash of a token are equal to it."""
    first = np.int64(ranks.ends[rank])
    if np.int64(ranks.ends[rank + _ONE]) - first != length:
        return False
    if length < 8:
        return bool(key_of(text, start, length) == key_of(ranks.text, first, length))
    return is_same(ranks.text, first, text, start, length)


@pasted
def _line_of(ranks: RankTable, hashed: np.uint64) -> np.uint64:
    """Return the first of the eight rows where the search for a token begins."""
    return (hashed >> np.uint64(ranks.shift)) & ~(_LINE - _ONE)


@pasted
def filter_place(hashed: np.uint64) -> np.uint64:
    """Return the index in `filter` of the word that has the bit of a hash."""
    return hashed >> _FILTER_SHIFT >> _SIX


@pasted
def filter_bit(word: np.uint64, hashed: np.uint64) -> np.uint64:
    """Return the bit of a hash in its word of the filter; 0 means that no token has this hash."""
    return (word >> ((hashed >> _FILTER_SHIFT) & _SIX_BITS)) & _ONE


@pasted
def is_in_short_filter(short_filter: Ids, key: np.uint64) -> np.uint64:
    """Return 1 if the filter of short tokens has the bit of two to four bytes, zeros behind; else 0."""
    place = _short_filter_place(key)
    return np.uint64(short_filter[place >> np.uint64(5)]) >> (place & np.uint64(31)) & _ONE


@pasted
def _short_filter_place(key: np.uint64) -> np.uint64:
    return ((key ^ key >> np.uint64(15)) * np.uint64(0x9E3779B1) & np.uint64(SHORT_MASK)) >> np.uint64(
        32 - _SHORT_FILTER_BITS
    )


@pasted
def hash_of(key: np.uint64) -> np.uint64:
    """Return the hash of a key of `pretoken_table.key_of`."""
    return (key ^ (key >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)


@inlined
def _mark_of(key: np.uint64, hashed: np.uint64, length: int | np.int64) -> np.uint64:
    if length <= _MAX_WHOLE:
        return key & _WHOLE_MASK | np.uint64(length) << _LENGTH_AT
    return hashed & _HASH_MASK | _IS_HASH
