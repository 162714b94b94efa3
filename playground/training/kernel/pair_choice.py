"""Choosing the next pair: a heap of the most frequent pairs, and the rules for equal counts.

A row of the heap holds count, tie and pair number. The higher count is first; of equal counts, the lower tie.
"""

import numpy as np
import numpy.typing as npt

from playground.training.kernel.compiled import inlined, inner
from playground.training.kernel.intrinsics import borrowed
from playground.training.kernel.merge_state import (
    C_ID,
    I_LENGTH,
    I_ORDER,
    N_HEAP,
    N_PAIRS,
    P_COUNT,
    P_KEY,
    P_START,
    THRESHOLD,
    State,
)
from playground.training.merges import FIRST_SEEN

HEAP_COUNT, HEAP_TIE, HEAP_PAIR = 0, 1, 2

Heap = npt.NDArray[np.int64]


@inlined
def heap_push(heap: Heap, size: int, count: int, tie: np.int64, pair: int) -> None:
    """Add a row to the first `size` rows."""
    place = size
    while place > 0:
        parent = (place - 1) >> 1
        parent_count = heap[parent, HEAP_COUNT]
        if parent_count > count or (parent_count == count and heap[parent, HEAP_TIE] <= tie):
            break
        heap[place, HEAP_COUNT] = parent_count
        heap[place, HEAP_TIE] = heap[parent, HEAP_TIE]
        heap[place, HEAP_PAIR] = heap[parent, HEAP_PAIR]
        place = parent
    heap[place, HEAP_COUNT] = count
    heap[place, HEAP_TIE] = tie
    heap[place, HEAP_PAIR] = pair


@inlined
def heap_replace_top(heap: Heap, size: int, count: int, tie: np.int64, pair: int) -> None:
    """Replace the top of the first `size` rows, and sift the new row down."""
    place = 0
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        if child + 1 < size and (
            heap[child + 1, HEAP_COUNT] > heap[child, HEAP_COUNT]
            or (
                heap[child + 1, HEAP_COUNT] == heap[child, HEAP_COUNT]
                and heap[child + 1, HEAP_TIE] < heap[child, HEAP_TIE]
            )
        ):
            child += 1
        child_count = heap[child, HEAP_COUNT]
        if count > child_count or (count == child_count and tie <= heap[child, HEAP_TIE]):
            break
        heap[place, HEAP_COUNT] = child_count
        heap[place, HEAP_TIE] = heap[child, HEAP_TIE]
        heap[place, HEAP_PAIR] = heap[child, HEAP_PAIR]
        place = child
    heap[place, HEAP_COUNT] = count
    heap[place, HEAP_TIE] = tie
    heap[place, HEAP_PAIR] = pair


@inlined
def heap_drop_top(heap: Heap, size: int) -> int:
    """Remove the top of the first `size`; returns the new size."""
    last = size - 1
    if last > 0:
        heap_replace_top(heap, last, heap[last, HEAP_COUNT], heap[last, HEAP_TIE], heap[last, HEAP_PAIR])
    return last


# How a run of merges ends.
DONE, NO_PAIR, BELOW_MIN_COUNT, NEEDS_ROOM = 0, 1, 2, 3


@inlined
def tie_of(state: State, pair: int, ties: int) -> np.int64:
    """Return the tie value of a pair: of equal counts, the pair with the lower value is merged first."""
    if ties == FIRST_SEEN:
        return first_place(state, pair)
    key = state.pairs[pair, P_KEY]
    return np.int64((state.ids[key >> 32, I_ORDER] << 32) | state.ids[key & 0xFFFFFFFF, I_ORDER])


@inlined
def first_place(state: State, pair: int) -> np.int64:
    """Return the first place where a pair still occurs; its list of places begins there from now on."""
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
    """Lower the threshold to a quarter, and add the pairs that now reach it."""
    state = borrowed(state)
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
    """Return BELOW_MIN_COUNT if pairs are left that occur too seldom, else NO_PAIR."""
    state = borrowed(state)
    for pair in range(state.numbers[N_PAIRS]):
        if state.pairs[pair, P_COUNT] > 0:
            return BELOW_MIN_COUNT
    return NO_PAIR
