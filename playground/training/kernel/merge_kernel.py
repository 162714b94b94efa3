"""The compiled training loop: find the most frequent pair, merge it everywhere, update the counts.

All distinct pretokens are in one row of cells, with separators between them. A token of n bytes takes n cells
and has its id in the first and the last, so its neighbours are found in one step. It is fast because:

- A pair (p, q) gets new places only when the younger of p and q is made. So the list of its places is
  written once, in ascending order, into one pool; afterwards its count only falls and its first place only
  rises. An entry of the heap that is out of date is therefore too good, never too bad, and it is enough to
  look again when it reaches the top.
- The heap holds only pairs that are counted at least `THRESHOLD` times. When it is empty, the threshold
  falls to a quarter and all pairs are examined once.
- While a pair is merged, changes are summed by neighbour, so the table of pairs is read once for each
  different neighbour and not once for each place.

Held-out text is in the last cells: it is merged and counted, but does not influence the choice of pairs.
"""

import numpy as np
import numpy.typing as npt

from playground.training.kernel.compiled import compiled, inlined, inner
from playground.training.kernel.intrinsics import borrowed
from playground.training.kernel.merge_state import (
    C_ID,
    C_WEIGHT,
    E_COUNT,
    E_HELD_OUT,
    E_LEFT,
    E_NEW,
    E_RIGHT,
    E_TOKENS,
    HELD_OUT_CELL,
    I_LEFT_PLACES,
    I_LEFT_WEIGHT,
    I_LENGTH,
    I_MADE_AT,
    I_ORDER,
    I_RIGHT_PLACES,
    I_RIGHT_WEIGHT,
    INSIDE,
    N_HEAP,
    N_HELD_OUT,
    N_IDS,
    N_MERGES,
    N_PAIRS,
    N_POOL,
    N_TOKENS,
    P_COUNT,
    P_KEY,
    P_START,
    P_STOP,
    ROOM,
    THRESHOLD,
    State,
    table_place,
)
from playground.training.kernel.pair_choice import (
    DONE,
    HEAP_COUNT,
    HEAP_PAIR,
    HEAP_TIE,
    NEEDS_ROOM,
    first_place,
    heap_drop_top,
    heap_push,
    heap_replace_top,
    refill_heap,
    tie_of,
    why_none_is_left,
)
from playground.training.merges import HUGGING_FACE

Ints = npt.NDArray[np.int32]


@compiled
def run_merges(state: State, n_merges: int, n_ids: int, min_count: int, ties: int) -> int:
    """Do up to `n_merges` more merges, until there are `n_ids` ids; returns DONE or why it stopped."""
    state = borrowed(state)
    numbers, heap, pairs = state.numbers, state.heap, state.pairs
    min_count = max(min_count, 1)
    done = 0
    while done < n_merges and numbers[N_IDS] < n_ids:
        if numbers[N_HEAP] == 0:
            if numbers[THRESHOLD] <= min_count:
                return why_none_is_left(state)
            refill_heap(state, min_count, ties)
            continue
        pair = heap[0, HEAP_PAIR]
        count = pairs[pair, P_COUNT]
        if count < numbers[THRESHOLD]:
            numbers[N_HEAP] = heap_drop_top(heap, numbers[N_HEAP])
            continue
        tie = tie_of(state, pair, ties)
        if count != heap[0, HEAP_COUNT] or tie != heap[0, HEAP_TIE]:
            heap_replace_top(heap, numbers[N_HEAP], count, tie, pair)
            continue
        if not _has_room(state, pair):
            return NEEDS_ROOM
        numbers[N_HEAP] = heap_drop_top(heap, numbers[N_HEAP])
        _merge_everywhere(state, pair, ties)
        done += 1
    return DONE


@inner
def _has_room(state: State, pair: int) -> bool:
    """Whether the arrays have room for merging this pair; else `numbers[ROOM]` has what is needed."""
    state = borrowed(state)
    numbers = state.numbers
    n_places = state.pairs[pair, P_STOP] - state.pairs[pair, P_START]
    n_pairs = numbers[N_PAIRS] + min(2 * n_places, 2 * numbers[N_IDS]) + 2
    n_new_places = 2 * n_places
    if len(state.spellings):  # `hugging-face` may copy the places that the pairs of one id already have
        n_new_places += len(state.cells)
    numbers[ROOM] = 0
    if numbers[N_POOL] + n_new_places > len(state.pool):
        numbers[ROOM] = n_new_places
    elif n_pairs > len(state.pairs) or n_pairs > len(state.heap) or 2 * n_pairs > len(state.table):
        numbers[ROOM] = numbers[N_PAIRS] - n_pairs
    return bool(numbers[ROOM] == 0)


