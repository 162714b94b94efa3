"""Pairs by number and by their two ids: rows in one array, found through a hash table of row numbers.

Compiled, and our own: the table holds four bytes a place, and the row that a search ends at is the row that
is wanted next.
"""

import numpy as np
import numpy.typing as npt

from playground.training.kernel.compiled import compiled, inlined

P_KEY, P_COUNT, P_START, P_STOP = 0, 1, 2, 3  # columns of a row; the key is `left << 32 | right`

Pairs = npt.NDArray[np.int64]
Table = npt.NDArray[np.int32]  # length a power of two, at most half of it taken: row number + 1


@inlined
def table_place(table: Table, pairs: Pairs, key: int) -> np.uint64:
    """Where a key stands in the table, or the free place where it belongs."""
    mask = np.uint64(len(table) - 1)
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    place = (mixed ^ (mixed >> np.uint64(32))) & mask
    while table[place] and pairs[table[place] - 1, P_KEY] != key:
        place = (place + np.uint64(1)) & mask
    return place


@compiled
def fill_table(table: Table, pairs: Pairs, n_pairs: int) -> None:
    """Enter the first pairs in an empty table."""
    for pair in range(n_pairs):
        table[table_place(table, pairs, pairs[pair, P_KEY])] = pair + 1
