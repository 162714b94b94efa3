"""Merging one pretoken by rank, as tiktoken does: of neighbours that spell a token, the lowest rank first.

Its pairs stand in a heap. That is for long pretokens: others are merged many at a time, by `merge_lanes`.
"""

from typing import NamedTuple

import numpy as np

from playground.training.kernel.compiled import ZERO, inlined, inner
from playground.training.kernel.memory_pages import zero_pages
from playground.training.kernel.pretoken_table import Bytes, Words
from playground.training.kernel.rank_table import (
    NO_RANK,
    Ints,
    RankTable,
    rank_of,
    two_bytes,
)

_FREE = -1  # stands in `MergeSpace.next` where a byte is inside a part


class MergeSpace(NamedTuple):
    """Room to merge a pretoken of up to `len(pair) - 1` bytes; nothing in it lasts."""

    pair: Ints  # the rank of a part and its right neighbour
    token: Ints  # the rank of a part; when all is merged, those of the whole pretoken from the front
    following: Ints
    before: Ints
    heap: Words  # rank and place of a pair, in one number


def new_merge_space(n_bytes: int) -> MergeSpace:
    """Room for a pretoken of so many bytes."""
    n = n_bytes + 2
    pair, token, following, before = (zero_pages(n, np.int32) for _ in range(4))
    return MergeSpace(pair, token, following, before, zero_pages(3 * n, np.uint64))


@inner
def merge_pretoken(ranks: RankTable, text: Bytes, start: int, length: int, space: MergeSpace) -> int:
    """How many tokens two bytes or more have; their ranks are then the first of `space.token`."""
    whole = rank_of(ranks, text, start, length)
    if whole != NO_RANK:  # it is looked up before anything merges, as in tiktoken
        space.token[0] = whole
        return 1
    for i in range(length):
        space.token[i] = ranks.of_one[text[start + i]]
        space.pair[i] = ranks.of_two[two_bytes(text, start + i)] if i + 1 < length else NO_RANK
    return _merge_all(ranks, text, start, length, space)


@inlined
def _merge_all(ranks: RankTable, text: Bytes, start: int, length: int, space: MergeSpace) -> int:
    """A part is known by the place of its first byte; an entry of the heap may be out of date."""
    pair, token, following, before, heap = space.pair, space.token, space.following, space.before, space.heap
    n_heap = ZERO
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