@inner
def _merge_everywhere(state: State, pair: int, ties: int) -> None:
    """Replace a pair by a new id wherever it occurs, and update the counts of its neighbours."""
    state = borrowed(state)
    cells, pool, pairs, ids, numbers = state.cells, state.pool, state.pairs, state.ids, state.numbers
    touched = state.touched
    half = len(touched) // 2
    n_left_touched, n_right_touched = 0, 0
    key = pairs[pair, P_KEY]
    left_id, right_id = np.int32(key >> 32), np.int32(key & 0xFFFFFFFF)
    left_length = ids[left_id, I_LENGTH]
    new_length = left_length + ids[right_id, I_LENGTH]
    new_id, is_known = id_for(state, pair, left_id, right_id, ties)
    start, stop = pairs[pair, P_START], pairs[pair, P_STOP]
    made = start  # places that were merged overwrite the list from its start
    after_last = np.int64(-1)
    twin_weight, twin_places = 0, 0  # new ids that stand side by side
    n_tokens, n_held_out = numbers[N_TOKENS], numbers[N_HELD_OUT]
    held_out_cell = numbers[HELD_OUT_CELL]
    for k in range(start, stop):
        place = np.int64(pool[k])
        middle = place + left_length
        if cells[place, C_ID] != left_id or cells[middle, C_ID] != right_id:
            continue
        after = place + new_length
        weight = np.int64(cells[place, C_WEIGHT])
        if place >= held_out_cell:
            n_held_out -= weight  # event
            weight = 0
        before, behind = cells[place - 1, C_ID], cells[after, C_ID]
        if place == after_last:
            twin_weight += weight
            twin_places += 1
        elif before >= 0:
            if ids[before, I_LEFT_PLACES] == 0:
                touched[n_left_touched] = before
                n_left_touched += 1
            ids[before, I_LEFT_WEIGHT] += weight
            ids[before, I_LEFT_PLACES] += 1
        if behind >= 0:
            if ids[behind, I_RIGHT_PLACES] == 0:
                touched[half + n_right_touched] = behind
                n_right_touched += 1
            ids[behind, I_RIGHT_WEIGHT] += weight
            ids[behind, I_RIGHT_PLACES] += 1
        cells[middle, C_ID] = INSIDE
        cells[place, C_ID] = new_id
        cells[after - 1, C_ID] = new_id
        n_tokens -= weight  # event
        pool[made] = place
        made += 1
        after_last = after
    numbers[N_TOKENS], numbers[N_HELD_OUT] = n_tokens, n_held_out  # event
    event = numbers[N_MERGES]  # event
    state.events[event, E_LEFT] = left_id  # event
    state.events[event, E_RIGHT] = right_id  # event
    state.events[event, E_NEW] = new_id  # event
    state.events[event, E_COUNT] = pairs[pair, P_COUNT]  # event
    state.events[event, E_TOKENS] = n_tokens  # event
    state.events[event, E_HELD_OUT] = n_held_out  # event
    numbers[N_MERGES] += 1
    ids[new_id, I_MADE_AT] = pool[start]

    for t in range(n_left_touched):
        before = np.int64(touched[t])
        _subtract(state, (before << 32) | left_id, ids[before, I_LEFT_WEIGHT])
    for t in range(half, half + n_right_touched):
        behind = np.int64(touched[t])
        _subtract(state, (np.int64(right_id) << 32) | behind, ids[behind, I_RIGHT_WEIGHT])
    pairs[pair, P_COUNT] = 0
    # Of two merges side by side, the second turned the right neighbour of the first into the new id.
    if twin_places:
        ids[left_id, I_RIGHT_WEIGHT] -= twin_weight
        ids[left_id, I_RIGHT_PLACES] -= twin_places
        if ids[new_id, I_RIGHT_PLACES] == 0:
            touched[half + n_right_touched] = new_id
            n_right_touched += 1
        ids[new_id, I_RIGHT_WEIGHT] += twin_weight
        ids[new_id, I_RIGHT_PLACES] += twin_places

    for side in range(2):
        n_touched = n_right_touched if side else n_left_touched
        _list_new_pairs(state, new_id, side, n_touched, start, made, is_known, ties)


