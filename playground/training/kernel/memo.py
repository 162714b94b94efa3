"""What is known of pretokens: short ones in a cache, longer ones in a table. It is needed only for speed."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from playground.training.kernel.compiled import inlined
from playground.training.kernel.pretoken_table import (
    N_BYTES,
    N_PRETOKENS,
    Bytes,
    Longs,
    Table,
    Words,
    insert,
    new_table,
    with_room,
)
from playground.training.kernel.short_pretokens import Ints, new_short_rows

Ids = npt.NDArray[np.uint32]

#: A longer pretoken hardly comes twice; so a remembered one has a number of ids that fits in eight bits.
MAX_REMEMBERED = 128
#: A number says how many ids a pretoken has, the lowest bits, and above them the first, or where they stand.
N_IDS_BITS, N_IDS_MASK = np.uint64(8), np.uint64(0xFF)
ID_MASK = np.uint64((1 << 28) - 1)
N_IDS_USED = 0


class Memo(NamedTuple):
    """Pretokens with their ids: a row's value has the only id, or where several stand, and how many."""

    short: Words  # as `short_pretokens` knows them
    table: Table
    ids: Ids
    used: Longs


def new_memo() -> Memo:
    """A table that knows no pretoken."""
    return Memo(new_short_rows(), new_table(), np.zeros(1 << 14, np.uint32), np.zeros(1, np.int64))


def larger_memo(memo: Memo, max_pretokens: int) -> Memo:
    """The table with room for more; emptied where it holds as much as it may.

    So many pretokens may have 24 bytes and 8 ids each: of white space and of emoji some have many more. An
    emptied table keeps its room: what filled it once fills it again, and growing took a fifth of the time.
    """
    n_pretokens, n_bytes = int(memo.table.used[N_PRETOKENS]), int(memo.table.used[N_BYTES])
    n_ids = int(memo.used[N_IDS_USED])
    if n_pretokens >= max_pretokens or n_bytes >= 24 * max_pretokens or n_ids >= 8 * max_pretokens:
        memo.table.rows[:] = 0
        memo.table.used[:] = 0
        memo.used[:] = 0
        return memo
    ids = np.zeros(2 * n_ids + (1 << 14), np.uint32)
    ids[:n_ids] = memo.ids[:n_ids]
    return Memo(memo.short, with_room(memo.table, n_more_bytes=1 << 16), ids, memo.used)


@inlined
def remember_long(
    memo: Memo,
    row: np.uint64,
    key: np.uint64,
    text: Bytes,
    start: int | np.int64,
    stop: int | np.int64,
    token: Ints,
    n_ids: int,
    id_of_rank: Ids,
) -> bool:
    """Enter a pretoken of which the tokens' ranks are given in a free row; False where there is no room."""
    used = memo.used[N_IDS_USED]
    meaning = np.uint64(id_of_rank[token[0]]) if n_ids == 1 else np.uint64(used)
    value = meaning << N_IDS_BITS | np.uint64(n_ids)
    if used + n_ids > len(memo.ids) or not insert(memo.table, row, key, text, start, stop, value, 0):
        return False
    if n_ids > 1:
        write_ids(token, n_ids, id_of_rank, memo.ids, used)
        memo.used[N_IDS_USED] = used + n_ids
    return True


@inlined
def write_ids(token: Ints, n_ids: int, id_of_rank: Ids, out: Ids, n_out: int) -> None:
    """Write the ids of ranks, where there is room for any."""
    if len(out):
        for i in range(n_ids):
            out[n_out + i] = id_of_rank[token[i]]
