"""Pretokens in batches: what is known of all is fetched at once, and those not known are merged together."""

from typing import NamedTuple

import numpy as np

from playground.training.kernel.ascii_starts import NO_STARTS, ascii_starts
from playground.training.kernel.byte_masks import lowest_bit, n_bits
from playground.training.kernel.compiled import ZERO, inlined, inner
from playground.training.kernel.memo import N_IDS_MASK, Ids, Memo, remember_long, write_ids
from playground.training.kernel.memory_reads import fetch
from playground.training.kernel.merge_lanes import (
    LENGTH,
    MAX_BYTES,
    NUMBER,
    PARTS,
    START,
    Merges,
    merge_together,
    new_merges,
    token_at,
)
from playground.training.kernel.pretoken_table import (
    COUNT,
    Bytes,
    Longs,
    Words,
    home_of,
    key_of,
    row_of,
)
from playground.training.kernel.rank_table import Ints, RankTable
from playground.training.kernel.scanners import pretoken_end
from playground.training.kernel.short_pretokens import (
    KNOWN,
    MAX_IDS,
    MAX_SHORT,
    first_key_of,
    line_of,
    place_of,
    remember,
    second_key_of,
)

BATCH = 64
#: It ends where 64 bytes end, each of which may be a pretoken.
_MAX_BATCH = BATCH + 63
FIRST, SECOND, LINE, STOPS = (np.uint64(n) for n in range(4))  # of each in `Batch.found`
NOT_MERGED = -1
_ONE = np.uint64(1)


class Batch(NamedTuple):
    """Pretokens that are found and not yet encoded; nothing in it lasts."""

    found: Words  # four numbers of each
    starts: Longs
    merged: Longs  # of each its number in `merges`, or that it has none
    merges: Merges
    ranks: Ints  # of one's tokens, side by side


def new_batch() -> Batch:
    """An empty one."""
    return Batch(
        np.zeros(4 * _MAX_BATCH, np.uint64),
        np.zeros(_MAX_BATCH, np.int64),
        np.zeros(_MAX_BATCH, np.int64),
        new_merges(_MAX_BATCH),
        np.zeros(MAX_BYTES, np.int32),
    )


@inlined
def scan_batch(
    memo: Memo, batch: Batch, text: Bytes, start: int, end: int, classes: Bytes, scanner: int
) -> int:
    """Find where the next pretokens stop, and have come near what is known of them; returns how many."""
    n_batch, position = ZERO, start
    while position < end and n_batch < BATCH:
        starts = ascii_starts(text, position, end, scanner)
        if starts == NO_STARTS:
            stop = pretoken_end(text, position, end, classes, scanner)
            enter(memo, batch, n_batch, text, position, stop)
            position = stop
            n_batch += 1
            continue
        first = position
        while starts != NO_STARTS:
            stop = first + lowest_bit(starts)
            starts &= starts - _ONE
            enter(memo, batch, n_batch, text, position, stop)
            position = stop
            n_batch += 1
    return n_batch


@inlined
def enter(memo: Memo, batch: Batch, number: int, text: Bytes, start: int, stop: int) -> None:
    """Note a pretoken in the batch; a long one with the key of the table, and no second, as no place has."""
    rows, found = memo.table.rows, batch.found
    length = stop - start
    if length > MAX_SHORT:
        first, second, line = key_of(text, start, length), np.uint64(0), np.uint64(0)
        fetch(rows, home_of(first, rows) << _ONE)
    else:
        first, second = first_key_of(text, start, length), second_key_of(text, start, length)
        line = line_of(first, second)
        fetch(memo.short, line)
    at = np.uint64(4 * number)
    found[at + FIRST], found[at + SECOND] = first, second
    found[at + LINE], found[at + STOPS] = line, np.uint64(stop)
    batch.starts[np.uint64(number)] = start


