"""A hash table of distinct pretokens and their counts, filled by compiled code.

It is an open-addressing table, ten times as fast as Numba's dictionary of byte strings. `pretoken_counts`
decides which texts are counted.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from playground.training.kernel.ascii_starts import NO_STARTS, next_end
from playground.training.kernel.compiled import compiled, inlined, inner
from playground.training.kernel.intrinsics import borrowed, eight_bytes
from playground.training.kernel.memory_pages import enlarged, zero_pages

Bytes = npt.NDArray[np.uint8]
Words = npt.NDArray[np.uint64]
Longs = npt.NDArray[np.int64]

N_PRETOKENS, N_BYTES = 0, 1  # places in `Table.used`
KEY, COUNT = 0, 1  # columns of `Table.rows`
PAD = 8  # zeros behind a text, which `eight_bytes` may read
# A count and a pretoken number share 64 bits: enough for 68 GB of one letter, and for 268 million pretokens.
COUNT_BITS = np.uint64(36)
_COUNT_MASK = np.uint64((1 << 36) - 1)
_MAX_SHORT = 7  # bytes of a pretoken that is its own key, beside its length
_ONE = np.uint64(1)
_ALL_BITS = np.uint64(0xFFFFFFFFFFFFFFFF)
_LONG = np.uint64(1 << 63)


class Table(NamedTuple):
    """Distinct pretokens; number i is `pool[starts[i] : starts[i + 1]]`.

    A row is free while its count is 0. Counting a known short pretoken needs its row of 16 bytes alone, which
    is one cache line.
    """

    rows: Words  # shape (a power of two, 2), at most half of them taken: key, pretoken number and count
    pool: Bytes
    starts: Longs
    first_seen: Longs  # offset in the corpus, in bytes, where each pretoken first occurred
    used: Longs


def new_table(*, n_pretokens: int = 1 << 13, n_bytes: int = 1 << 16) -> Table:
    """Return an empty table with room for `n_pretokens`, a power of two, of `n_bytes` together."""
    pool = zero_pages(n_bytes + PAD, np.uint8)
    return Table(
        rows=zero_pages((2 * n_pretokens, 2), np.uint64),
        pool=pool,
        starts=zero_pages(n_pretokens + 1, np.int64),
        first_seen=zero_pages(n_pretokens, np.int64),
        used=np.zeros(2, np.int64),
    )


def with_room(table: Table, *, n_more_bytes: int) -> Table:
    """Return the table with room for `n_more_bytes`, and for twice as many pretokens if it is full."""
    n_pretokens, n_bytes = map(int, table.used)
    if n_pretokens == len(table.first_seen):
        rows = zero_pages((2 * len(table.rows), 2), np.uint64)
        copy_rows(table.rows, rows)
        table = table._replace(
            rows=rows,
            starts=enlarged(table.starts, n_pretokens + 1, 2 * n_pretokens + 1),
            first_seen=enlarged(table.first_seen, n_pretokens, 2 * n_pretokens),
        )
    return table._replace(pool=enlarged(table.pool, n_bytes, n_bytes + n_more_bytes + PAD))


def counts_of(table: Table) -> Longs:
    """Return the count of each pretoken, by its number."""
    counts = np.zeros(int(table.used[N_PRETOKENS]), np.int64)
    numbers_and_counts = table.rows[table.rows[:, COUNT] > 0, COUNT]
    numbers = (numbers_and_counts >> COUNT_BITS).astype(np.int64)
    counts[numbers] = (numbers_and_counts & _COUNT_MASK).astype(np.int64)
    return counts


@compiled
def tally_pretokens(
    table: Table, text: Bytes, start: int, end: int, offset: int, classes: Bytes, scanner: int
) -> int:
    """Count the pretokens of `text[start:end]`, with zeros behind; scanner -1 takes the text as one pretoken.

    Returns where it stopped: at the end, or before a pretoken that the table has no room for. `offset` is
    the place of the text in the corpus.
    """
    table, text, classes = borrowed((table, text, classes))
    rows, pool, starts = table.rows, table.pool, table.starts
    position, next_starts = start, NO_STARTS
    while position < end:
        stop = end
        if scanner >= 0:
            stop, next_starts = next_end(text, position, end, classes, scanner, next_starts)
        length = stop - position
        key = key_of(text, position, length)
        row = row_of(rows, pool, starts, text, position, length, key)
        if rows[row, COUNT]:
            rows[row, COUNT] += _ONE
        elif not insert(table, row, key, text, position, stop, _ONE, offset + position):
            return position
        position = stop
    return end


@compiled
def absorb(table: Table, other: Table, first: int) -> int:
    """Add the pretokens of another table from row `first` on; returns the row that there was no room for.

    Both tables are in the order of their hashes, so memory is read from front to end.
    """
    table, other = borrowed((table, other))
    for other_row in range(first, len(other.rows)):
        count = other.rows[other_row, COUNT] & _COUNT_MASK
        if count == 0:
            continue
        key = other.rows[other_row, KEY]
        pretoken = np.int64(other.rows[other_row, COUNT] >> COUNT_BITS)
        start, stop, first_seen = (
            other.starts[pretoken],
            other.starts[pretoken + 1],
            other.first_seen[pretoken],
        )
        row = row_of(table.rows, table.pool, table.starts, other.pool, start, stop - start, key)
        if table.rows[row, COUNT]:
            own = table.rows[row, COUNT] >> COUNT_BITS
            table.rows[row, COUNT] += count
            if first_seen < table.first_seen[own]:
                table.first_seen[own] = first_seen
        elif not insert(table, row, key, other.pool, start, stop, count, first_seen):
            return other_row
    return len(other.rows)


@compiled
def find_pretokens(table: Table, text: Bytes, starts: Longs, first: int, numbers: Longs) -> int:
    """Find the table's number of each pretoken of a text from number `first` on; new ones get a count of 1.

    Returns the number of the pretoken that there was no room for. `starts` has one entry more than pretokens.
    """
    table, text, starts, numbers = borrowed((table, text, starts, numbers))
    for other in range(first, len(numbers)):
        start, stop = starts[other], starts[other + 1]
        key = key_of(text, start, stop - start)
        row = row_of(table.rows, table.pool, table.starts, text, start, stop - start, key)
        if not table.rows[row, COUNT] and not insert(table, row, key, text, start, stop, _ONE, 0):
            return other
        numbers[other] = np.int64(table.rows[row, COUNT] >> COUNT_BITS)
    return len(numbers)


@compiled
def copy_rows(rows: Words, larger: Words) -> None:
    """Copy the rows of a table to a larger, empty one."""
    rows, larger = borrowed((rows, larger))
    for old in range(len(rows)):
        if rows[old, COUNT]:
            row = home_of(rows[old, KEY], larger)
            while larger[row, COUNT]:
                row = (row + _ONE) & np.uint64(len(larger) - 1)
            larger[row, KEY] = rows[old, KEY]
            larger[row, COUNT] = rows[old, COUNT]


@inlined
def home_of(key: np.uint64, rows: Words) -> np.uint64:
    """Return the row where the search for a key begins; in a larger table it is at the same share."""
    mixed = ((key ^ (key >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32)
    return (mixed * np.uint64(len(rows))) >> np.uint64(32)


@inlined
def key_of(text: Bytes, start: int | np.int64, length: int | np.int64) -> np.uint64:
    """Return the bytes of a short pretoken with its length, or a hash of a long one."""
    if length <= _MAX_SHORT:
        return eight_bytes(text, start) & (_ALL_BITS >> np.uint64(64 - 8 * length)) | (
            np.uint64(length) << np.uint64(56)
        )
    key = np.uint64(length)
    for position in range(start, start + length - 8, 8):
        key = (key ^ (key >> np.uint64(29)) ^ eight_bytes(text, position)) * np.uint64(0xBF58476D1CE4E5B9)
    return (key ^ (key >> np.uint64(29)) ^ eight_bytes(text, start + length - 8)) * np.uint64(
        0x94D049BB133111EB
    ) | _LONG


@inlined
def row_of(
    rows: Words, pool: Bytes, starts: Longs, text: Bytes, start: int, length: int, key: np.uint64
) -> np.uint64:
    """Return the row of a pretoken, or the free row where it belongs."""
    row = home_of(key, rows)
    while rows[row, COUNT]:
        if rows[row, KEY] == key:
            if length <= _MAX_SHORT:
                break
            pretoken = rows[row, COUNT] >> COUNT_BITS
            first = starts[pretoken]
            if starts[pretoken + _ONE] - first == length and is_same(pool, first, text, start, length):
                break
        row = (row + _ONE) & np.uint64(len(rows) - 1)
    return row


@inlined
def is_same(
    text: Bytes,
    start: int | np.int64,
    other: Bytes,
    other_start: int | np.int64,
    length: int | np.int64,
) -> bool:
    """Whether two pretokens of eight bytes and more are equal."""
    for position in range(0, length - 8, 8):
        if eight_bytes(text, start + position) != eight_bytes(other, other_start + position):
            return False
    return eight_bytes(text, start + length - 8) == eight_bytes(other, other_start + length - 8)


@inner
def insert(
    table: Table,
    row: np.uint64,
    key: np.uint64,
    text: Bytes,
    start: int | np.int64,
    stop: int | np.int64,
    count: np.uint64,
    first_seen: int | np.int64,
) -> bool:
    """Enter a new pretoken; returns False, and changes nothing, if the table has no room for it."""
    table, text = borrowed((table, text))
    pretoken = table.used[N_PRETOKENS]
    used = table.used[N_BYTES]
    length = stop - start
    if pretoken == len(table.first_seen) or used + length > len(table.pool) - PAD:
        return False
    for i in range(length):
        table.pool[used + i] = text[start + i]
    table.starts[pretoken + 1] = used + length
    table.first_seen[pretoken] = first_seen
    table.rows[row, KEY] = key
    table.rows[row, COUNT] = np.uint64(pretoken) << COUNT_BITS | count
    table.used[N_PRETOKENS] = pretoken + 1
    table.used[N_BYTES] = used + length
    return True
