"""The compiled heart of the trainer: find the most frequent pair, merge it everywhere, count anew.

All distinct chunks stand in one row of cells, a separator between them. A token of n bytes takes n cells
and has its id in the first and the last, so its neighbours are found in one step. What makes it fast:

- A pair (p, q) can only come to stand in new places when the younger of p and q is made. So the list of
  its places is written once, in ascending order, into one pool; afterwards its count only falls and its
  first place only rises. An entry of the heap that is out of date is therefore too good, never too bad,
  and it is enough to look again when it reaches the top.
- The heap holds only pairs that are counted at least `THRESHOLD` times. When it is empty, the threshold
  falls to a quarter and all pairs are looked through once.
- While a pair is merged, changes are summed by neighbour, so the table of pairs is asked once for each
  different neighbour and not once for each place.

Held-out text rides along in cells of training weight zero behind all others: it is counted, never chosen.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from playground.bpe.compiled import compiled, inlined
from playground.bpe.pair_heap import (
    HEAP_COUNT,
    HEAP_PAIR,
    HEAP_TIE,
    heap_drop_top,
    heap_push,
    heap_replace_top,
)
from playground.bpe.tie_rules import FIRST_SEEN, HUGGING_FACE

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]

SEPARATOR, INSIDE = -1, -2  # cells that hold no id

# How `run_merges` ends.
DONE, NO_PAIR, BELOW_MIN_COUNT, NEEDS_ROOM = 0, 1, 2, 3

# Places in `State.numbers`.
N_TOKENS, N_HELD_OUT, N_IDS, N_MERGES, N_PAIRS, N_POOL, N_HEAP, THRESHOLD, ROOM = range(9)

# Columns of `State.pairs` and `State.events`.
P_KEY, P_COUNT, P_START, P_STOP = 0, 1, 2, 3
E_LEFT, E_RIGHT, E_NEW, E_COUNT, E_TOKENS, E_HELD_OUT = 0, 1, 2, 3, 4, 5


class State(NamedTuple):
    """Everything a run knows, in arrays; those that can run full are replaced by larger copies."""

    cells: Ints
    weights: Ints  # shape (n_cells, 2): how often the cell's chunk occurs in training and held-out text
    raw: npt.NDArray[np.uint8]  # the bytes in the cells, for `hugging-face`; else empty
    pool: Ints  # the places of each pair
    pairs: Longs  # shape (n, 4): key, count, and where in the pool its places start and stop
    table: Longs  # shape (a power of two, 2): key and pair number + 1
    heap: Longs  # shape (n, 3)
    lengths: Ints  # bytes of each id
    order: Longs  # what `lowest-pair` and `hugging-face` compare instead of the id
    made_at: Longs  # a place where each id stood when it was made
    spellings: Longs  # a table of ids by what they spell, for `hugging-face`; else empty
    left_weight: Longs  # scratch, by neighbour id
    left_places: Longs
    right_weight: Longs
    right_places: Longs
    touched: Ints  # scratch: left neighbours from the front, right ones in the second half
    events: Longs  # shape (n_merges, 6)
    numbers: Longs


@compiled
def run_merges(state: State, n_merges: int, n_ids: int, min_count: int, ties: int) -> int:
    """Do up to `n_merges` more merges, until there are `n_ids` ids; returns how it ended."""
    numbers, heap, pairs, pool, cells = state.numbers, state.heap, state.pairs, state.pool, state.cells
    lengths, order = state.lengths, state.order
    min_count = max(min_count, 1)
    done = 0
    while done < n_merges and numbers[N_IDS] < n_ids:
        if numbers[N_HEAP] == 0:
            if numbers[THRESHOLD] <= min_count:
                return _why_none_is_left(state)
            _refill_heap(state, min_count, ties)
            continue
        pair = heap[0, HEAP_PAIR]
        count = pairs[pair, P_COUNT]
        if count < numbers[THRESHOLD]:
            numbers[N_HEAP] = heap_drop_top(heap, numbers[N_HEAP])
            continue
        tie = _tie(pairs, pool, cells, lengths, order, pair, ties)
        if count != heap[0, HEAP_COUNT] or tie != heap[0, HEAP_TIE]:
            heap_replace_top(heap, numbers[N_HEAP], count, tie, pair)
            continue
        if not _has_room(state, pair):
            return NEEDS_ROOM
        numbers[N_HEAP] = heap_drop_top(heap, numbers[N_HEAP])
        _merge_everywhere(state, pair, ties)
        done += 1
    return DONE


@inlined
def _tie(pairs: Longs, pool: Ints, cells: Ints, lengths: Ints, order: Longs, pair: int, ties: int) -> int:
    """What decides between pairs of equal count: the lower is merged first."""
    key = pairs[pair, P_KEY]
    left, right = key >> 32, key & 0xFFFFFFFF
    if ties != FIRST_SEEN:
        return (order[left] << 32) | order[right]
    first = pairs[pair, P_START]
    place = np.int64(pool[first])
    length = lengths[left]
    while cells[place] != left or cells[place + length] != right:
        first += 1
        place = np.int64(pool[first])
    pairs[pair, P_START] = first
    return place


@compiled
def _refill_heap(state: State, min_count: int, ties: int) -> None:
    """Lower the threshold to a quarter and take in the pairs that now reach it."""
    numbers, pairs, heap = state.numbers, state.pairs, state.heap
    pool, cells, lengths, order = state.pool, state.cells, state.lengths, state.order
    threshold = max(numbers[THRESHOLD] // 4, min_count)
    size = 0
    for pair in range(numbers[N_PAIRS]):
        count = pairs[pair, P_COUNT]
        if count >= threshold:
            heap_push(heap, size, count, _tie(pairs, pool, cells, lengths, order, pair, ties), pair)
            size += 1
    numbers[THRESHOLD] = threshold
    numbers[N_HEAP] = size


@compiled
def _why_none_is_left(state: State) -> int:
    for pair in range(state.numbers[N_PAIRS]):
        if state.pairs[pair, P_COUNT] > 0:
            return BELOW_MIN_COUNT
    return NO_PAIR


@compiled
def _has_room(state: State, pair: int) -> bool:
    """Whether the arrays can take what merging this pair may add; asks for room where they cannot."""
    numbers = state.numbers
    n_places = state.pairs[pair, P_STOP] - state.pairs[pair, P_START]
    n_new_pairs = min(2 * n_places, 2 * numbers[N_IDS]) + 2
    numbers[ROOM] = 0
    n_new_places = 2 * n_places
    if len(state.spellings):  # `hugging-face` may copy the places that the pairs of one id already have
        n_new_places += len(state.cells)
    if numbers[N_POOL] + n_new_places > len(state.pool):
        numbers[ROOM] = n_new_places
    elif (
        numbers[N_PAIRS] + n_new_pairs > len(state.pairs)
        or numbers[N_HEAP] + n_new_pairs > len(state.heap)
        or 2 * (numbers[N_PAIRS] + n_new_pairs) > len(state.table)
    ):
        numbers[ROOM] = -n_new_pairs
    return bool(numbers[ROOM] == 0)


@compiled
def _merge_everywhere(state: State, pair: int, ties: int) -> None:
    """Replace a pair by a new id wherever it stands, and count the pairs that come and go."""
    cells, weights, pool, pairs = state.cells, state.weights, state.pool, state.pairs
    numbers, lengths = state.numbers, state.lengths
    left_weight, left_places, right_weight, right_places = (
        state.left_weight, state.left_places, state.right_weight, state.right_places
    )  # fmt: skip
    touched = state.touched
    half = len(touched) // 2
    n_left_touched, n_right_touched = 0, 0
    key = pairs[pair, P_KEY]
    left_id, right_id = np.int32(key >> 32), np.int32(key & 0xFFFFFFFF)
    left_length, right_length = np.int64(lengths[left_id]), np.int64(lengths[right_id])
    new_length = left_length + right_length
    new_id, is_known = _id_for(state, pair, left_id, left_length, new_length, right_id, ties)
    start, stop = pairs[pair, P_START], pairs[pair, P_STOP]
    made = start  # places that were merged overwrite the list from its start
    after_last = np.int64(-1)
    twin_weight, twin_places = 0, 0  # new ids that stand side by side
    n_tokens, n_held_out = numbers[N_TOKENS], numbers[N_HELD_OUT]
    for k in range(start, stop):
        place = np.int64(pool[k])
        middle = place + left_length
        if cells[place] != left_id or cells[middle] != right_id:
            continue
        after = place + new_length
        weight = np.int64(weights[place, 0])
        before, behind = cells[place - 1], cells[after]
        if place == after_last:
            twin_weight += weight
            twin_places += 1
        elif before >= 0:
            if left_places[before] == 0:
                touched[n_left_touched] = before
                n_left_touched += 1
            left_weight[before] += weight
            left_places[before] += 1
        if behind >= 0:
            if right_places[behind] == 0:
                touched[half + n_right_touched] = behind
                n_right_touched += 1
            right_weight[behind] += weight
            right_places[behind] += 1
        cells[middle] = INSIDE
        cells[place] = new_id
        cells[after - 1] = new_id
        n_tokens -= weight  # event
        n_held_out -= weights[place, 1]  # event
        pool[made] = place
        made += 1
        after_last = after
    numbers[N_TOKENS], numbers[N_HELD_OUT] = n_tokens, n_held_out  # event
    event = state.events[numbers[N_MERGES]]  # event
    event[E_LEFT], event[E_RIGHT], event[E_NEW] = left_id, right_id, new_id  # event
    event[E_COUNT], event[E_TOKENS], event[E_HELD_OUT] = pairs[pair, P_COUNT], n_tokens, n_held_out  # event
    numbers[N_MERGES] += 1
    state.made_at[new_id] = pool[start]

    table = state.table
    for t in range(n_left_touched):
        before = np.int64(touched[t])
        _subtract(table, pairs, (before << 32) | left_id, left_weight[before])
    for t in range(n_right_touched):
        behind = np.int64(touched[half + t])
        _subtract(table, pairs, (np.int64(right_id) << 32) | behind, right_weight[behind])
    pairs[pair, P_COUNT] = 0
    # Of two merges side by side, the second turned the right neighbour of the first into the new id.
    if twin_places:
        right_weight[left_id] -= twin_weight
        right_places[left_id] -= twin_places
        if right_places[new_id] == 0:
            touched[half + n_right_touched] = new_id
            n_right_touched += 1
        right_weight[new_id] += twin_weight
        right_places[new_id] += twin_places

    _list_new_pairs(state, new_id, n_left_touched, start, made, True, is_known, ties)
    _list_new_pairs(state, new_id, n_right_touched, start, made, False, is_known, ties)


@inlined
def _list_new_pairs(
    state: State, new_id: int, n_touched: int, start: int, made: int, is_left: bool, is_known: bool, ties: int
) -> None:
    """Enter the pairs of a new id with its left, or its right, neighbours, and write down their places."""
    cells, pool, pairs, numbers, lengths = state.cells, state.pool, state.pairs, state.numbers, state.lengths
    table, heap, order, touched = state.table, state.heap, state.order, state.touched
    weight_of, places_of = state.right_weight, state.right_places
    first_touched = len(touched) // 2
    if is_left:
        weight_of, places_of = state.left_weight, state.left_places
        first_touched = 0
    n_pairs, n_pool = numbers[N_PAIRS], numbers[N_POOL]
    for t in range(first_touched, first_touched + n_touched):
        neighbour = np.int64(touched[t])
        weight, n_places = weight_of[neighbour], places_of[neighbour]
        weight_of[neighbour] = 0
        places_of[neighbour] = -1  # not wanted: stands in held-out text only
        if n_places == 0 or (weight == 0 and ties != HUGGING_FACE):
            continue
        key = (neighbour << 32) | new_id if is_left else (np.int64(new_id) << 32) | neighbour
        row = _table_row(table, key)
        kept_places = 0
        pair = n_pairs
        if is_known and table[row, 1]:
            pair = table[row, 1] - 1
            old_start, old_stop = pairs[pair, P_START], pairs[pair, P_STOP]
            kept_places = old_stop - old_start
            for k in range(kept_places):
                pool[n_pool + k] = pool[old_start + k]
            pairs[pair, P_COUNT] += weight
        else:
            table[row, 0] = key
            table[row, 1] = pair + 1
            pairs[pair, P_KEY] = key
            pairs[pair, P_COUNT] = weight
            n_pairs += 1
        pairs[pair, P_START] = n_pool
        pairs[pair, P_STOP] = n_pool + kept_places + n_places
        places_of[neighbour] = n_pool + kept_places
        n_pool += kept_places + n_places
        weight_of[neighbour] = pair
    after_last = np.int64(-1)
    for k in range(start, made):
        place = np.int64(pool[k])
        if is_left:
            neighbour = np.int64(cells[place - 1])
            is_twin = place == after_last  # listed from the left one's side
            after_last = place + lengths[new_id]
            if is_twin or neighbour < 0 or places_of[neighbour] < 0:
                continue
            pool[places_of[neighbour]] = place - lengths[neighbour]
        else:
            neighbour = np.int64(cells[place + lengths[new_id]])
            if neighbour < 0 or places_of[neighbour] < 0:
                continue
            pool[places_of[neighbour]] = place
        places_of[neighbour] += 1
    size = numbers[N_HEAP]
    for t in range(first_touched, first_touched + n_touched):
        neighbour = np.int64(touched[t])
        is_listed = places_of[neighbour] >= 0
        pair = weight_of[neighbour]
        weight_of[neighbour] = 0
        places_of[neighbour] = 0
        if not is_listed:
            continue
        if is_known:
            _sort_places(pool, pairs[pair, P_START], pairs[pair, P_STOP])
        if pairs[pair, P_COUNT] >= numbers[THRESHOLD]:
            tie = _tie(pairs, pool, cells, lengths, order, pair, ties)
            heap_push(heap, size, pairs[pair, P_COUNT], tie, pair)
            size += 1
    numbers[N_PAIRS], numbers[N_POOL], numbers[N_HEAP] = n_pairs, n_pool, size


@compiled
def _sort_places(pool: Ints, start: int, stop: int) -> None:
    """Sort by insertion: two ascending runs, and only where two tokens spell the same, which is rare."""
    for k in range(start + 1, stop):
        place = pool[k]
        while k > start and pool[k - 1] > place:
            pool[k] = pool[k - 1]
            k -= 1
        pool[k] = place


@inlined
def _id_for(
    state: State, pair: int, left_id: int, left_length: int, new_length: int, right_id: int, ties: int
) -> tuple[int, bool]:
    """A new id; or, as `tokenizers` does, the one that already spells the same bytes."""
    numbers = state.numbers
    new_id = np.int32(numbers[N_IDS])
    if ties == HUGGING_FACE:
        cells, pool, raw, spellings = state.cells, state.pool, state.raw, state.spellings
        first = state.pairs[pair, P_START]
        place = np.int64(pool[first])
        while cells[place] != left_id or cells[place + left_length] != right_id:
            first += 1
            place = np.int64(pool[first])
        spelled = np.uint64(14695981039346656037)
        for i in range(place, place + new_length):
            spelled = (spelled ^ np.uint64(raw[i])) * np.uint64(1099511628211)
        mask = len(spellings) - 1
        row = np.int64(spelled ^ (spelled >> np.uint64(32))) & mask
        while spellings[row]:
            known = spellings[row] - 1
            if state.lengths[known] == new_length:
                same = 0
                while same < new_length and raw[state.made_at[known] + same] == raw[place + same]:
                    same += 1
                if same == new_length:
                    return np.int32(known), True
            row = (row + 1) & mask
        spellings[row] = np.int64(new_id) + 1
    state.lengths[new_id] = new_length
    state.order[new_id] = new_id
    numbers[N_IDS] += 1
    return new_id, False


@inlined
def _subtract(table: Longs, pairs: Longs, key: int, weight: int) -> None:
    """Lower a pair's count; one that stands in held-out text only is not in the table."""
    if weight:
        row = _table_row(table, key)
        if table[row, 1]:
            pairs[table[row, 1] - 1, P_COUNT] -= weight


