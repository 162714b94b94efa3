"""Merging many pretokens at once by rank: the memory is waited for once, not for each in turn.

Each has a lane for each of its bytes, in which stands what begins there: a part's rank, and that of the part
and its right neighbour together. All go on by one merge, then their new neighbours are looked up together;
what is done drops out. What merges, and in which order, is that of `rank_merges`.
"""

from typing import NamedTuple

import numpy as np

from playground.training.kernel.byte_masks import highest_bit, lowest_bit
from playground.training.kernel.compiled import inlined, inner
from playground.training.kernel.lanes import Lanes, Vector, lanewise
from playground.training.kernel.memo import Ids
from playground.training.kernel.memory_pages import zero_pages
from playground.training.kernel.pretoken_table import Bytes, Longs, Words, key_of
from playground.training.kernel.rank_table import (
    MAX_SHORT,
    NO_ORDER,
    NO_ORDERS,
    NO_RANK,
    SHORT_MASK,
    Ints,
    RankTable,
    fetch_row,
    filter_bit,
    filter_place,
    hash_of,
    order_from,
    order_of_two,
    order_up_to,
    rank_in_rows,
    rank_of,
    short_filter_place,
    short_filter_shift,
    short_hash_of,
    two_bytes,
)

#: Bytes of a pretoken that is merged here: there is a bit for where it ends, too.
MAX_BYTES = 63
_LEAST, _FEW, _MORE, _MOST = 8, 16, 32, 64
#: Bytes behind a text that are read, whatever they are: of 33 there are 64 lanes, which read three ahead.
ROOM_BEHIND_TEXT = 40
START, LENGTH, PARTS, LANE, NUMBER = 0, 1, 2, 3, 4  # of each in `Merges.of`; the last is the caller's
_PLACE, _LANE, _FIRST, _BYTES = 0, 1, 2, 3  # of each in `Merges.asked`
_NO_PAIR = np.uint64(NO_RANK)
_LANE_BITS, _LANE_MASK = np.uint64(6), np.uint64(_MOST - 1)
_ZERO, _ONE, _TWO = np.uint64(0), np.uint64(1), np.uint64(2)


class Merges(NamedTuple):
    """Room to merge so many pretokens; nothing in it lasts."""

    of: Longs  # shape (pretokens, 5): where each is, and its state
    pairs: Ids  # of each lane the rank of two parts, and the lane, in 26 bits
    tokens: Ints  # of each lane the rank of a part; NO_RANK of one or two bytes, see `token_at`
    asked: Longs  # shape (lanes, 4): bytes whose rank is not yet known
    active: Longs
    maybe: Words  # of each in which lanes two parts may be a token


def new_merges(n_pretokens: int) -> Merges:
    """Room for so many."""
    return Merges(
        np.zeros((n_pretokens, 5), np.int64),
        zero_pages(_MOST * n_pretokens, np.uint32),
        zero_pages(_MOST * n_pretokens, np.int32),
        zero_pages(4 * _MOST * n_pretokens, np.int64).reshape(-1, 4),
        np.zeros(n_pretokens, np.int64),
        np.zeros(n_pretokens, np.uint64),
    )


@inner
def merge_together(ranks: RankTable, text: Bytes, merges: Merges, n: int) -> None:
    """Merge the first so many, whose START and LENGTH stand in `merges.of`.

    Then each has in PARTS a bit for each token's first byte and one for the end; `token_at` gives the ranks.
    """
    n_active = _begin(ranks, text, merges, n)
    while n_active:
        n_active, n_asked = _merge_lowest(merges, n_active)
        _answer(ranks, text, merges, _filtered(ranks, text, merges, n_asked))


@inlined
def token_at(
    ranks: RankTable, text: Bytes, merges: Merges, one: int | np.int64, lane: int | np.int64, n_bytes: int
) -> np.int64:
    """The rank of a token of one that is merged, which begins in a lane and has so many bytes."""
    rank = np.int64(merges.tokens[np.uint64(merges.of[np.uint64(one), LANE] + lane)])
    if rank != NO_RANK:
        return rank
    start = merges.of[np.uint64(one), START] + lane
    return np.int64(ranks.of_one[text[start]] if n_bytes == 1 else ranks.of_two[two_bytes(text, start)])


@inlined
def _begin(ranks: RankTable, text: Bytes, merges: Merges, n: int) -> np.int64:
    """Look up each as a whole, as tiktoken does, and the parts of those that are no token."""
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
        lanes_used += _FEW if length <= _FEW else _MORE if length <= _MORE else _MOST
    for number in range(n_active):
        one = np.uint64(merges.active[np.uint64(number)])
        start, length, place = merges.of[one, START], merges.of[one, LENGTH], merges.of[one, LANE]
        if length <= _LEAST:
            merging = _find_least_pairs(ranks, merges, np.int64(one), place, text, start, length)
        elif length <= _FEW:
            merging = _find_few_pairs(ranks, merges, np.int64(one), place, text, start, length)
        elif length <= _MORE:
            merging = _find_more_pairs(ranks, merges, np.int64(one), place, text, start, length)
        else:
            merging = _find_most_pairs(ranks, merges, np.int64(one), place, text, start, length)
        end = _ONE << np.uint64(length)
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
def _filtered(ranks: RankTable, text: Bytes, merges: Merges, n_asked: np.int64) -> np.int64:
    """Keep what is asked that the filter lets through, and have its rows come near; returns how many."""
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
    """Look up what is asked, and note where two parts are a token."""
    for number in range(n_asked):
        one = np.uint64(number)
        rank = rank_in_rows(ranks, text, merges.asked[one, _FIRST], merges.asked[one, _BYTES])
        lane = np.uint64(merges.asked[one, _LANE])
        merges.pairs[np.uint64(merges.asked[one, _PLACE])] = _pair_of(rank, lane)


