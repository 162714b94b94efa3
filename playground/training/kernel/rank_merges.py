"""Merging one pretoken by rank, as tiktoken does: of neighbours that spell a token, the lowest rank first.

A short pretoken's pairs are looked through again after each merge; a long one keeps its pairs in a heap.
"""

from typing import NamedTuple

import numpy as np

from playground.training.kernel.compiled import inlined, inner
from playground.training.kernel.memory_pages import zero_pages
from playground.training.kernel.pretoken_table import Bytes, Words
from playground.training.kernel.rank_table import (
    NO_PAIR,
    NO_RANK,
    NO_TOKEN,
    Ints,
    RankTable,
    lowest_from,
    lowest_up_to,
    rank_of,
    rank_of_two,
    two_bytes,
)

#: Bytes of a pretoken from which the heap is faster.
_HEAP_FROM = 96
BATCH = 64
#: It ends where 64 bytes end, each of which may be a pretoken.
MAX_BATCH = BATCH + 63
FIRST, SECOND, LINE, STOPS = (np.uint64(n) for n in range(4))  # of each in `MergeSpace.batch`
_PLACE_BITS, _PLACE_MASK = 7, 127  # of a place in a short pretoken; so a rank has 24 bits
_NO_PAIR = np.int32(NO_RANK)
_ONE = np.uint64(1)
_FREE = -1  # stands in `MergeSpace.next` where a byte is inside a part


class MergeSpace(NamedTuple):
    """Room to merge a pretoken of up to `len(pair) - 1` bytes; nothing in it lasts."""

    pair: Ints  # the rank of a part and its right neighbour
    token: Ints  # the rank of a part; when all is merged, those of the whole pretoken from the front
    following: Ints
    before: Ints
    begin: Ints  # of a part its first byte, and the end behind the last; of short pretokens
    heap: Words  # rank and place of a pair, in one number
    batch: Words  # four numbers of each of the pretokens that are found and not yet encoded


def new_merge_space(n_bytes: int) -> MergeSpace:
    """Room for a pretoken of so many bytes."""
    n = n_bytes + 2
    pair, token, following, before, begin = (zero_pages(n, np.int32) for _ in range(5))
    return MergeSpace(
        pair,
        token,
        following,
        before,
        begin,
        zero_pages(3 * n, np.uint64),
        np.zeros(4 * MAX_BATCH, np.uint64),
    )


@inner
def merge_pretoken(ranks: RankTable, text: Bytes, start: int, length: int, space: MergeSpace) -> int:
    """How many tokens a pretoken has; their ranks are then the first of `space.token`."""
    whole = np.int64(ranks.of_one[text[start]]) if length == 1 else rank_of(ranks, text, start, length)
    if whole != NO_RANK:  # it is looked up before anything merges, as in tiktoken
        space.token[0] = whole
        return 1
    if length < _HEAP_FROM:
        return _merge_short(ranks, text, start, length, space)
    for i in range(length):
        space.token[i] = ranks.of_one[text[start + i]]
        space.pair[i] = NO_RANK
    for i in range(length - 1):
        rank = rank_of_two(ranks.of_two[two_bytes(text, start + i)])
        if rank != NO_TOKEN:
            space.pair[i] = np.int64(rank)
    return _merge_long(ranks, text, start, length, space)


@inlined
def _first_parts(ranks: RankTable, text: Bytes, start: int, length: int, space: MergeSpace) -> int:
    """Parts of a pretoken from which merging goes on: bytes, and two of them where they surely merge.

    They do where no token that ends in the first of them and the byte before, or begins with the second and
    the byte behind, is of lower rank: then neither is taken before their turn comes. And no longer token that
    begins or ends with both may be, which could merge too soon. Two such pairs never share a byte.
    """
    token, begin = space.token, space.begin
    before, here = NO_TOKEN, ranks.of_two[two_bytes(text, start)]
    n_parts, is_inside = np.uint64(0), np.uint64(0)
    for i in range(length):
        behind = ranks.of_two[two_bytes(text, start + i + 1)]
        if i + 2 >= length:
            behind = NO_PAIR
        rank = rank_of_two(here)
        merges = (rank == lowest_from(here)) & (rank == lowest_up_to(here))
        merges = merges & (rank < before) & (rank < lowest_from(behind))
        begin[n_parts] = i
        token[n_parts] = np.int64(rank) if merges else np.int64(ranks.of_one[text[start + i]])
        n_parts += _ONE - is_inside
        is_inside = np.uint64(merges)
        before, here = lowest_up_to(here), behind
    begin[n_parts] = length
    return np.int64(n_parts)


