"""Encoding texts by what is known of their pretokens; what is not known is merged."""

from typing import NamedTuple

import numpy as np

from playground.training.kernel.batches import (
    BATCH,
    FIRST,
    LINE,
    NOT_MERGED,
    SECOND,
    STOPS,
    Batch,
    enter,
    merge_unknown,
    n_merged_ids,
    new_batch,
    note_for_merging,
    remember_merged,
    scan_batch,
    write_merged,
)
from playground.training.kernel.compiled import ZERO, compiled, inlined
from playground.training.kernel.memo import (
    ID_MASK,
    MAX_REMEMBERED,
    N_IDS_BITS,
    N_IDS_MASK,
    Ids,
    Memo,
    remember_long,
    write_ids,
)
from playground.training.kernel.merge_lanes import MAX_BYTES, NUMBER, merge_together
from playground.training.kernel.pretoken_table import COUNT, Bytes, Longs, Words, row_of
from playground.training.kernel.rank_merges import MergeSpace, merge_pretoken, new_merge_space
from playground.training.kernel.rank_table import RankTable
from playground.training.kernel.short_pretokens import KNOWN, MAX_IDS, MORE, place_of

#: Ids are written four at a time, and those too many are overwritten.
ROOM_BEHIND_IDS = MAX_IDS
DONE, NEEDS_ROOM, NEEDS_SPACE = 0, 1, 2
PART, PLACE, N_IDS = 0, 1, 2  # places in `progress`
START, STOP, CLOSING = 0, 1, 2  # columns of `parts`
OF_SEGMENT, NO_SEGMENT = 2, -1  # columns of a list of pretokens: START, STOP, and this
#: Column of `segment_counts.Lists.segments`, and how many bits of it a tokenizer has.
COUNTS, COUNT_BITS = 3, 16
_SECOND_ID_BITS, _HALF_BITS, _HALF_MASK = np.uint64(36), np.uint64(32), np.uint64((1 << 32) - 1)
_WAITS = -3


class Space(NamedTuple):
    """Room to encode in; nothing in it lasts."""

    long: MergeSpace
    batch: Batch


def new_space(n_bytes: int) -> Space:
    """Room for pretokens of up to so many bytes."""
    return Space(new_merge_space(n_bytes), new_batch())


