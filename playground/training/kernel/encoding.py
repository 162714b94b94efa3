"""Encoding and counting texts: short pretokens are looked up in a cache, all others are merged.

Pretokens are handled in batches, so that the cache lines of a batch are fetched at the same time, and those
that the cache does not know are merged together. `encode_parts` scans texts; `count_listed` counts pretokens
that `segment_counts` has found.

The cache knows pretokens of up to 15 bytes, which are their own key, in two numbers. An entry has both keys,
then the number of ids and the first two ids, then two more. Two entries share a cache line, the newer one in
front; a third replaces the older one.
"""

from typing import NamedTuple

import numpy as np

from playground.training.kernel.ascii_starts import NO_STARTS, ascii_starts
from playground.training.kernel.compiled import ZERO, compiled, inlined, inner
from playground.training.kernel.intrinsics import borrowed, eight_bytes, fetch, lowest_bit, n_bits
from playground.training.kernel.memory_pages import zero_pages
from playground.training.kernel.merging import (
    LENGTH,
    MAX_BYTES,
    NUMBER,
    PARTS,
    START,
    Merges,
    MergeSpace,
    merge_pretoken,
    merge_together,
    new_merge_space,
    new_merges,
    token_at,
)
from playground.training.kernel.pretoken_table import Bytes, Longs, Words
from playground.training.kernel.rank_table import Ids, Ints, RankTable, TokenRow, new_rank_table
from playground.training.kernel.scanners import GPT2, character_classes, pretoken_end

MAX_SHORT = 15  # bytes of a pretoken that the cache knows
MAX_IDS = 4  # ids that an entry has room for; of more ids it has only the number
#: `encode_parts` writes four ids at a time, so `out` needs this much room at its end.
ROOM_BEHIND_IDS = MAX_IDS
CLOSING = 2  # column of `parts`, behind START and STOP
STOP, OF_SEGMENT, NO_SEGMENT = 1, 2, -1  # columns of a list of pretokens are START, STOP and OF_SEGMENT
#: Column of `segment_counts.Lists.segments`, and the number of bits that each tokenizer has in it.
COUNTS, COUNT_BITS = 3, 16

# Within the cache: parts of an entry, and the other entry of the same line.
SECOND_KEY, KNOWN, MORE, OTHER = (np.uint64(n) for n in (1, 2, 3, 4))
LENGTH_AT = np.uint64(56)  # bits of the second key
_LINE_BITS = 17  # 8 MB
_LINE_SHIFT = np.uint64(64 - _LINE_BITS)
_N_IDS_MASK, _ID_MASK = np.uint64(0xFF), np.uint64((1 << 28) - 1)
_ID_AT, _SECOND_ID_AT = np.uint64(8), np.uint64(36)
_MIX, _MIX_SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)

_BATCH = 64
_MAX_BATCH = _BATCH + 63  # a batch ends at a multiple of 64 bytes, each of which may be a pretoken
_FIRST, _SECOND, _LINE, _STOP = (np.uint64(n) for n in range(4))  # of each pretoken in `Batch.found`
_TOO_LONG = -1  # in `Batch.merged`: `merge_together` cannot take it
_ZERO, _ONE, _EIGHT = np.uint64(0), np.uint64(1), np.uint64(8)
_HALF, _HALF_MASK = np.uint64(32), np.uint64((1 << 32) - 1)
_ALL_BITS = np.uint64(0xFFFFFFFFFFFFFFFF)


class Batch(NamedTuple):
    """Scratch arrays with the pretokens of a batch."""

    found: Words  # four numbers of each: keys (second 0 if too long for the cache), line or entry, stop
    starts: Longs
    n_ids: Longs
    unknown: Longs  # numbers of those that the cache does not know
    merged: Longs  # for those their numbers in `merges`
    merges: Merges
    ranks: Ints  # of the tokens of one pretoken


class Space(NamedTuple):
    """Scratch arrays of an encoder."""

    batch: Batch
    long: MergeSpace


def new_cache() -> Words:
    """Return an empty cache; shape (8 * lines,)."""
    return zero_pages(8 << _LINE_BITS, np.uint64)


def new_space(n_bytes: int) -> Space:
    """Return scratch arrays for texts of up to `n_bytes`."""
    starts, n_ids, unknown, merged = np.zeros((4, _MAX_BATCH), np.int64)
    found, ranks = np.zeros(4 * _MAX_BATCH, np.uint64), np.zeros(MAX_BYTES, np.int32)
    batch = Batch(found, starts, n_ids, unknown, merged, new_merges(_MAX_BATCH), ranks)
    return Space(batch, new_merge_space(n_bytes))