@inner
def _list_new_pairs(
    state: State, new_id: int, side: int, n_touched: int, start: int, made: int, is_known: bool, ties: int
) -> None:
    """Enter the pairs of a new id with its left (side 0) or right neighbours, and list their places."""
    state = borrowed(state)
    cells, pool, pairs, ids, numbers = state.cells, state.pool, state.pairs, state.ids, state.numbers
    table, touched = state.table, state.touched
    is_left = side == 0
    i_weight, i_places = (I_LEFT_WEIGHT, I_LEFT_PLACES) if is_left else (I_RIGHT_WEIGHT, I_RIGHT_PLACES)
    new_length = ids[new_id, I_LENGTH]
    first_touched = side * (len(touched) // 2)
    n_pairs, n_pool = numbers[N_PAIRS], numbers[N_POOL]
    for t in range(first_touched, first_touched + n_touched):
        neighbour = np.int64(touched[t])
        weight, n_places = ids[neighbour, i_weight], ids[neighbour, i_places]
        ids[neighbour, i_weight] = 0
        ids[neighbour, i_places] = -1  # not wanted: stands in held-out text only
        if n_places == 0 or (weight == 0 and ties != HUGGING_FACE):
            continue
        key = (neighbour << 32) | new_id if is_left else (np.int64(new_id) << 32) | neighbour
        row = table_place(table, pairs, key)
        kept_places = 0
        pair = n_pairs
        if is_known and table[row]:
            pair = np.int64(table[row]) - 1
            old_start, old_stop = pairs[pair, P_START], pairs[pair, P_STOP]
            kept_places = old_stop - old_start
            for k in range(kept_places):
                pool[n_pool + k] = pool[old_start + k]
            pairs[pair, P_COUNT] += weight
        else:
            table[row] = pair + 1
            pairs[pair, P_KEY] = key
            pairs[pair, P_COUNT] = weight
            n_pairs += 1
        pairs[pair, P_START] = n_pool
        pairs[pair, P_STOP] = n_pool + kept_places + n_places
        ids[neighbour, i_places] = n_pool + kept_places
        n_pool += kept_places + n_places
        ids[neighbour, i_weight] = pair
    after_last = np.int64(-1)
    for k in range(start, made):
        place = np.int64(pool[k])
        if is_left:
            neighbour = np.int64(cells[place - 1, C_ID])
            is_twin = place == after_last  # listed from the left one's side
            after_last = place + new_length
            if is_twin or neighbour < 0:
                continue
            place -= ids[neighbour, I_LENGTH]
        else:
            neighbour = np.int64(cells[place + new_length, C_ID])
        if neighbour >= 0 and ids[neighbour, i_places] >= 0:
            pool[ids[neighbour, i_places]] = place
            ids[neighbour, i_places] += 1
    size = numbers[N_HEAP]
    for t in range(first_touched, first_touched + n_touched):
        neighbour = np.int64(touched[t])
        is_listed = ids[neighbour, i_places] >= 0
        pair = ids[neighbour, i_weight]
        ids[neighbour, i_weight] = 0
        ids[neighbour, i_places] = 0
        if not is_listed:
            continue
        if is_known:
            _sort_places(pool, pairs[pair, P_START], pairs[pair, P_STOP])
        if pairs[pair, P_COUNT] >= numbers[THRESHOLD]:
            heap_push(state.heap, size, pairs[pair, P_COUNT], tie_of(state, pair, ties), pair)
            size += 1
    numbers[N_PAIRS], numbers[N_POOL], numbers[N_HEAP] = n_pairs, n_pool, size


@inner
def _sort_places(pool: Ints, start: int, stop: int) -> None:
    """Sort places by insertion; they are two ascending runs, and only if two tokens spell the same."""
    pool = borrowed(pool)
    for k in range(start + 1, stop):
        place = pool[k]
        while k > start and pool[k - 1] > place:
            pool[k] = pool[k - 1]
            k -= 1
        pool[k] = place


@inlined
def _subtract(state: State, key: int, weight: int) -> None:
    """Lower the count of a pair; a pair of held-out text alone is not in the table."""
    if weight:
        pair = state.table[table_place(state.table, state.pairs, key)]
        if pair:
            state.pairs[pair - 1, P_COUNT] -= weight


@inlined
def id_for(state: State, pair: int, left_id: int, right_id: int, ties: int) -> tuple[np.int32, bool]:
    """Return a new id, or under the hugging-face rule the id that already spells the same bytes."""
    numbers, ids = state.numbers, state.ids
    new_id = np.int32(numbers[N_IDS])
    length = ids[left_id, I_LENGTH] + ids[right_id, I_LENGTH]
    if ties == HUGGING_FACE:
        raw, spellings = state.raw, state.spellings
        place = first_place(state, pair)
        spelled = np.uint64(14695981039346656037)
        for i in range(place, place + length):
            spelled = (spelled ^ np.uint64(raw[i])) * np.uint64(1099511628211)
        mask = len(spellings) - 1
        row = np.int64(spelled ^ (spelled >> np.uint64(32))) & mask
        while spellings[row]:
            known = spellings[row] - 1
            if ids[known, I_LENGTH] == length:
                same = 0
                while same < length and raw[ids[known, I_MADE_AT] + same] == raw[place + same]:
                    same += 1
                if same == length:
                    return np.int32(known), True
            row = (row + 1) & mask
        spellings[row] = new_id + 1
    ids[new_id, I_LENGTH] = length
    ids[new_id, I_ORDER] = new_id
    numbers[N_IDS] += 1
    return new_id, False
