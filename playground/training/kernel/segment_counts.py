"""Counting for several tokenizers at once: text between two places where all of them cut is looked up once.

Such a piece of text is a segment. A cache has the number of ids of a short segment for each tokenizer; its
key is the bytes and the places where each tokenizer cuts inside. Pretokens of other segments, and of text
where the tokenizers have no common cut, are listed by scanner. `encoding.count_listed` counts them, and the
next call of `find_segments` enters the counts of their segments in the cache.
"""

from typing import NamedTuple

import numpy as np

from playground.training.kernel.ascii_starts import NO_STARTS, SPACES, ascii_kinds, starts_among
from playground.training.kernel.compiled import compiled, inlined
from playground.training.kernel.encoding import (
    COUNT_BITS,
    COUNTS,
    LENGTH_AT,
    MAX_SHORT,
    NO_SEGMENT,
    OF_SEGMENT,
    OTHER,
    SECOND_KEY,
    STOP,
    first_key_of,
    mixed_keys,
    second_key_of,
    use_count_listed,
)
from playground.training.kernel.intrinsics import borrowed, fetch, lowest_bit
from playground.training.kernel.memory_pages import zero_pages
from playground.training.kernel.merging import START
from playground.training.kernel.pretoken_table import Bytes, Longs, Words
from playground.training.kernel.scanners import GPT2, character_classes, pretoken_end

#: Most tokenizers that count together: 64 bits hold four counts, and four masks of cuts.
MAX_TOGETHER = 4
SEGMENTS_DONE, LISTS_FULL = 0, 1
N_LISTED, PART, PLACES = 0, 1, 2  # places in `progress`; MAX_TOGETHER of the last
_CUTS, _COUNTS = np.uint64(2), np.uint64(COUNTS)  # in a place, and in a row of `Lists.segments`
_TIMES = COUNTS + 1  # number of occurrences of a listed segment
#: In an entry of the cache: its segment is listed under this number, and its counts are not known yet.
_IS_LISTED = np.uint64(1 << 63)
_CUT_BITS = np.uint64(MAX_SHORT - 1)
_COUNT_MASK = np.uint64((1 << COUNT_BITS) - 1)
_BATCH = 64
#: A batch ends at a multiple of 64 bytes, each of which may be a segment.
_MAX_BATCH = _BATCH + 63
#: Bytes of a batch, and up to 63 more; each may be a pretoken.
_BATCH_BYTES = 64 * _BATCH
_N_LISTED = 8 * _BATCH_BYTES
_FIRST, _SECOND, _INSIDE, _LINE, _START, _STOP = (np.uint64(n) for n in range(6))  # of each in `batch`
_LINES_AT = np.uint64(41)  # lowest bit of a hash that is used; there are up to 2 ** 20 lines
_MIX_CUTS = np.uint64(0xD6E8FEB86659FD93)
_ZERO, _ONE, _ALL_BITS = np.uint64(0), np.uint64(1), np.uint64(0xFFFFFFFFFFFFFFFF)


class Lists(NamedTuple):
    """Pretokens and segments that are to be counted, and scratch arrays."""

    pretokens: Longs  # shape (scanners, room, 3)
    n_pretokens: Longs  # shape (scanners,)
    segments: Words  # shape (room, 5): two keys, cuts, counts (added by the caller), occurrences
    batch: Words
    masks: Words


def new_segment_rows(n_lines: int) -> Words:
    """Return an empty cache of segments with 64 bytes a line; shape (8 * lines,), a power of two."""
    return zero_pages(8 * n_lines, np.uint64)


def new_lists(n_scanners: int) -> Lists:
    """Return empty lists for `n_scanners`, at most MAX_TOGETHER."""
    return Lists(
        np.zeros((n_scanners, _N_LISTED, 3), np.int64),
        np.zeros(n_scanners, np.int64),
        np.zeros((_N_LISTED, 5), np.uint64),
        np.zeros(6 * _MAX_BATCH, np.uint64),
        np.zeros(n_scanners, np.uint64),
    )


