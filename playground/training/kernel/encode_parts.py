"""Encoding texts by what is known of their pretokens; what is not known is merged.

Short pretokens are known by `short_pretokens`, longer ones by a table, which is the caller's to replace once
it is full: nothing in either is needed but for speed.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from playground.training.kernel.ascii_starts import NO_STARTS, next_end
from playground.training.kernel.compiled import compiled, inlined
from playground.training.kernel.pretoken_table import (
    COUNT,
    N_BYTES,
    N_PRETOKENS,
    Bytes,
    Longs,
    Table,
    Words,
    insert,
    key_of,
    new_table,
    row_of,
    with_room,
)
from playground.training.kernel.rank_merges import (
    BATCH,
    FIRST,
    LINE,
    MAX_BATCH,
    SECOND,
    STOPS,
    MergeSpace,
    merge_pretoken,
)
from playground.training.kernel.rank_table import RankTable
from playground.training.kernel.short_pretokens import (
    MAX_IDS,
    MAX_SHORT,
    first_key_of,
    line_of,
    new_short_rows,
    place_of,
    remember,
    second_key_of,
)

Ids = npt.NDArray[np.uint32]

#: Ids are written four at a time, and those too many are overwritten.
ROOM_BEHIND_IDS = MAX_IDS
#: A longer pretoken hardly comes twice; so a remembered one has a number of ids that fits in eight bits.
MAX_REMEMBERED = 128
DONE, NEEDS_ROOM, NEEDS_SPACE = 0, 1, 2
PART, PLACE, N_IDS = 0, 1, 2  # places in `progress`
START, STOP, CLOSING = 0, 1, 2  # columns of `parts`
_N_IDS_BITS, _N_IDS_MASK = np.uint64(8), np.uint64(0xFF)
_ID_MASK = np.uint64((1 << 28) - 1)
_SECOND_ID_BITS, _HALF_BITS, _HALF_MASK = np.uint64(36), np.uint64(32), np.uint64((1 << 32) - 1)
_N_IDS_USED = 0
_ONE = np.uint64(1)


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
    n_ids = int(memo.used[_N_IDS_USED])
    if n_pretokens >= max_pretokens or n_bytes >= 24 * max_pretokens or n_ids >= 8 * max_pretokens:
        memo.table.rows[:] = 0
        memo.table.used[:] = 0
        memo.used[:] = 0
        return memo
    ids = np.zeros(2 * n_ids + (1 << 14), np.uint32)
    ids[:n_ids] = memo.ids[:n_ids]
    return Memo(memo.short, with_room(memo.table, n_more_bytes=1 << 16), ids, memo.used)


@compiled
def encode_parts(
    memo: Memo,
    ranks: RankTable,
    id_of_rank: Ids,
    space: MergeSpace,
    text: Bytes,
    words: Words,
    parts: Longs,
    progress: Longs,
    out: Ids,
    classes: Bytes,
    scanner: int,
) -> int:
    """Encode parts of a text, each on its own, zeros behind each; returns how it ended.

    A part that has a closing id, not -1, is followed by it. `progress` tells where to go on; ids are written
    where `out` has room for any, else only counted; it has room for `ROOM_BEHIND_IDS` more than there are.
    """
    short = memo.short
    rows, pool, starts = memo.table.rows, memo.table.words, memo.table.starts
    writes = len(out) > 0
    n_out = progress[N_IDS]
    position = progress[PLACE]
    for part in range(progress[PART], len(parts)):
        end = parts[part, STOP]
        position = max(position, parts[part, START])
        while position < end:
            n_batch = _scan_batch(short, space.batch, text, words, position, end, classes, scanner)
            for number in range(n_batch):
                stop = np.int64(space.batch[number, STOPS])
                length = stop - position
                if length <= MAX_SHORT:
                    first, second = space.batch[number, FIRST], space.batch[number, SECOND]
                    place = place_of(short, np.int64(space.batch[number, LINE]), first, second)
                    n_known = np.int64(short[place + 2] & _N_IDS_MASK)
                    if n_known == 0 or (writes and n_known > MAX_IDS):
                        n_known = merge_pretoken(ranks, text, words, position, length, space)
                        remember(short, place, first, second, n_known, space.token, id_of_rank)
                        if writes and n_known > MAX_IDS:
                            for i in range(n_known):
                                out[n_out + i] = id_of_rank[space.token[i]]
                            n_out += n_known
                            position = stop
                            continue
                    if writes:
                        out[n_out] = (short[place + 2] >> _N_IDS_BITS) & _ID_MASK
                        out[n_out + 1] = short[place + 2] >> _SECOND_ID_BITS
                        if n_known > 2:
                            out[n_out + 2] = short[place + 3] & _HALF_MASK
                            out[n_out + 3] = short[place + 3] >> _HALF_BITS
                    n_out += n_known
                    position = stop
                    continue
                if length > MAX_REMEMBERED:
                    if length >= len(space.pair):
                        progress[PART], progress[PLACE], progress[N_IDS] = part, position, n_out
                        return NEEDS_SPACE
                    n_ids = merge_pretoken(ranks, text, words, position, length, space)
                    if writes:
                        for i in range(n_ids):
                            out[n_out + i] = id_of_rank[space.token[i]]
                    n_out += n_ids
                    position = stop
                    continue
                key = key_of(words, position, length)
                row = row_of(rows, pool, starts, words, position, length, key)
                value = rows[row, COUNT]
                if value == 0:
                    used = memo.used[_N_IDS_USED]
                    n_ids = merge_pretoken(ranks, text, words, position, length, space)
                    meaning = np.uint64(used)
                    if n_ids == 1:
                        meaning = np.uint64(id_of_rank[space.token[0]])
                    value = meaning << _N_IDS_BITS | np.uint64(n_ids)
                    if used + n_ids > len(memo.ids) or not insert(
                        memo.table, row, key, text, position, stop, value, 0
                    ):
                        progress[PART], progress[PLACE], progress[N_IDS] = part, position, n_out
                        return NEEDS_ROOM
                    if n_ids > 1:
                        for i in range(n_ids):
                            memo.ids[used + i] = id_of_rank[space.token[i]]
                        memo.used[_N_IDS_USED] = used + n_ids
                n_known = np.int64(value & _N_IDS_MASK)
                if writes:
                    meaning = (value >> _N_IDS_BITS) & _ID_MASK
                    if n_known == 1:
                        out[n_out] = meaning
                    else:
                        for i in range(n_known):
                            out[n_out + i] = memo.ids[meaning + np.uint64(i)]
                n_out += n_known
                position = stop
        if parts[part, CLOSING] >= 0:
            if writes:
                out[n_out] = parts[part, CLOSING]
            n_out += 1
    progress[N_IDS] = n_out
    return DONE


@inlined
def _scan_batch(
    short: Words, batch: Words, text: Bytes, words: Words, start: int, end: int, classes: Bytes, scanner: int
) -> int:
    """Find where the next pretokens stop, and touch what is known of them: memory answers all at once."""
    n_batch, position, starts = 0, start, NO_STARTS
    while position < end and (n_batch < BATCH or starts != NO_STARTS):
        stop, starts = next_end(text, position, end, classes, scanner, starts)
        length = stop - position
        batch[n_batch, STOPS] = stop
        batch[n_batch, LINE] = 0
        if length <= MAX_SHORT:
            first, second = first_key_of(words, position, length), second_key_of(words, position, length)
            batch[n_batch, FIRST], batch[n_batch, SECOND] = first, second
            batch[n_batch, LINE] = line_of(first, second)
        n_batch += 1
        position = stop
    touched = np.uint64(0)
    for number in range(n_batch):
        touched ^= short[batch[number, LINE]]
    batch[MAX_BATCH, FIRST] = touched  # so that it is done
    return n_batch
