"""Merging pretokens by rank, as tiktoken does: of neighbours that spell a token, the lowest rank first.

`merge_together` merges up to some hundred short pretokens at once: all take one step, then the ranks of their
new neighbours are looked up one after the other, so the processor fetches them from memory at the same time.
`merge_pretoken` merges a long pretoken with a heap.
"""

from typing import NamedTuple

import numpy as np

from playground.training.kernel.compiled import ZERO, inlined, inner, pasted
from playground.training.kernel.intrinsics import borrowed, eight_bytes, highest_bit, lowest_bit
from playground.training.kernel.memory_pages import zero_pages
from playground.training.kernel.pretoken_table import Bytes, Longs, Words, key_of
from playground.training.kernel.rank_table import (
    MAX_SHORT,
    NO_ORDER,
    NO_ORDERS,
    NO_RANK,
    SHORT_MASK,
    Ids,
    Ints,
    RankTable,
    fetch_row,
    filter_bit,
    filter_place,
    hash_of,
    is_in_short_filter,
    order_from,
    order_of_two,
    order_up_to,
    rank_in_rows,
    rank_of,
    two_bytes,
)

#: Longest pretoken for `merge_together`, in bytes: 64 bits mark where its tokens start, and its end.
MAX_BYTES = 63
START, LENGTH, PARTS, LANE, NUMBER = 0, 1, 2, 3, 4  # columns of `Merges.of`; NUMBER is the caller's
_PLACE, _LANE, _FIRST, _BYTES = 0, 1, 2, 3  # columns of `Merges.asked`
_NO_PAIR = np.uint64(NO_RANK)
_LANES = 16  # a pretoken takes a multiple of this number of lanes
_LANE_BITS, _LANE_MASK = np.uint64(6), np.uint64(63)
_ZERO, _ONE, _TWO = np.uint64(0), np.uint64(1), np.uint64(2)
_INSIDE = -1  # in `MergeSpace.following`: a byte inside a part


class Merges(NamedTuple):
    """Scratch arrays of `merge_together`. A pretoken has a lane for each of its bytes."""

    of: Longs  # shape (pretokens, 5): where each pretoken is, and its state
    pairs: Ids  # by lane: rank of the pair that starts here, and the lane, in 26 bits; or NO_RANK
    tokens: Ints  # by lane: rank of the part; NO_RANK for one or two bytes, see `token_at`
    asked: Longs  # shape (lanes, 4): pairs whose rank is to be looked up
    active: Longs  # pretokens that still merge
    maybe: Words  # by pretoken: lanes where a first pair may be a token


def new_merges(n_pretokens: int) -> Merges:
    """Return scratch arrays for a number of pretokens."""
    n_lanes = (MAX_BYTES + 1) * n_pretokens
    return Merges(
        np.zeros((n_pretokens, 5), np.int64),
        zero_pages(n_lanes, np.uint32),
        zero_pages(n_lanes, np.int32),
        zero_pages((n_lanes, 4), np.int64),
        np.zeros(n_pretokens, np.int64),
        np.zeros(n_pretokens, np.uint64),
    )


@inner
def merge_together(ranks: RankTable, text: Bytes, merges: Merges, n: int) -> None:
    """Merge the first `n` pretokens of `merges.of`, whose START and LENGTH are set.

    Afterwards PARTS has a bit for the first byte of each token and one for the end; `token_at` gives ranks.
    """
    ranks, text, merges = borrowed(ranks), borrowed(text), borrowed(merges)
    n_active = _begin(ranks, text, merges, n)
    while n_active:
        n_active, n_asked = _merge_lowest(merges, n_active)
        _answer(ranks, text, merges, _filtered(ranks, text, merges, n_asked))