@inlined
def _merge_short(ranks: RankTable, text: Bytes, start: int, length: int, space: MergeSpace) -> int:
    """A part is known by its number; `pair` has a rank and then the left part in one number.

    So its lowest entry is what merges next, and LLVM looks through eight of them at a time. Numbers have no
    sign, so Numba does not ask whether they count from the end.
    """
    pair, token, following, before = space.pair, space.token, space.following, space.before
    begin = space.begin
    n_parts = _first_parts(ranks, text, start, length, space)
    n_pairs = n_parts - 1
    for i in range(n_pairs):
        pair[i] = _with_place(rank_of(ranks, text, start + begin[i], begin[i + 2] - begin[i]), i)
        following[i] = i + 1
        before[i] = i - 1
    following[n_pairs] = n_parts
    before[n_pairs] = n_pairs - 1
    while True:
        lowest = _NO_PAIR
        for i in range(n_pairs):
            lowest = min(lowest, pair[i])
        if lowest == _NO_PAIR:
            break
        at = np.uint64(lowest & _PLACE_MASK)
        token[at] = lowest >> _PLACE_BITS
        right = np.uint64(following[at])
        after = np.uint64(following[right])
        following[at] = np.int64(after)
        pair[at] = pair[right] = _NO_PAIR
        stop = np.int64(begin[after])
        if stop < length:
            before[after] = np.int64(at)
            first = np.int64(begin[at])
            beyond = np.int64(begin[np.uint64(following[after])])
            pair[at] = _with_place(rank_of(ranks, text, start + first, beyond - first), np.int64(at))
        if at:
            left = np.uint64(before[at])
            first = np.int64(begin[left])
            pair[left] = _with_place(rank_of(ranks, text, start + first, stop - first), np.int64(left))
    n_tokens, at = np.uint64(0), np.uint64(0)
    while np.int64(at) < n_parts:
        token[n_tokens] = token[at]
        n_tokens += _ONE
        at = np.uint64(following[at])
    return np.int64(n_tokens)


@inlined
def _with_place(rank: int, place: int) -> int:
    if rank == NO_RANK:
        return int(_NO_PAIR)
    return rank << _PLACE_BITS | place


@inlined
def _merge_long(ranks: RankTable, text: Bytes, start: int, length: int, space: MergeSpace) -> int:
    """A part is known by the place of its first byte; an entry of the heap may be out of date."""
    pair, token, following, before, heap = space.pair, space.token, space.following, space.before, space.heap
    n_heap = 0
    for i in range(length):
        following[i] = i + 1
        before[i] = i - 1
        if pair[i] != NO_RANK:
            n_heap = _push(heap, n_heap, np.uint64(pair[i]) << np.uint64(32) | np.uint64(i))
    while n_heap > 0:
        lowest = heap[0]
        n_heap = _pop(heap, n_heap)
        at = int(lowest & np.uint64(0xFFFFFFFF))
        rank = int(lowest >> np.uint64(32))
        if following[at] == _FREE or pair[at] != rank:
            continue
        right = int(following[at])
        after = int(following[right])
        token[at] = rank
        following[at] = after
        following[right] = _FREE
        pair[at] = NO_RANK
        if after < length:
            before[after] = at
            joined = rank_of(ranks, text, start + at, following[after] - at)
            pair[at] = joined
            if joined != NO_RANK:
                n_heap = _push(heap, n_heap, np.uint64(joined) << np.uint64(32) | np.uint64(at))
        left = int(before[at])
        if left >= 0:
            joined = rank_of(ranks, text, start + left, after - left)
            pair[left] = joined
            if joined != NO_RANK:
                n_heap = _push(heap, n_heap, np.uint64(joined) << np.uint64(32) | np.uint64(left))
    n_parts, at = 0, 0
    while at < length:
        token[n_parts] = token[at]
        n_parts += 1
        at = int(following[at])
    return n_parts


@inlined
def _push(heap: Words, n_heap: int, entry: np.uint64) -> int:
    place = n_heap
    while place > 0:
        above = (place - 1) >> 1
        if heap[above] <= entry:
            break
        heap[place] = heap[above]
        place = above
    heap[place] = entry
    return n_heap + 1


@inlined
def _pop(heap: Words, n_heap: int) -> int:
    """Drop the lowest entry."""
    n_heap -= 1
    entry = heap[n_heap]
    place = 0
    while True:
        below = 2 * place + 1
        if below >= n_heap:
            break
        if below + 1 < n_heap and heap[below + 1] < heap[below]:
            below += 1
        if entry <= heap[below]:
            break
        heap[place] = heap[below]
        place = below
    heap[place] = entry
    return n_heap