@compiled
def encode_parts(
    memo: Memo,
    ranks: RankTable,
    id_of_rank: Ids,
    space: Space,
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
    batch = space.batch.found
    writes = len(out) > 0
    n_out = progress[N_IDS]
    position = progress[PLACE]
    for part in range(progress[PART], len(parts)):
        end = parts[part, STOP]
        position = max(position, parts[part, START])
        while position < end:
            n_batch = scan_batch(memo, space.batch, text, position, end, classes, scanner)
            n_merged, is_merged, ended = ZERO, False, DONE
            for number in range(n_batch):
                at = np.uint64(4 * number)  # a number without a sign needs no look at whether it has one
                place, differs = place_of(short, batch[at + LINE], batch[at + FIRST], batch[at + SECOND])
                known = short[place + KNOWN]
                n_known = np.int64(known & N_IDS_MASK)
                if differs or (writes and n_known > MAX_IDS):
                    if writes and not is_merged:
                        n_merged = merge_unknown(memo, ranks, space.batch, text, number, n_batch)
                        is_merged = True
                    n_known = _encode_unknown(memo, ranks, id_of_rank, space, text, out, n_out, number)
                    if n_known == _WAITS:
                        note_for_merging(space.batch, number, n_merged)
                        n_merged, n_known = n_merged + 1, 0
                elif writes:
                    out[n_out] = (known >> N_IDS_BITS) & ID_MASK
                    out[n_out + 1] = known >> _SECOND_ID_BITS
                    if n_known > 2:
                        out[n_out + 2] = short[place + MORE] & _HALF_MASK
                        out[n_out + 3] = short[place + MORE] >> _HALF_BITS
                if n_known < 0:
                    ended = -n_known
                    break
                n_out += n_known
                position = np.int64(batch[at + STOPS])
            if not writes and n_merged > 0:
                merge_together(ranks, text, space.batch.merges, n_merged)
                for merged in range(n_merged):
                    n_out += n_merged_ids(space.batch, merged)
            if n_merged > 0 and not remember_merged(memo, ranks, space.batch, n_merged, text, id_of_rank):
                ended = NEEDS_ROOM
            if ended != DONE:
                progress[PART], progress[PLACE], progress[N_IDS] = part, position, n_out
                return ended
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
    space: Space,
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
    batch = space.batch.found
    while progress[0] < progress[1]:
        first = progress[0]
        n_batch = min(BATCH, progress[1] - first)
        for number in range(n_batch):
            start, stop = listed[first + number, START], listed[first + number, STOP]
            enter(memo, space.batch, number, text, start, stop)
        n_merged, ended = ZERO, DONE
        for number in range(n_batch):
            at = np.uint64(4 * number)
            place, differs = place_of(short, batch[at + LINE], batch[at + FIRST], batch[at + SECOND])
            n_known = np.int64(short[place + KNOWN] & N_IDS_MASK)
            if differs:
                n_known = _encode_unknown(memo, ranks, id_of_rank, space, text, no_ids, 0, number)
                if n_known == _WAITS:
                    note_for_merging(space.batch, number, n_merged)
                    n_merged, n_known = n_merged + 1, 0
            if n_known < 0:
                ended = -n_known
                break
            _add(progress, segments, listed[first + number, OF_SEGMENT], lane, n_known)
            progress[0] += 1
        if n_merged > 0:
            merge_together(ranks, text, space.batch.merges, n_merged)
            for merged in range(n_merged):
                number = first + space.batch.merges.of[merged, NUMBER]
                n_ids = n_merged_ids(space.batch, merged)
                _add(progress, segments, listed[number, OF_SEGMENT], lane, n_ids)
            if not remember_merged(memo, ranks, space.batch, n_merged, text, id_of_rank):
                ended = NEEDS_ROOM
        if ended != DONE:
            return ended
    return DONE


@inlined
def _add(progress: Longs, segments: Words, segment: int, lane: int, n_ids: int) -> None:
    if segment != NO_SEGMENT:
        segments[segment, COUNTS] += np.uint64(n_ids) << np.uint64(COUNT_BITS * lane)
    else:
        progress[2] += n_ids


@inlined
def _encode_unknown(
    memo: Memo,
    ranks: RankTable,
    id_of_rank: Ids,
    space: Space,
    text: Bytes,
    out: Ids,
    n_out: int,
    number: int,
) -> int:
    """Write the ids of a pretoken of the batch of which no place tells them; returns how many.

    What is needed first is returned as a negative number; or _WAITS, where it is to be merged with others,
    which are merged before any is written. It is no call, which would hand over 250 numbers.
    """
    at = np.uint64(4 * number)
    if len(out):
        merged = space.batch.merged[number]
        if merged != NOT_MERGED:
            return write_merged(ranks, text, space.batch, merged, id_of_rank, out, n_out)
    elif space.batch.found[at + SECOND]:
        return _WAITS
    start, stop = space.batch.starts[number], np.int64(space.batch.found[at + STOPS])
    length = stop - start
    if length > MAX_REMEMBERED:
        if length >= len(space.long.pair):
            return -NEEDS_SPACE
        n_ids = merge_pretoken(ranks, text, start, length, space.long)
        write_ids(space.long.token, n_ids, id_of_rank, out, n_out)
        return n_ids
    rows, starts = memo.table.rows, memo.table.starts
    key = space.batch.found[at + FIRST]
    row = row_of(rows, memo.table.words, starts, text, start, length, key)
    value = rows[row, COUNT]
    if value == 0:
        if length <= MAX_BYTES:
            return _WAITS
        n_ids = merge_pretoken(ranks, text, start, length, space.long)
        if not remember_long(memo, row, key, text, start, stop, space.long.token, n_ids, id_of_rank):
            return -NEEDS_ROOM
        value = rows[row, COUNT]
    n_known = np.int64(value & N_IDS_MASK)
    if len(out):
        meaning = (value >> N_IDS_BITS) & ID_MASK
        if n_known == 1:
            out[n_out] = meaning
        else:
            for i in range(n_known):
                out[n_out + i] = memo.ids[meaning + np.uint64(i)]
    return n_known