@inlined
def token_at(
    ranks: RankTable, text: Bytes, merges: Merges, one: int | np.int64, lane: int | np.int64, n_bytes: int
) -> np.int64:
    """Return the rank of the token of a merged pretoken that starts in a lane and has `n_bytes`."""
    rank = np.int64(merges.tokens[np.uint64(merges.of[np.uint64(one), LANE] + lane)])
    if rank != NO_RANK:
        return rank
    start = merges.of[np.uint64(one), START] + lane
    return np.int64(ranks.of_one[text[start]] if n_bytes == 1 else ranks.of_two[two_bytes(text, start)])


@inlined
def _begin(ranks: RankTable, text: Bytes, merges: Merges, n: int) -> np.int64:
    """Look up each pretoken as a whole, as tiktoken does, and the first pairs of all that are no token."""
    n_active, lanes_used = np.uint64(0), 0
    for number in range(n):
        one = np.uint64(number)
        start, length = merges.of[one, START], merges.of[one, LENGTH]
        whole = np.int64(ranks.of_one[text[start]]) if length == 1 else rank_of(ranks, text, start, length)
        merges.of[one, LANE] = lanes_used
        merges.of[one, PARTS] = np.int64(_ONE << np.uint64(length) | _ONE)
        merges.tokens[np.uint64(lanes_used)] = whole
        merges.active[n_active] = number
        n_active += np.uint64(whole == NO_RANK)
        lanes_used += (length + _LANES - 1) & -_LANES
    for number in range(n_active):
        one = np.uint64(merges.active[np.uint64(number)])
        merging = _merge_first_pairs(ranks, text, merges, one)
        end = _ONE << np.uint64(merges.of[one, LENGTH])
        merges.of[one, PARTS] = np.int64(~(merging << _ONE) & (end - _ONE) | end)
    n_asked = np.uint64(0)
    for number in range(n_active):
        one = np.uint64(merges.active[np.uint64(number)])
        parts, maybe = np.uint64(merges.of[one, PARTS]), merges.maybe[one]
        start, place = merges.of[one, START], np.uint64(merges.of[one, LANE])
        while maybe:
            lane = lowest_bit(maybe)
            maybe &= maybe - _ONE
            behind = _without_lowest(_behind(parts, np.uint64(lane)))
            n_bytes = lowest_bit(behind) - lane
            fetch_row(ranks, hash_of(key_of(text, start + lane, n_bytes)))
            _ask(merges, n_asked, place, lane, start, lane + n_bytes)
            n_asked += _ONE
    _answer(ranks, text, merges, np.int64(n_asked))
    return np.int64(n_active)


@inlined
def _merge_first_pairs(ranks: RankTable, text: Bytes, merges: Merges, one: np.uint64) -> np.uint64:
    """Return a bit for each byte that surely merges with the next one.

    Two bytes do if their pair has a lower rank than every token that ends with the previous pair or begins
    with the next pair: then no other merge takes one of the two bytes first. Ranks are compared by
    `RankTable.order`, which is coarse; pairs that it cannot tell apart merge later. `merges.maybe` gets a
    bit for each part that may be a token together with its right neighbour.
    """
    start, length, place = merges.of[one, START], merges.of[one, LENGTH], merges.of[one, LANE]
    for lane in range(place, place + ((length + _LANES - 1) & -_LANES)):
        merges.pairs[np.uint64(lane)] = NO_RANK
        merges.tokens[np.uint64(lane)] = NO_RANK
    merging, bit = _ZERO, _ONE
    up_to, known = np.int64(NO_ORDER), np.int64(ranks.order[two_bytes(text, start)])
    for lane in range(length - 1):
        following = np.int64(NO_ORDERS)
        if lane + 2 < length:
            following = np.int64(ranks.order[two_bytes(text, start + lane + 1)])
        order = order_of_two(known)
        merging |= bit * np.uint64((order < up_to) & (order < order_from(following)))
        up_to, known = order_up_to(known), following
        bit <<= _ONE
    others = ~(merging << _ONE) & ((_ONE << np.uint64(length)) - _TWO)  # first bytes of all other parts
    maybe, left = _ZERO, 0
    while others:
        right = lowest_bit(others)
        others &= others - _ONE
        n_bytes = (lowest_bit(others) if others else length) - left  # 2, 3 or 4
        key = eight_bytes(text, start + left) & (
            np.uint64(SHORT_MASK) >> np.uint64(8 * (MAX_SHORT - n_bytes))
        )
        maybe |= is_in_short_filter(ranks.short_filter, key) << np.uint64(left)
        left = right
    merges.maybe[one] = maybe
    return merging