@compiled
def find_segments(
    rows: Words,
    lists: Lists,
    scanners: Longs,
    text: Bytes,
    parts: Longs,
    progress: Longs,
    totals: Longs,
    classes: Bytes,
) -> int:
    """Add the counts of known segments to `totals`, one for each tokenizer, and list the others.

    First, segments that were listed before, and are counted now, enter the cache. Zeros stand behind each
    part. Returns LISTS_FULL if the lists must be counted before it continues. Call it again until it returns
    SEGMENTS_DONE and nothing is listed.
    """
    rows, lists, scanners, text = borrowed((rows, lists, scanners, text))
    parts, progress, totals, classes = borrowed((parts, progress, totals, classes))
    _enter_counted(rows, lists, progress, totals)
    n_scanners = len(scanners)
    for n in range(n_scanners):
        lists.n_pretokens[n] = 0
    for part in range(progress[PART], len(parts)):
        end = parts[part, STOP]
        progress[PART] = part
        for n in range(n_scanners):
            progress[PLACES + n] = max(progress[PLACES + n], parts[part, START])
        while True:
            lowest, highest, n_listed = end, 0, 0
            for n in range(n_scanners):
                lowest = min(lowest, int(progress[PLACES + n]))
                highest = max(highest, int(progress[PLACES + n]))
                n_listed = max(n_listed, int(lists.n_pretokens[n]))
            if lowest == end:
                break
            if n_listed > _N_LISTED - _BATCH_BYTES - 64:
                return LISTS_FULL
            if lowest == highest:
                highest = _count_batch(rows, lists, scanners, text, lowest, end, progress, totals)
                if highest > lowest:
                    for n in range(n_scanners):
                        progress[PLACES + n] = highest
                    continue
            for n in range(n_scanners):  # until they have a common cut again, or the part ends
                if progress[PLACES + n] == lowest:
                    stop = pretoken_end(text, lowest, end, classes, scanners[n])
                    _list(lists, n, lowest, stop, NO_SEGMENT)
                    progress[PLACES + n] = stop
    progress[PART] = len(parts)
    return SEGMENTS_DONE


@inlined
def _count_batch(
    rows: Words,
    lists: Lists,
    scanners: Longs,
    text: Bytes,
    start: int,
    end: int,
    progress: Longs,
    totals: Longs,
) -> int:
    """Look up a batch of segments of ASCII; returns where it stopped, `start` if there is none."""
    batch, masks = lists.batch, lists.masks
    n_batch, position = np.uint64(0), start
    while position < end and n_batch < _BATCH and position < start + _BATCH_BYTES:
        first = position
        kinds = ascii_kinds(text, first, end)
        common, cut = _ALL_BITS, _ZERO
        for n in range(len(scanners)):
            masks[n] = starts_among(kinds, text, first, end, scanners[n])
            common &= masks[n]
            cut |= masks[n]
        uncut_spaces = kinds[SPACES] & ~cut
        if common == NO_STARTS:
            break
        while common:
            stop = first + lowest_bit(common)
            common &= common - _ONE
            length = stop - position
            behind = np.uint64(position + 1 - first)
            inside = (_ONE << np.uint64(length - 1)) - _ONE
            if length > MAX_SHORT and not _ends_in(uncut_spaces, position - first, length):
                for n in range(len(scanners)):
                    _list_cut(lists, n, position, stop, (masks[n] >> behind) & inside, NO_SEGMENT)
            else:
                cuts = _ZERO
                for n in range(len(scanners)):
                    cuts = cuts << _CUT_BITS | ((masks[n] >> behind) & inside)
                at = np.uint64(6) * n_batch
                batch[at + _FIRST] = first_key_of(text, position, length)
                batch[at + _SECOND] = _second_key_of(text, position, length)
                batch[at + _INSIDE] = cuts
                batch[at + _START], batch[at + _STOP] = np.uint64(position), np.uint64(stop)
                line = _line_of(rows, batch[at + _FIRST], batch[at + _SECOND], cuts)
                batch[at + _LINE] = fetch(rows, line)
                n_batch += _ONE
            position = stop
    known = _ZERO
    for number in range(n_batch):
        at = np.uint64(6) * np.uint64(number)
        line = batch[at + _LINE]
        other = line + OTHER
        key, second, cuts = batch[at + _FIRST], batch[at + _SECOND], batch[at + _INSIDE]
        differs = (rows[line] ^ key) | (rows[line + SECOND_KEY] ^ second) | (rows[line + _CUTS] ^ cuts)
        other_differs = (
            (rows[other] ^ key) | (rows[other + SECOND_KEY] ^ second) | (rows[other + _CUTS] ^ cuts)
        )
        if min(differs, other_differs):
            _list_segment(rows, lists, len(scanners), progress, batch, at)
            continue
        counts = rows[line + OTHER * np.uint64(differs != _ZERO) + _COUNTS]
        if counts & _IS_LISTED:
            lists.segments[counts ^ _IS_LISTED, _TIMES] += _ONE
        else:
            known += counts
    _add(known, 1, totals)  # the counts of one batch fit in 16 bits
    return position