@compiled
def encode_parts(
    cache: Words,
    ranks: RankTable,
    id_of_rank: Ids,
    space: Space,
    text: Bytes,
    parts: Longs,
    out: Ids,
    classes: Bytes,
    scanner: int,
) -> int:
    """Encode parts of a text, each by itself, and return the number of ids.

    A row of `parts` has start, stop and an id that follows the part, or -1; zeros stand behind each part. Ids
    are written if `out` has any room; it then needs ROOM_BEHIND_IDS more than there are ids.
    """
    cache, ranks, id_of_rank, space = borrowed((cache, ranks, id_of_rank, space))
    text, parts, out, classes = borrowed((text, parts, out, classes))
    batch = space.batch
    writes = len(out) > 0
    n_out = ZERO
    for part in range(len(parts)):
        position, end = parts[part, START], parts[part, STOP]
        while position < end:
            n_batch = _scan_batch(cache, batch, text, position, end, classes, scanner)
            position = np.int64(batch.found[np.uint64(4 * n_batch - 4) + _STOP])
            n_unknown = _look_up(cache, batch, n_batch, writes)
            if n_unknown:
                _merge_unknown(cache, ranks, id_of_rank, space, text, n_unknown, writes)
            if not writes:
                for number in range(n_batch):
                    n_out += batch.n_ids[np.uint64(number)]
                continue
            n_next = ZERO
            for number in range(n_batch):
                if n_next < n_unknown and batch.unknown[n_next] == number:
                    n_out = _write_unknown(ranks, id_of_rank, space, text, number, out, n_out)
                    n_next += 1
                    continue
                entry = batch.found[np.uint64(4 * number) + _LINE]
                known, more = cache[entry + KNOWN], cache[entry + MORE]
                out[n_out] = (known >> _ID_AT) & _ID_MASK
                out[n_out + 1] = known >> _SECOND_ID_AT
                out[n_out + 2] = more & _HALF_MASK
                out[n_out + 3] = more >> _HALF
                n_out += batch.n_ids[np.uint64(number)]
            if n_unknown:
                _remember_merged(cache, ranks, id_of_rank, batch, text, n_unknown)
        if parts[part, CLOSING] >= 0:
            if writes:
                out[n_out] = parts[part, CLOSING]
            n_out += 1
    return n_out


@compiled
def count_listed(
    cache: Words,
    ranks: RankTable,
    id_of_rank: Ids,
    space: Space,
    text: Bytes,
    listed: Longs,
    n_listed: int,
    segments: Words,
    lane: int,
) -> int:
    """Count the ids of the first `n_listed` pretokens of `segment_counts.Lists.pretokens`.

    Those of a segment are added to its COUNTS, in the bits of a lane; returns the ids of all others.
    """
    cache, ranks, id_of_rank, space = borrowed((cache, ranks, id_of_rank, space))
    text, listed, segments = borrowed((text, listed, segments))
    batch = space.batch
    n_others = ZERO
    for first in range(0, n_listed, _BATCH):
        n_batch = min(_BATCH, n_listed - first)
        for number in range(n_batch):
            _enter(cache, batch, number, text, listed[first + number, START], listed[first + number, STOP])
        n_unknown = _look_up(cache, batch, n_batch, False)
        if n_unknown:
            _merge_unknown(cache, ranks, id_of_rank, space, text, n_unknown, False)
        for number in range(n_batch):
            segment, n_ids = listed[first + number, OF_SEGMENT], batch.n_ids[np.uint64(number)]
            if segment == NO_SEGMENT:
                n_others += n_ids
            else:
                segments[segment, COUNTS] += np.uint64(n_ids) << np.uint64(COUNT_BITS * lane)
    return n_others


@inlined
def _scan_batch(
    cache: Words, batch: Batch, text: Bytes, start: int, end: int, classes: Bytes, scanner: int
) -> int:
    """Enter the next pretokens in the batch; returns their number."""
    n_batch, position = ZERO, start
    while position < end and n_batch < _BATCH:
        starts = ascii_starts(text, position, end, scanner)
        if starts == NO_STARTS:
            stop = pretoken_end(text, position, end, classes, scanner)
            _enter(cache, batch, n_batch, text, position, stop)
            position = stop
            n_batch += 1
            continue
        first = position
        while starts != NO_STARTS:
            stop = first + lowest_bit(starts)
            starts &= starts - _ONE
            _enter(cache, batch, n_batch, text, position, stop)
            position = stop
            n_batch += 1
    return n_batch