@inlined
def _filtered(ranks: RankTable, text: Bytes, merges: Merges, n_asked: np.int64) -> np.int64:
    """Drop pairs that the filter rules out, and fetch the rows of the others; returns their number."""
    asked, n_kept = merges.asked, np.uint64(0)
    for number in range(n_asked):
        one = np.uint64(number)
        first, n_bytes = asked[one, _FIRST], asked[one, _BYTES]
        hashed = hash_of(key_of(text, first, n_bytes))
        passes = filter_bit(ranks.filter[filter_place(hashed)], hashed)
        fetch_row(ranks, hashed * passes)
        asked[n_kept, _PLACE], asked[n_kept, _LANE] = asked[one, _PLACE], asked[one, _LANE]
        asked[n_kept, _FIRST], asked[n_kept, _BYTES] = first, n_bytes
        n_kept += passes
    return np.int64(n_kept)


@inlined
def _answer(ranks: RankTable, text: Bytes, merges: Merges, n_asked: np.int64) -> None:
    """Look up the pairs that are asked for, and enter the ranks of those that are tokens."""
    for number in range(n_asked):
        one = np.uint64(number)
        rank = rank_in_rows(ranks, text, merges.asked[one, _FIRST], merges.asked[one, _BYTES])
        if rank != NO_RANK:  # rank first, then lane: the lowest number is the pair to merge
            pair = np.uint64(rank) << _LANE_BITS | np.uint64(merges.asked[one, _LANE])
            merges.pairs[np.uint64(merges.asked[one, _PLACE])] = pair


@inlined
def _merge_lowest(merges: Merges, n_active: np.int64) -> tuple[np.int64, np.int64]:
    """Merge the lowest pair of each active pretoken.

    Returns how many pretokens had a pair, and how many new pairs are to be looked up.
    """
    still, n_asked = np.uint64(0), np.uint64(0)
    for number in range(n_active):
        one = np.uint64(merges.active[np.uint64(number)])
        place = np.uint64(merges.of[one, LANE])
        lowest = _lowest_of(merges.pairs, place)
        for more in range(_LANES, merges.of[one, LENGTH], _LANES):
            lowest = min(lowest, _lowest_of(merges.pairs, place + np.uint64(more)))
        merges.active[still] = np.int64(one)
        if lowest == _NO_PAIR:
            continue
        still += _ONE
        lane = lowest & _LANE_MASK
        start, parts = merges.of[one, START], np.uint64(merges.of[one, PARTS])
        merges.tokens[place + lane] = np.int64(lowest >> _LANE_BITS)
        behind = _behind(parts, lane)
        right = np.uint64(lowest_bit(behind))
        merges.pairs[place + lane] = merges.pairs[place + right] = _NO_PAIR
        parts &= ~(_ONE << right)
        merges.of[one, PARTS] = np.int64(parts)
        behind = _without_lowest(behind)
        stop = lowest_bit(behind)
        behind = _without_lowest(behind)
        _ask(merges, n_asked, place, np.int64(lane), start, lowest_bit(behind))
        n_asked += np.uint64(behind != _ZERO)
        before = parts & ((_ONE << lane) - _ONE)
        _ask(merges, n_asked, place, highest_bit(before | _ONE), start, stop)
        n_asked += np.uint64(before != _ZERO)
    return np.int64(still), np.int64(n_asked)