@inlined
def _ends_in(mask: np.uint64, place: int, length: int) -> bool:
    """Whether a mask has all bytes of a segment behind the first MAX_SHORT."""
    rest = (_ONE << np.uint64(length - MAX_SHORT)) - _ONE
    return bool(mask >> np.uint64(place + MAX_SHORT) & rest == rest)


@inlined
def _second_key_of(text: Bytes, start: int, length: int) -> np.uint64:
    """Return the second key of the first MAX_SHORT bytes, with the length of the whole segment."""
    n_kept = min(length, MAX_SHORT)
    return second_key_of(text, start, n_kept) + (np.uint64(length - n_kept) << LENGTH_AT)


@inlined
def _list_segment(
    rows: Words, lists: Lists, n_scanners: int, progress: Longs, batch: Words, at: np.uint64
) -> None:
    """List a segment once, and enter it in front of its line; the entry in front moves behind."""
    segment = progress[N_LISTED]
    progress[N_LISTED] = segment + 1
    cuts, line = batch[at + _INSIDE], batch[at + _LINE]
    lists.segments[segment, 0] = batch[at + _FIRST]
    lists.segments[segment, 1] = batch[at + _SECOND]
    lists.segments[segment, 2] = cuts
    lists.segments[segment, COUNTS] = _ZERO
    lists.segments[segment, _TIMES] = _ONE
    for i in range(4):
        place = line + np.uint64(i)
        rows[place + OTHER] = rows[place]
        rows[place] = lists.segments[segment, i]
    rows[line + _COUNTS] = _IS_LISTED | np.uint64(segment)
    start, stop = int(batch[at + _START]), int(batch[at + _STOP])
    for n in range(n_scanners - 1, -1, -1):
        _list_cut(lists, n, start, stop, cuts & ((_ONE << _CUT_BITS) - _ONE), segment)
        cuts >>= _CUT_BITS


@inlined
def _list_cut(lists: Lists, scanner: int, start: int, stop: int, cuts: np.uint64, segment: int) -> None:
    """List the pretokens of a segment; the lowest bit of `cuts` is the place behind its first byte."""
    position = start
    while cuts:
        cut = start + 1 + lowest_bit(cuts)
        cuts &= cuts - _ONE
        _list(lists, scanner, position, cut, segment)
        position = cut
    _list(lists, scanner, position, stop, segment)


@inlined
def _list(lists: Lists, scanner: int, start: int, stop: int, segment: int) -> None:
    number = lists.n_pretokens[scanner]
    lists.pretokens[scanner, number, START] = start
    lists.pretokens[scanner, number, STOP] = stop
    lists.pretokens[scanner, number, OF_SEGMENT] = segment
    lists.n_pretokens[scanner] = number + 1


@inlined
def _enter_counted(rows: Words, lists: Lists, progress: Longs, totals: Longs) -> None:
    """Enter the counts of listed segments that are still in the cache, and add them to the totals."""
    for segment in range(progress[N_LISTED]):
        first, second = lists.segments[segment, 0], lists.segments[segment, 1]
        cuts, counts = lists.segments[segment, 2], lists.segments[segment, COUNTS]
        line = _line_of(rows, first, second, cuts)
        waiting = _IS_LISTED | np.uint64(segment)
        for place in (line, line + OTHER):
            if rows[place + _COUNTS] == waiting:
                rows[place + _COUNTS] = counts
        _add(counts, np.int64(lists.segments[segment, _TIMES]), totals)
    progress[N_LISTED] = 0


@inlined
def _add(counts: np.uint64, times: int | np.int64, totals: Longs) -> None:
    for n in range(MAX_TOGETHER):
        totals[n] += np.int64((counts >> np.uint64(COUNT_BITS * n)) & _COUNT_MASK) * times


@inlined
def _line_of(rows: Words, first: np.uint64, second: np.uint64, cuts: np.uint64) -> np.uint64:
    """Return where the line of a segment begins."""
    mixed = mixed_keys(first ^ (cuts * _MIX_CUTS), second)
    return (mixed >> _LINES_AT) & np.uint64(len(rows) - 8)


def use_segment_counts() -> None:
    """Find and count the segments of a few words, with the types of arguments of `CountingTogether`."""
    text, parts = np.frombuffer(b"warm up" + bytes(64), np.uint8), np.array([[0, 7]])
    progress, totals = np.zeros(2 + MAX_TOGETHER, np.int64), np.zeros(MAX_TOGETHER, np.int64)
    scanners = np.array([GPT2])
    find_segments(
        new_segment_rows(8), new_lists(1), scanners, text, parts, progress, totals, character_classes()
    )
    use_count_listed()
