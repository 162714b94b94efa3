"""Which pair is merged next: what decides between equal counts, and which pairs the heap holds."""

import numpy as np

from playground.training.kernel.compiled import inlined, inner
from playground.training.kernel.merge_state import C_ID, I_LENGTH, I_ORDER, N_HEAP, N_PAIRS, THRESHOLD, State
from playground.training.kernel.pair_heap import heap_push
from playground.training.kernel.pair_table import P_COUNT, P_KEY, P_START
from playground.training.kernel.tie_rules import FIRST_SEEN

# How a run of merges ends.
DONE, NO_PAIR, BELOW_MIN_COUNT, NEEDS_ROOM = 0, 1, 2, 3


@inlined
def tie_of(state: State, pair: int, ties: int) -> np.int64:
    """What decides between pairs of equal count: the lower is merged first."""
    if ties == FIRST_SEEN:
        return first_place(state, pair)
    key = state.pairs[pair, P_KEY]
    return np.int64((state.ids[key >> 32, I_ORDER] << 32) | state.ids[key & 0xFFFFFFFF, I_ORDER])


@inlined
def first_place(state: State, pair: int) -> np.int64:
    """The first place where a pair still stands; its list begins there from now on."""
    pairs, pool, cells = state.pairs, state.pool, state.cells
    left, right = pairs[pair, P_KEY] >> 32, pairs[pair, P_KEY] & 0xFFFFFFFF
    length = state.ids[left, I_LENGTH]
    first = pairs[pair, P_START]
    place = np.int64(pool[first])
    while cells[place, C_ID] != left or cells[place + length, C_ID] != right:
        first += 1
        place = np.int64(pool[first])
    pairs[pair, P_START] = first
    return place


@inner
def refill_heap(state: State, min_count: int, ties: int) -> None:
    """Lower the threshold to a quarter and take in the pairs that now reach it."""
    numbers, pairs = state.numbers, state.pairs
    threshold = max(numbers[THRESHOLD] // 4, min_count)
    size = numbers[N_HEAP]  # empty
    for pair in range(numbers[N_PAIRS]):
        count = pairs[pair, P_COUNT]
        if count >= threshold:
            heap_push(state.heap, size, count, tie_of(state, pair, ties), pair)
            size += 1
    numbers[THRESHOLD] = threshold
    numbers[N_HEAP] = size


@inner
def why_none_is_left(state: State) -> int:
    """Whether pairs are left that occur too seldom, or none at all."""
    for pair in range(state.numbers[N_PAIRS]):
        if state.pairs[pair, P_COUNT] > 0:
            return BELOW_MIN_COUNT
    return NO_PAIR