@inlined
def _lowest_of(pairs: Ids, place: np.uint64) -> np.uint64:
    """Return the lowest of the pairs of `_LANES` lanes."""
    lowest = np.uint32(NO_RANK)
    for lane in range(_LANES):
        lowest = min(lowest, pairs[place + np.uint64(lane)])
    return np.uint64(lowest)


@pasted
def _ask(
    merges: Merges, number: np.uint64, place: np.uint64, lane: int | np.int64, start: int, stop: int
) -> None:
    """Note that the pair of a lane is to be looked up; until then it counts as no token."""
    merges.pairs[place + np.uint64(lane)] = _NO_PAIR
    merges.asked[number, _PLACE] = np.int64(place) + lane
    merges.asked[number, _LANE] = lane
    merges.asked[number, _FIRST] = start + lane
    merges.asked[number, _BYTES] = stop - lane


@pasted
def _behind(parts: np.uint64, lane: np.uint64) -> np.uint64:
    return parts & ~((_TWO << lane) - _ONE)


@pasted
def _without_lowest(bits: np.uint64) -> np.uint64:
    return bits & (bits - _ONE)


class MergeSpace(NamedTuple):
    """Scratch arrays of `merge_pretoken`."""

    pair: Ints  # rank of a part and its right neighbour
    token: Ints  # rank of a part; at the end, the ranks of all tokens from the front
    following: Ints
    before: Ints
    heap: Words  # rank and place of a pair, in one number


def new_merge_space(n_bytes: int) -> MergeSpace:
    """Return scratch arrays for a pretoken of `n_bytes`; memory is taken once it is used."""
    n = n_bytes + 2
    pair, token, following, before = (zero_pages(n, np.int32) for _ in range(4))
    return MergeSpace(pair, token, following, before, zero_pages(3 * n, np.uint64))


@inner
def merge_pretoken(ranks: RankTable, text: Bytes, start: int, length: int, space: MergeSpace) -> int:
    """Merge a pretoken of two bytes or more; returns the number of tokens, whose ranks begin `space.token`.

    A part is known by the place of its first byte; an entry of the heap may be out of date.
    """
    ranks, text, space = borrowed(ranks), borrowed(text), borrowed(space)
    pair, token, following, before, heap = space.pair, space.token, space.following, space.before, space.heap
    whole = rank_of(ranks, text, start, length)
    if whole != NO_RANK:  # looked up before anything merges, as in tiktoken
        token[0] = whole
        return 1
    n_heap = ZERO
    for i in range(length):
        token[i] = ranks.of_one[text[start + i]]
        pair[i] = ranks.of_two[two_bytes(text, start + i)] if i + 1 < length else NO_RANK
        following[i], before[i] = i + 1, i - 1
        if pair[i] != NO_RANK:
            n_heap = _push(heap, n_heap, np.uint64(pair[i]) << np.uint64(32) | np.uint64(i))
    while n_heap > 0:
        lowest = heap[0]
        n_heap = _pop(heap, n_heap)
        at, rank = np.int64(lowest & np.uint64(0xFFFFFFFF)), np.int64(lowest >> np.uint64(32))
        if following[at] == _INSIDE or pair[at] != rank:
            continue
        right = np.int64(following[at])
        after = np.int64(following[right])
        token[at] = rank
        following[at] = after
        following[right] = _INSIDE
        pair[at] = NO_RANK
        if after < length:
            before[after] = at
        for side in range(2):
            first, stop = at, after
            if side == 0:  # the pair with the right neighbour
                if after == length:
                    continue
                stop = np.int64(following[after])
            else:
                first = np.int64(before[at])
                if first < 0:
                    continue
            joined = rank_of(ranks, text, start + first, stop - first)
            pair[first] = joined
            if joined != NO_RANK:
                n_heap = _push(heap, n_heap, np.uint64(joined) << np.uint64(32) | np.uint64(first))
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
