"""A hash table of distinct pretokens and their counts, filled by compiled code.

An open-addressing table of our own: Numba's dictionary of byte strings is ten times as slow. Which
texts are counted is decided in `pretoken_counts`.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from playground.training.kernel.ascii_starts import NO_STARTS, next_end
from playground.training.kernel.compiled import compiled, inlined, inner
from playground.training.kernel.memory_pages import enlarged, zero_pages
from playground.training.kernel.memory_reads import eight_bytes

Bytes = npt.NDArray[np.uint8]
Words = npt.NDArray[np.uint64]
Longs = npt.NDArray[np.int64]

N_PRETOKENS, N_BYTES = 0, 1  # places in `Table.used`
KEY, COUNT = 0, 1  # columns of `Table.rows`
PAD = 8  # bytes past the end of a text that `words_of` may read
# A count and a pretoken number share 64 bits: enough for 68 GB of one letter, and for 268 million pretokens.
COUNT_BITS = np.uint64(36)
_COUNT_MASK = np.uint64((1 << 36) - 1)
_MAX_SHORT = 7  # bytes of a pretoken that is its own key, beside its length
_ONE = np.uint64(1)
_ALL_BITS = np.uint64(0xFFFFFFFFFFFFFFFF)
_LONG = np.uint64(1 << 63)


class Table(NamedTuple):
    """Pretoken number i is `pool[starts[i] : starts[i + 1]]`; a row of `rows` is free while its count is 0.

    All that a known short pretoken needs is one row of 16 bytes, so that counting it again touches one cache
    line.
    """

    rows: Words  # shape (a power of two, 2), at most half of them taken: key, pretoken number and count
    pool: Bytes
    words: Words  # the pool as eight bytes at each place
    starts: Longs
    first_seen: Longs  # where in the corpus each pretoken first stood, in bytes
    used: Longs


def new_table(*, n_pretokens: int = 1 << 13, n_bytes: int = 1 << 16) -> Table:
    """An empty table with room for so many pretokens (a power of two) and bytes."""
    pool = zero_pages(n_bytes + PAD, np.uint8)
    return Table(
        rows=zero_pages((2 * n_pretokens, 2), np.uint64),
        pool=pool,
        words=words_of(pool),
        starts=zero_pages(n_pretokens + 1, np.int64),
        first_seen=zero_pages(n_pretokens, np.int64),
        used=np.zeros(2, np.int64),
    )


def with_room(table: Table, *, n_more_bytes: int) -> Table:
    """The table with room for more: twice as many pretokens where they run out, and the bytes asked for."""
    n_pretokens, n_bytes = map(int, table.used)
    if n_pretokens == len(table.first_seen):
        rows = zero_pages((2 * len(table.rows), 2), np.uint64)
        copy_rows(table.rows, rows)
        table = table._replace(
            rows=rows,
            starts=enlarged(table.starts, n_pretokens + 1, 2 * n_pretokens + 1),
            first_seen=enlarged(table.first_seen, n_pretokens, 2 * n_pretokens),
        )
    pool = enlarged(table.pool, n_bytes, n_bytes + n_more_bytes + PAD)
    return table._replace(pool=pool, words=words_of(pool))


def counts_of(table: Table) -> Longs:
    """The count of each pretoken, by pretoken number."""
    counts = np.zeros(int(table.used[N_PRETOKENS]), np.int64)
    numbers_and_counts = table.rows[table.rows[:, COUNT] > 0, COUNT]
    numbers = (numbers_and_counts >> COUNT_BITS).astype(np.int64)
    counts[numbers] = (numbers_and_counts & _COUNT_MASK).astype(np.int64)
    return counts


def words_of(text: Bytes) -> Words:
    """The eight bytes at each place of a padded text, as one number; nothing is copied."""
    return np.ndarray(len(text) - PAD + 1, np.uint64, text, strides=(1,))


@compiled
def tally_pretokens(
    table: Table, text: Bytes, words: Words, start: int, end: int, offset: int, classes: Bytes, scanner: int
) -> int:
    """Count the pretokens of `text[start:end]`, zeros behind; a scanner of -1 takes all as one.

    Returns where it stopped: at the end, or before a pretoken that the table has no room for.
    `offset` is where in the corpus the text begins.
    """
    rows, pool, starts = table.rows, table.words, table.starts  # once: each mention counts references
    position, next_starts = start, NO_STARTS
    while position < end:
        stop = end
        if scanner >= 0:
            stop, next_starts = next_end(text, position, end, classes, scanner, next_starts)
        length = stop - position
        key = key_of(words, position, length)
        row = row_of(rows, pool, starts, words, position, length, key)
        if rows[row, COUNT]:
            rows[row, COUNT] += _ONE
        elif not insert(table, row, key, text, position, stop, _ONE, offset + position):
            return position
        position = stop
    return end


@compiled
def absorb(table: Table, other: Table, first: int) -> int:
    """Add the pretokens of another table from row `first`; returns the row there was no room for.

    Both tables stand in the order of their hashes, so both are gone through from front to end.
    """
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
        row = row_of(table.rows, table.words, table.starts, other.words, start, stop - start, key)
        if table.rows[row, COUNT]:
            own = table.rows[row, COUNT] >> COUNT_BITS
            table.rows[row, COUNT] += count
            if first_seen < table.first_seen[own]:
                table.first_seen[own] = first_seen
        elif not insert(table, row, key, other.pool, start, stop, count, first_seen):
            return other_row
    return len(other.rows)


@compiled
def find_pretokens(table: Table, pool: Bytes, words: Words, starts: Longs, first: int, numbers: Longs) -> int:
    """The number in the table of each pretoken of a pool from `first` on, zeros behind; new ones are entered.

    Returns the one there was no room for. Counts are the caller's: here each is 1.
    """
    for other in range(first, len(numbers)):
        start, stop = starts[other], starts[other + 1]
        key = key_of(words, start, stop - start)
        row = row_of(table.rows, table.words, table.starts, words, start, stop - start, key)
        if not table.rows[row, COUNT] and not insert(table, row, key, pool, start, stop, _ONE, 0):
            return other
        numbers[other] = np.int64(table.rows[row, COUNT] >> COUNT_BITS)
    return len(numbers)


@compiled
def copy_rows(rows: Words, larger: Words) -> None:
    """Enter the rows of a table in a larger, empty one."""
    for old in range(len(rows)):
        if rows[old, COUNT]:
            row = home_of(rows[old, KEY], larger)
            while larger[row, COUNT]:
                row = (row + _ONE) & np.uint64(len(larger) - 1)
            larger[row, KEY] = rows[old, KEY]
            larger[row, COUNT] = rows[old, COUNT]


@inlined
def home_of(key: np.uint64, rows: Words) -> np.uint64:
    """The row where the search for a key begins: in larger tables as far from the front, as a share."""
    mixed = ((key ^ (key >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32)
    return (mixed * np.uint64(len(rows))) >> np.uint64(32)


@inlined
def key_of(text: Bytes | Words, start: int | np.int64, length: int | np.int64) -> np.uint64:
    """A short pretoken itself with its length, or a hash of a long one: eight bytes at a time."""
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
    rows: Words, pool: Words, starts: Longs, words: Bytes | Words, start: int, length: int, key: np.uint64
) -> np.uint64:
    """The row of a pretoken, or the free one where it belongs."""
    row = home_of(key, rows)
    while rows[row, COUNT]:
        if rows[row, KEY] == key:
            if length <= _MAX_SHORT:
                break
            pretoken = rows[row, COUNT] >> COUNT_BITS
            first = starts[pretoken]
            if starts[pretoken + _ONE] - first == length and is_same(pool, first, words, start, length):
                break
        row = (row + _ONE) & np.uint64(len(rows) - 1)
    return row


@inlined
def is_same(
    text: Bytes | Words,
    start: int | np.int64,
    other: Bytes | Words,
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
    """Enter a new pretoken; False, and nothing changed, where the table has no room for it."""
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