@inlined
def _is_for_merging(memo: Memo, batch: Batch, text: Bytes, number: int) -> bool:
    """Whether a pretoken that no place tells is to be merged with others: nothing else tells it either."""
    found, table = batch.found, memo.table
    at = np.uint64(4 * number)
    if found[at + SECOND]:
        return True
    start = batch.starts[np.uint64(number)]
    length = np.int64(found[at + STOPS]) - start
    if length > MAX_BYTES:
        return False
    row = row_of(table.rows, table.words, table.starts, text, start, length, found[at + FIRST])
    return bool(table.rows[row, COUNT] == 0)


@inlined
def note_for_merging(batch: Batch, number: int, merged: int) -> None:
    """Give a pretoken its number among those to be merged."""
    at, start = np.uint64(4 * number), batch.starts[np.uint64(number)]
    batch.merged[np.uint64(number)] = merged
    of = batch.merges.of
    of[merged, START], of[merged, LENGTH] = start, np.int64(batch.found[at + STOPS]) - start
    of[merged, NUMBER] = number


@inner
def merge_unknown(memo: Memo, ranks: RankTable, batch: Batch, text: Bytes, first: int, n_batch: int) -> int:
    """Merge together those from one on whose ids nothing tells, but for the longest; returns how many."""
    n_merged = ZERO
    for number in range(first, n_batch):
        at = np.uint64(4 * number)
        place, differs = place_of(
            memo.short, batch.found[at + LINE], batch.found[at + FIRST], batch.found[at + SECOND]
        )
        tells = not differs and memo.short[place + KNOWN] & N_IDS_MASK <= MAX_IDS
        batch.merged[np.uint64(number)] = NOT_MERGED
        if not tells and _is_for_merging(memo, batch, text, number):
            note_for_merging(batch, number, n_merged)
            n_merged += 1
    merge_together(ranks, text, batch.merges, n_merged)
    return n_merged


@inlined
def n_merged_ids(batch: Batch, merged: int) -> int:
    """How many ids one has that was merged."""
    return n_bits(np.uint64(batch.merges.of[merged, PARTS])) - 1


@inlined
def write_merged(
    ranks: RankTable, text: Bytes, batch: Batch, merged: int, id_of_rank: Ids, out: Ids, n_out: int
) -> int:
    """Write the ids of one that was merged, where there is room for any; returns how many."""
    n_ids = n_merged_ids(batch, merged)
    if len(out):
        _find_ranks(ranks, text, batch, merged, n_ids)
        write_ids(batch.ranks, n_ids, id_of_rank, out, n_out)
    return n_ids


@inlined
def _find_ranks(ranks: RankTable, text: Bytes, batch: Batch, merged: int, n_ids: int) -> None:
    """Put the ranks of the first so many tokens of one that was merged side by side, in `batch.ranks`."""
    parts = np.uint64(batch.merges.of[merged, PARTS])
    lane = ZERO
    for i in range(n_ids):
        parts &= parts - _ONE
        stop = lowest_bit(parts)
        batch.ranks[i] = token_at(ranks, text, batch.merges, merged, lane, stop - lane)
        lane = stop


@inner
def remember_merged(
    memo: Memo, ranks: RankTable, batch: Batch, n_merged: int, text: Bytes, id_of_rank: Ids
) -> bool:
    """Let the memo know what was merged; False where the table has no room for all of it."""
    merges, found, table = batch.merges, batch.found, memo.table
    for merged in range(n_merged):
        at = np.uint64(4 * merges.of[merged, NUMBER])
        n_ids = n_merged_ids(batch, merged)
        _find_ranks(ranks, text, batch, merged, min(n_ids, MAX_IDS) if found[at + SECOND] else n_ids)
        first, second = found[at + FIRST], found[at + SECOND]
        if second:
            remember(memo.short, found[at + LINE], first, second, n_ids, batch.ranks, id_of_rank)
            continue
        start, stop = merges.of[merged, START], np.int64(found[at + STOPS])
        row = row_of(table.rows, table.words, table.starts, text, start, stop - start, first)
        is_new = table.rows[row, COUNT] == 0  # it may have come twice
        if is_new and not remember_long(memo, row, first, text, start, stop, batch.ranks, n_ids, id_of_rank):
            return False
    return True
