"""A binary heap of pairs, the one to merge next on top: compiled, in one array.

A row holds count, tie and pair number. The higher count is first; of equal counts, the lower tie.
"""

import numpy as np
import numpy.typing as npt

from playground.training.kernel.compiled import inlined

HEAP_COUNT, HEAP_TIE, HEAP_PAIR = 0, 1, 2

Heap = npt.NDArray[np.int64]


@inlined
def heap_push(heap: Heap, size: int, count: int, tie: np.int64, pair: int) -> None:
    """Add a row to the first `size`."""
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
    """Put a row in the place of the top of the first `size`, and sift it down."""
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