@inlined
def _enter(cache: Words, batch: Batch, number: int, text: Bytes, start: int, stop: int) -> None:
    """Enter a pretoken in the batch, and fetch its line of the cache."""
    first, second, line, length = _ONE, _ZERO, _ZERO, stop - start
    if length <= MAX_SHORT:
        first, second = first_key_of(text, start, length), second_key_of(text, start, length)
        line = fetch(cache, (mixed_keys(first, second) >> _LINE_SHIFT) * _EIGHT)
    at = np.uint64(4 * number)
    batch.found[at + _FIRST], batch.found[at + _SECOND] = first, second
    batch.found[at + _LINE], batch.found[at + _STOP] = line, np.uint64(stop)
    batch.starts[np.uint64(number)] = start


@inlined
def _look_up(cache: Words, batch: Batch, n_batch: int, writes: bool) -> int:
    """Set the number of ids and the entry of each pretoken in the cache; returns how many are not in it.

    To write ids, an entry with more ids than it has room for is not known. Which of two entries it is, is as
    good as random, so a branch would be predicted wrongly half the time.
    """
    found = batch.found
    n_unknown = ZERO
    for number in range(n_batch):
        at = np.uint64(4 * number)  # Numba checks whether a signed index is negative
        line, first, second = found[at + _LINE], found[at + _FIRST], found[at + _SECOND]
        differs = (cache[line] ^ first) | (cache[line + SECOND_KEY] ^ second)
        other = line + OTHER
        other_differs = (cache[other] ^ first) | (cache[other + SECOND_KEY] ^ second)
        entry = line + OTHER * np.uint64(differs != _ZERO)
        n_ids = np.int64(cache[entry + KNOWN] & _N_IDS_MASK)
        if min(differs, other_differs) or (writes and n_ids > MAX_IDS):
            batch.unknown[n_unknown] = number
            n_unknown += 1
        else:
            batch.n_ids[np.uint64(number)] = n_ids
            found[at + _LINE] = entry
    return n_unknown


@inner
def _merge_unknown(
    cache: Words, ranks: RankTable, id_of_rank: Ids, space: Space, text: Bytes, n_unknown: int, writes: bool
) -> None:
    """Merge the unknown pretokens and set their numbers of ids; those too long only to count them.

    What was merged enters the cache, unless ids of other entries are still to be written.
    """
    cache, ranks, id_of_rank, space = borrowed((cache, ranks, id_of_rank, space))
    text = borrowed(text)
    batch, of = space.batch, space.batch.merges.of
    n_merged = ZERO
    for i in range(n_unknown):
        number = batch.unknown[i]
        start, stop = batch.starts[number], np.int64(batch.found[np.uint64(4 * number) + _STOP])
        batch.merged[number] = _TOO_LONG
        if stop - start <= MAX_BYTES:
            batch.merged[number] = n_merged
            of[n_merged, START], of[n_merged, LENGTH], of[n_merged, NUMBER] = start, stop - start, number
            n_merged += 1
        elif not writes:
            batch.n_ids[number] = merge_pretoken(ranks, text, start, stop - start, space.long)
    merge_together(ranks, text, batch.merges, n_merged)
    for merged in range(n_merged):
        batch.n_ids[of[merged, NUMBER]] = n_bits(np.uint64(of[merged, PARTS])) - 1
    if not writes:
        _remember_merged(cache, ranks, id_of_rank, batch, text, n_unknown)


@inner
def _write_unknown(
    ranks: RankTable, id_of_rank: Ids, space: Space, text: Bytes, number: int, out: Ids, n_out: int
) -> int:
    """Write the ids of an unknown pretoken; returns the number of ids in `out`."""
    ranks, id_of_rank, space, text, out = borrowed((ranks, id_of_rank, space, text, out))
    batch = space.batch
    if batch.merged[number] != _TOO_LONG:
        n_ids = batch.n_ids[number]
        _find_ranks(ranks, text, batch, batch.merged[number], n_ids)
        for i in range(n_ids):
            out[n_out + i] = id_of_rank[batch.ranks[i]]
    else:
        start, stop = batch.starts[number], np.int64(batch.found[np.uint64(4 * number) + _STOP])
        n_ids = merge_pretoken(ranks, text, start, stop - start, space.long)
        for i in range(n_ids):
            out[n_out + i] = id_of_rank[space.long.token[i]]
    return n_out + n_ids