@inlined
def _table_row(table: Longs, key: int) -> int:
    """The row of a key, or the free one where it belongs."""
    mask = np.uint64(len(table) - 1)
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    row = (mixed ^ (mixed >> np.uint64(32))) & mask
    while table[row, 1] and table[row, 0] != key:
        row = (row + np.uint64(1)) & mask
    return row


@compiled
def fill_table(table: Longs, pairs: Longs, n_pairs: int) -> None:
    """Enter every pair in an empty table."""
    for pair in range(n_pairs):
        row = _table_row(table, pairs[pair, P_KEY])
        table[row, 0] = pairs[pair, P_KEY]
        table[row, 1] = pair + 1


@compiled
def lay_cells(
    chunk_bytes: npt.NDArray[np.uint8], starts: Longs, chunk_weights: Longs, cells: Ints, weights: Ints
) -> None:
    """Lay chunks of two bytes and more out in cells, each followed by a separator; cell 0 is one too."""
    cells[0] = SEPARATOR
    cell = 1
    for chunk in range(len(starts) - 1):
        if starts[chunk + 1] - starts[chunk] == 1:
            continue
        for i in range(starts[chunk], starts[chunk + 1]):
            cells[cell] = chunk_bytes[i]
            weights[cell, 0] = chunk_weights[chunk, 0]
            weights[cell, 1] = chunk_weights[chunk, 1]
            cell += 1
        cells[cell] = SEPARATOR
        cell += 1


@compiled
def list_byte_pairs(
    cells: Ints, weights: Ints, pool: Ints, pairs: Longs, n_places: Longs, counts: Longs
) -> int:
    """Count the pairs of bytes and write down their places; returns how many there are.

    The last two arrays are scratch: 65,536 zeros each.
    """
    for place in range(1, len(cells) - 1):
        if cells[place] >= 0 and cells[place + 1] >= 0:
            code = (cells[place] << 8) | cells[place + 1]
            n_places[code] += 1
            counts[code] += weights[place, 0]
    n_pairs, n_pool = 0, 0
    for code in range(65536):
        if n_places[code]:
            pairs[n_pairs, P_KEY] = (np.int64(code >> 8) << 32) | (code & 255)
            pairs[n_pairs, P_COUNT] = counts[code]
            pairs[n_pairs, P_START] = n_pool
            pairs[n_pairs, P_STOP] = n_pool + n_places[code]
            n_pairs += 1
            n_pool, n_places[code] = n_pool + n_places[code], n_pool
    for place in range(1, len(cells) - 1):
        if cells[place] >= 0 and cells[place + 1] >= 0:
            code = (cells[place] << 8) | cells[place + 1]
            pool[n_places[code]] = place
            n_places[code] += 1
    return n_pairs