@inlined
def _merge_lowest(merges: Merges, n_active: np.int64) -> tuple[np.int64, np.int64]:
    """Merge the lowest pair of each; returns how many had one, and how many pairs are to be looked up."""
    still, n_asked = np.uint64(0), np.uint64(0)
    for number in range(n_active):
        one = np.uint64(merges.active[np.uint64(number)])
        place = np.uint64(merges.of[one, LANE])
        lowest = _lowest_of(merges.pairs, np.int64(place))
        for more in range(_FEW, merges.of[one, LENGTH], _FEW):
            lowest = min(lowest, _lowest_of(merges.pairs, np.int64(place) + more))
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
def _ask(
    merges: Merges, number: np.uint64, place: np.uint64, lane: int | np.int64, start: int, stop: int
) -> None:
    """Note that a rank is asked for; until it is known there is none."""
    merges.pairs[place + np.uint64(lane)] = _NO_PAIR
    merges.asked[number, _PLACE] = np.int64(place) + lane
    merges.asked[number, _LANE] = lane
    merges.asked[number, _FIRST] = start + lane
    merges.asked[number, _BYTES] = stop - lane


@inlined
def _behind(parts: np.uint64, lane: np.uint64) -> np.uint64:
    return parts & ~((_TWO << lane) - _ONE)


@inlined
def _without_lowest(bits: np.uint64) -> np.uint64:
    return bits & (bits - _ONE)


@inlined
def _pair_of(rank: np.int64, lane: np.uint64) -> np.uint64:
    """In one number, so that the lowest is that of the lowest rank, and among those of the first."""
    return np.uint64(rank) << _LANE_BITS | lane if rank != NO_RANK else _NO_PAIR


def _first_pairs(
    lanes: Lanes, ranks: RankTable, merges: Merges, one: int, place: int, text: Bytes, start: int, length: int
) -> Vector:
    """Which bytes surely merge with the next; where two parts may then be a token stands in `merges.maybe`.

    Two bytes do where no token that ends in the first of them and the byte before, or begins with the second
    and the byte behind, is of lower rank: then neither is taken before their turn comes. And no longer token
    that begins or ends with both may be, which could merge too soon. Two such pairs never share a byte. Some
    that do are not seen to, for orders are told in ten bits; they merge later.
    """
    first, second, third, fourth = (lanes.read(text, start, ahead) for ahead in range(4))
    two = second << 8 | first
    known = lanes.gather(ranks.order, two, lanes.numbers + 1 < length, NO_ORDERS)
    order, lowest_behind, lowest_before = order_of_two(known), order_from(known), order_up_to(known)
    merge = order < lanes.before(lowest_before, NO_ORDER)
    merge = merge & (order < lanes.behind(lowest_behind, NO_ORDER))
    lanes.write(merges.tokens, place, lanes.filled(NO_RANK))
    lanes.write(merges.pairs, place, lanes.filled(NO_RANK))
    # A part is a byte or two, so it and its neighbour are two, three or four.
    second_byte = lanes.choose(merge, lanes.filled(1), lanes.filled(0))
    of_next = lanes.behind(second_byte, 0)
    n_bytes = lanes.choose(merge, lanes.behind(of_next, 0) + 3, of_next + 2)
    is_pair = ~(lanes.numbers + n_bytes > length) & ~lanes.before(merge, 0)
    n_other_bits = lanes.filled(8 * MAX_SHORT) - (n_bytes << 3)
    hashed = short_hash_of((fourth << 24 | third << 16 | two) & (lanes.filled(SHORT_MASK) >> n_other_bits))
    word = lanes.gather(ranks.short_filter, short_filter_place(hashed), is_pair, 0)
    maybe = (word >> short_filter_shift(hashed)) & 1
    lanes.put(merges.maybe, one, lanes.bits(lanes.same(maybe, 1)))
    return lanes.bits(merge)


def _least_pairs(
    lanes: Lanes, ranks: RankTable, merges: Merges, one: int, place: int, text: Bytes, start: int, length: int
) -> Vector:
    """The same for half as many lanes as `_lowest_of` reads."""
    lanes.write(merges.pairs, place, lanes.filled(NO_RANK), _LEAST)
    return _first_pairs(lanes, ranks, merges, one, place, text, start, length)


def _lowest_pair(lanes: Lanes, pairs: Ids, place: int) -> Vector:
    return lanes.lowest(pairs, place)


_find_least_pairs = lanewise(_least_pairs, _LEAST, np.uint32)
_find_few_pairs = lanewise(_first_pairs, _FEW, np.uint32)
_find_more_pairs = lanewise(_first_pairs, _MORE, np.uint32)
_find_most_pairs = lanewise(_first_pairs, _MOST, np.uint32)
_lowest_of = lanewise(_lowest_pair, _FEW, np.uint32)