@inlined
def _find_ranks(ranks: RankTable, text: Bytes, batch: Batch, merged: int, n_ids: int) -> None:
    """Put the ranks of the first tokens of a merged pretoken in `batch.ranks`."""
    parts = np.uint64(batch.merges.of[merged, PARTS])
    lane = ZERO
    for i in range(n_ids):
        parts &= parts - _ONE
        stop = lowest_bit(parts)
        batch.ranks[i] = token_at(ranks, text, batch.merges, merged, lane, stop - lane)
        lane = stop


@inner
def _remember_merged(
    cache: Words, ranks: RankTable, id_of_rank: Ids, batch: Batch, text: Bytes, n_unknown: int
) -> None:
    """Enter merged pretokens in the cache, each in front of its line; the older entry of the line goes."""
    cache, ranks, id_of_rank, batch, text = borrowed((cache, ranks, id_of_rank, batch, text))
    for i in range(n_unknown):
        number = batch.unknown[i]
        at = np.uint64(4 * number)
        line, first, second = batch.found[at + _LINE], batch.found[at + _FIRST], batch.found[at + _SECOND]
        if second == _ZERO:
            continue
        if cache[line] != first or cache[line + SECOND_KEY] != second:  # it may be twice in the batch
            for k in range(4):
                cache[line + OTHER + np.uint64(k)] = cache[line + np.uint64(k)]
        n_ids = batch.n_ids[number]
        known, more = np.uint64(n_ids), _ZERO
        if n_ids <= MAX_IDS:
            _find_ranks(ranks, text, batch, batch.merged[number], n_ids)
            token = batch.ranks
            known |= np.uint64(id_of_rank[token[0]]) << _ID_AT
            if n_ids > 1:
                known |= np.uint64(id_of_rank[token[1]]) << _SECOND_ID_AT
            if n_ids > 2:
                more = np.uint64(id_of_rank[token[2]])
            if n_ids > 3:
                more |= np.uint64(id_of_rank[token[3]]) << _HALF
        cache[line], cache[line + SECOND_KEY] = first, second
        cache[line + KNOWN], cache[line + MORE] = known, more


@inlined
def first_key_of(text: Bytes, start: int, length: int) -> np.uint64:
    """Return the first eight bytes, or fewer of a shorter pretoken."""
    return eight_bytes(text, start) & (_ALL_BITS >> (np.uint64(64) - _EIGHT * np.uint64(min(length, 8))))


@inlined
def second_key_of(text: Bytes, start: int, length: int) -> np.uint64:
    """Return the bytes behind the first eight, and the length, so that it is never 0."""
    behind = _EIGHT * np.uint64(max(length - 8, 0))
    return eight_bytes(text, start + 8) & ((_ONE << behind) - _ONE) | (np.uint64(length) << LENGTH_AT)


@inlined
def mixed_keys(first: np.uint64, second: np.uint64) -> np.uint64:
    """Return a hash of both keys; its upper half is evenly spread."""
    mixed = first ^ (second * _MIX_SECOND)
    return (mixed ^ (mixed >> _HALF)) * _MIX


def use_encoding() -> None:
    """Encode a few words, with the types of arguments that `corpora.compiled_encoder` passes."""
    ranks = new_rank_table(TokenRow.of([bytes([byte]) for byte in range(256)]))
    text, parts = np.frombuffer(b"warm up" + bytes(64), np.uint8), np.array([[0, 7, -1]])
    ids, out = np.arange(256, dtype=np.uint32), np.empty(16, np.uint32)
    encode_parts(new_cache(), ranks, ids, new_space(0), text, parts, out, character_classes(), GPT2)


def use_count_listed() -> None:
    """Count one word, with the types of arguments that `corpora.compiled_encoder` passes."""
    ranks = new_rank_table(TokenRow.of([bytes([byte]) for byte in range(256)]))
    text, listed = np.frombuffer(b"warm up" + bytes(64), np.uint8), np.array([[0, 7, -1]])
    ids, segments = np.arange(256, dtype=np.uint32), np.zeros((1, 5), np.uint64)
    count_listed(new_cache(), ranks, ids, new_space(0), text, listed, 1, segments, 0)
