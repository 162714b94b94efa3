"""Encoding texts by what is known of their pretokens; what is not known is merged.

Short pretokens are known by `short_pretokens`, longer ones by a table, which is the caller's to replace once
it is full: nothing in either is needed but for speed.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from playground.training.kernel.ascii_starts import NO_STARTS, ascii_starts
from playground.training.kernel.byte_masks import lowest_bit
from playground.training.kernel.compiled import compiled, inlined, inner
from playground.training.kernel.memory_reads import fetch
from playground.training.kernel.pretoken_table import (
    COUNT,
    N_BYTES,
    N_PRETOKENS,
    Bytes,
    Longs,
    Table,
    Words,
    home_of,
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
    SECOND,
    STOPS,
    MergeSpace,
    merge_pretoken,
)
from playground.training.kernel.rank_table import RankTable
from playground.training.kernel.scanners import pretoken_end
from playground.training.kernel.short_pretokens import (
    KNOWN,
    MAX_IDS,
    MAX_SHORT,
    MORE,
    Ints,
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
OF_SEGMENT, NO_SEGMENT = 2, -1  # columns of a list of pretokens: START, STOP, and this
#: Column of `segment_counts.Lists.segments`, and how many bits of it a tokenizer has.
COUNTS, COUNT_BITS = 3, 16
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
    batch = space.batch
    writes = len(out) > 0
    n_out = progress[N_IDS]
    position = progress[PLACE]
    for part in range(progress[PART], len(parts)):
        end = parts[part, STOP]
        position = max(position, parts[part, START])
        while position < end:
            n_batch = _scan_batch(short, memo.table.rows, batch, text, position, end, classes, scanner)
            for number in range(n_batch):
                at = np.uint64(4 * number)  # a number without a sign needs no look at whether it has one
                stop = np.int64(batch[at + STOPS])
                place, differs = place_of(short, batch[at + LINE], batch[at + FIRST], batch[at + SECOND])
                known = short[place + KNOWN]
                n_known = np.int64(known & _N_IDS_MASK)
                if differs or (writes and n_known > MAX_IDS):
                    n_known = _encode_unknown(memo, ranks, id_of_rank, space, text, out, n_out, at, position)
                    if n_known < 0:
                        progress[PART], progress[PLACE], progress[N_IDS] = part, position, n_out
                        return -n_known
                elif writes:
                    out[n_out] = (known >> _N_IDS_BITS) & _ID_MASK
                    out[n_out + 1] = known >> _SECOND_ID_BITS
                    if n_known > 2:
                        out[n_out + 2] = short[place + MORE] & _HALF_MASK
                        out[n_out + 3] = short[place + MORE] >> _HALF_BITS
                n_out += n_known
                position = stop
        if parts[part, CLOSING] >= 0:
            if writes:
                out[n_out] = parts[part, CLOSING]
            n_out += 1
    progress[N_IDS] = n_out
    return DONE


@compiled
def count_listed(
    memo: Memo,
    ranks: RankTable,
    id_of_rank: Ids,
    space: MergeSpace,
    text: Bytes,
    listed: Longs,
    segments: Words,
    lane: int,
    progress: Longs,
    no_ids: Ids,
) -> int:
    """Count the ids of pretokens that `segment_counts` listed; returns how it ended, as `encode_parts` does.

    Those of a segment are added to its counts, in the bits of the tokenizer's lane; `progress` has the next
    pretoken, how many there are, and the ids of all others.
    """
    short = memo.short
    batch = space.batch
    number = progress[0]
    while number < progress[1]:
        n_batch = min(BATCH, progress[1] - number)
        for i in range(n_batch):
            start, stop = listed[number + i, START], listed[number + i, STOP]
            _enter(short, memo.table.rows, batch, i, text, start, stop)
        for i in range(n_batch):
            at = np.uint64(4 * i)
            place, differs = place_of(short, batch[at + LINE], batch[at + FIRST], batch[at + SECOND])
            n_known = np.int64(short[place + KNOWN] & _N_IDS_MASK)
            if differs:
                start = listed[number, START]
                n_known = _encode_unknown(memo, ranks, id_of_rank, space, text, no_ids, 0, at, start)
                if n_known < 0:
                    progress[0] = number
                    return -n_known
            segment = listed[number, OF_SEGMENT]
            if segment != NO_SEGMENT:
                segments[segment, COUNTS] += np.uint64(n_known) << np.uint64(COUNT_BITS * lane)
            else:
                progress[2] += n_known
            number += 1
    progress[0] = number
    return DONE


@inner
def _encode_unknown(
    memo: Memo,
    ranks: RankTable,
    id_of_rank: Ids,
    space: MergeSpace,
    text: Bytes,
    out: Ids,
    n_out: int,
    at: np.uint64,
    start: int,
) -> int:
    """Write the ids of a pretoken of the batch of which no place tells them; returns how many.

    They are known from then on. What is needed first is returned as a negative number.
    """
    rows, starts = memo.table.rows, memo.table.starts
    first, second = space.batch[at + FIRST], space.batch[at + SECOND]
    length = np.int64(space.batch[at + STOPS]) - start
    if second or length > MAX_REMEMBERED:
        if length >= len(space.pair):
            return -NEEDS_SPACE
        n_ids = merge_pretoken(ranks, text, start, length, space)
        if second:
            remember(memo.short, space.batch[at + LINE], first, second, n_ids, space.token, id_of_rank)
        _write_merged(space.token, n_ids, id_of_rank, out, n_out)
        return n_ids
    key = first
    row = row_of(rows, memo.table.words, starts, text, start, length, key)
    value = rows[row, COUNT]
    if value == 0:
        used = memo.used[_N_IDS_USED]
        n_ids = merge_pretoken(ranks, text, start, length, space)
        meaning = np.uint64(used)
        if n_ids == 1:
            meaning = np.uint64(id_of_rank[space.token[0]])
        value = meaning << _N_IDS_BITS | np.uint64(n_ids)
        if used + n_ids > len(memo.ids) or not insert(
            memo.table, row, key, text, start, start + length, value, 0
        ):
            return -NEEDS_ROOM
        if n_ids > 1:
            _write_merged(space.token, n_ids, id_of_rank, memo.ids, used)
            memo.used[_N_IDS_USED] = used + n_ids
    n_known = np.int64(value & _N_IDS_MASK)
    if len(out):
        meaning = (value >> _N_IDS_BITS) & _ID_MASK
        if n_known == 1:
            out[n_out] = meaning
        else:
            for i in range(n_known):
                out[n_out + i] = memo.ids[meaning + np.uint64(i)]
    return n_known


@inlined
def _write_merged(token: Ints, n_ids: int, id_of_rank: Ids, out: Ids, n_out: int) -> None:
    if len(out):
        for i in range(n_ids):
            out[n_out + i] = id_of_rank[token[i]]


@inlined
def _scan_batch(
    short: Words, rows: Words, batch: Words, text: Bytes, start: int, end: int, classes: Bytes, scanner: int
) -> int:
    """Find where the next pretokens stop, and have come near what is known of them: of all at once."""
    n_batch, position = 0, start
    while position < end and n_batch < BATCH:
        starts = ascii_starts(text, position, end, scanner)
        if starts == NO_STARTS:
            stop = pretoken_end(text, position, end, classes, scanner)
            _enter(short, rows, batch, n_batch, text, position, stop)
            position = stop
            n_batch += 1
            continue
        first = position
        while starts != NO_STARTS:
            stop = first + lowest_bit(starts)
            starts &= starts - _ONE
            _enter(short, rows, batch, n_batch, text, position, stop)
            position = stop
            n_batch += 1
    return n_batch


@inlined
def _enter(short: Words, rows: Words, batch: Words, number: int, text: Bytes, start: int, stop: int) -> None:
    """Note a pretoken in the batch; a long one with the key of the table, and no second, as no place has."""
    length = stop - start
    if length > MAX_SHORT:
        first, second, line = key_of(text, start, length), np.uint64(0), np.uint64(0)
        fetch(rows, home_of(first, rows) << _ONE)
    else:
        first, second = first_key_of(text, start, length), second_key_of(text, start, length)
        line = line_of(first, second)
        fetch(short, line)
    at = np.uint64(4 * number)
    batch[at + FIRST], batch[at + SECOND] = first, second
    batch[at + LINE], batch[at + STOPS] = line, np.uint64(stop)
