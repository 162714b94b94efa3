"""Kernels of merges over symbols of any alphabet, chosen by count or by likelihood ratio.

WordPiece merges characters, SuperBPE the tokens of lines. Symbols of all words lie in one array. A pair keeps
a linked list of places where it stood; places that merged since are skipped. `learn` makes merges until it
has made enough or no pair is frequent enough.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from playground.training.kernel.compiled import ZERO, compiled, inlined, inner

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Hashes = npt.NDArray[np.uint64]

# Places in `MergeState.numbers`.
N_PAIRS, N_PLACES, N_HEAP, N_TOKENS, N_HELD_OUT, N_IDS, MAX_WORDS = range(7)
# Columns of events; the last two are the counts of the two parts before the merge.
E_LEFT, E_RIGHT, E_NEW, E_COUNT, E_TOKENS, E_HELD_OUT, E_IDS, E_N_LEFT, E_N_RIGHT = range(9)
_BASE = np.uint64(0x9E3779B97F4A7C15)


class MergeState(NamedTuple):
    """All arrays; their sizes are enough for every merge that the text can have.

    `keys` of pairs are `left << 32 | right`; `table` finds them. `heap` orders (count, pair) with the most
    frequent pair first and, of equal ones, the lowest key. `spelled` has for each id the hash of its
    characters, a power of the hash's base by their number, and whether it continues a word. `words` has for
    each id 4 times its number of words, plus 2 if its first and 1 if its last character is not a space; a
    pair that would have more than `MAX_WORDS` is never merged (0: no limit).
    """

    symbols: Ints
    next: Ints
    previous: Ints
    weights: Longs
    held_out: Longs
    keys: Longs
    pair_counts: Longs
    heads: Ints
    tails: Ints
    table: Ints
    places: Ints
    following: Ints
    heap: Longs
    symbol_counts: Longs
    spelled: Hashes
    words: Ints
    numbers: Longs


def new_state(
    symbols: Ints,
    starts: Longs,
    weights: Longs,
    held_out: Longs,
    characters: Longs,
    n_wanted: int,
    *,
    raws: Sequence[bytes] = (),
    max_words: int = 0,
) -> MergeState:
    """Return the state before the first merge; `weights` and `held_out` count each word.

    `characters` has a row for each first id: its code point, and 1 if it continues a word. `raws` are the
    bytes of these ids, which a limit of `max_words` needs.
    """
    spelled = np.zeros((n_wanted + 1, 3), np.uint64)
    spelled[: len(characters), 0] = characters[:, 0] + 1
    spelled[: len(characters), 1] = _BASE
    spelled[: len(characters), 2] = characters[:, 1]
    n = len(symbols)
    places = np.arange(n, dtype=np.int32)
    following, previous = places + 1, places - 1
    full = starts[1:] > starts[:-1]
    following[starts[1:][full] - 1] = -1
    previous[starts[:-1][full]] = -1
    sizes = np.diff(starts)
    room = 3 * n + 16
    state = MergeState(
        symbols.astype(np.int32), following, previous,
        np.repeat(weights, sizes), np.repeat(held_out, sizes),
        np.zeros(room, np.int64), np.zeros(room, np.int64),
        np.zeros(room, np.int32), np.zeros(room, np.int32),
        np.zeros(1 << (2 * room).bit_length(), np.int32),
        np.zeros(room, np.int32), np.zeros(room, np.int32),
        np.zeros((2 * room, 2), np.int64), np.zeros(n_wanted + 1, np.int64),
        spelled, np.zeros(n_wanted + 1, np.int32), np.zeros(7, np.int64),
    )  # fmt: skip
    state.words[: len(raws)] = [words_of(raw) for raw in raws]
    state.numbers[N_IDS], state.numbers[MAX_WORDS] = len(characters), max_words
    list_pairs(state)
    return state


def words_of(raw: bytes) -> int:
    """Return the entry of `words` for a token.

    >>> words_of(b" a b "), words_of(b"a")
    (8, 7)
    """
    return (
        4 * len(raw.split(b" ")) - 4 * raw.split(b" ").count(b"") + 2 * (raw[:1] != b" ") + (raw[-1:] != b" ")
    )


@inlined
def joined_words(one: int, other: int) -> int:
    """Return the entry of `words` for two tokens joined."""
    n_words = (one >> 2) + (other >> 2) - (one & (other >> 1) & 1)
    return 4 * n_words + (one & 2) + (other & 1)


@inlined
def _pair_of(state: MergeState, left: int, right: int) -> int:
    """Return the number of a pair, which is entered if it is new."""
    key = np.int64(left) << np.int64(32) | np.int64(right)
    mask = np.uint64(len(state.table) - 1)
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    at = (mixed ^ (mixed >> np.uint64(32))) & mask
    while state.table[at] and state.keys[state.table[at] - 1] != key:
        at = (at + np.uint64(1)) & mask
    if not state.table[at]:
        pair = state.numbers[N_PAIRS]
        state.keys[pair] = key
        state.heads[pair] = state.tails[pair] = -1
        state.numbers[N_PAIRS] += 1
        state.table[at] = pair + 1
    return np.int64(state.table[at] - 1)


@inlined
def _add_place(state: MergeState, pair: int, place: int) -> None:
    new = state.numbers[N_PLACES]
    state.numbers[N_PLACES] += 1
    state.places[new] = place
    state.following[new] = -1
    if state.heads[pair] < 0:
        state.heads[pair] = new
    else:
        state.following[state.tails[pair]] = new
    state.tails[pair] = new


@inlined
def _is_before(state: MergeState, one: int, other: int) -> bool:
    heap = state.heap
    if heap[one, 0] != heap[other, 0]:
        return bool(heap[one, 0] > heap[other, 0])
    return bool(state.keys[heap[one, 1]] < state.keys[heap[other, 1]])


@inlined
def _swap(heap: Longs, one: int, other: int) -> None:
    for column in range(2):
        heap[one, column], heap[other, column] = heap[other, column], heap[one, column]


@inlined
def _push(state: MergeState, pair: int) -> None:
    if state.numbers[MAX_WORDS]:
        left, right = state.keys[pair] >> np.int64(32), state.keys[pair] & np.int64(0xFFFFFFFF)
        if joined_words(state.words[left], state.words[right]) >> 2 > state.numbers[MAX_WORDS]:
            return
    at = state.numbers[N_HEAP]
    state.heap[at, 0], state.heap[at, 1] = state.pair_counts[pair], pair
    state.numbers[N_HEAP] += 1
    while at and _is_before(state, at, (at - 1) // 2):
        _swap(state.heap, at, (at - 1) // 2)
        at = (at - 1) // 2


@inlined
def _sink(state: MergeState) -> None:
    """Restore the order after the top of the heap changed."""
    n, at = state.numbers[N_HEAP], ZERO
    while True:
        best = at
        for child in range(2 * at + 1, min(2 * at + 3, n)):
            if _is_before(state, child, best):
                best = child
        if best == at:
            return
        _swap(state.heap, at, best)
        at = best


@compiled
def list_pairs(state: MergeState) -> None:
    """Enter the pairs of the text, and count its symbols."""
    for place in range(len(state.symbols)):
        weight = state.weights[place]
        state.symbol_counts[state.symbols[place]] += weight
        state.numbers[N_TOKENS] += weight
        state.numbers[N_HELD_OUT] += state.held_out[place]
        if state.next[place] >= 0:
            pair = _pair_of(state, state.symbols[place], state.symbols[place + 1])
            state.pair_counts[pair] += weight
            _add_place(state, pair, place)
    for pair in range(state.numbers[N_PAIRS]):
        if state.pair_counts[pair]:
            _push(state, pair)


@inner
def most_frequent(state: MergeState, min_count: int) -> int:
    """Return the most frequent pair, the lowest ids first; -1 if none is frequent enough."""
    while state.numbers[N_HEAP]:
        pair = state.heap[0, 1]
        if state.heap[0, 0] == state.pair_counts[pair]:
            return np.int64(pair) if state.heap[0, 0] >= min_count else np.int64(-1)
        state.heap[0, 0] = state.pair_counts[pair]
        if state.heap[0, 0] < 1:  # it is pushed again if it returns
            last = state.numbers[N_HEAP] - 1
            _swap(state.heap, 0, last)
            state.numbers[N_HEAP] = last
        _sink(state)
    return np.int64(-1)


@inner
def most_likely(state: MergeState, min_count: int) -> int:
    """Return the pair with the best count(ab) / (count(a) · count(b)); -1 if none is frequent enough.

    Of equal pairs the more frequent one wins, then the one that was entered first.
    """
    best, best_count, best_score = np.int64(-1), ZERO, 0.0
    for pair in range(state.numbers[N_PAIRS]):
        count = state.pair_counts[pair]
        if count < min_count:
            continue
        key = state.keys[pair]
        left = state.symbol_counts[key >> np.int64(32)]
        right = state.symbol_counts[key & np.int64(0xFFFFFFFF)]
        score = count / (float(left) * float(right))
        if score > best_score or (score == best_score and count > best_count):
            best, best_count, best_score = np.int64(pair), count, score
    return best


@inner
def merge_pair(state: MergeState, pair: int, new: int) -> None:
    """Replace a pair by a symbol everywhere."""
    key = state.keys[pair]
    left, right = key >> np.int64(32), key & np.int64(0xFFFFFFFF)
    n_places = ZERO
    at = np.int64(state.heads[pair])
    while at >= 0:
        n_places += 1
        at = np.int64(state.following[at])
    places = np.empty(n_places, np.int32)
    at, nth = np.int64(state.heads[pair]), ZERO
    while at >= 0:
        places[nth] = state.places[at]
        nth += 1
        at = np.int64(state.following[at])
    if left == right:
        places.sort()  # "aaa" merges from the left
    state.heads[pair] = state.tails[pair] = -1
    first_place = state.numbers[N_PLACES]
    for nth in range(n_places):
        place = np.int64(places[nth])
        after = np.int64(state.next[place])
        if state.symbols[place] != left or after < 0 or state.symbols[after] != right:
            continue
        weight = state.weights[place]
        before, behind = np.int64(state.previous[place]), np.int64(state.next[after])
        if before >= 0:
            state.pair_counts[_pair_of(state, state.symbols[before], left)] -= weight
        if behind >= 0:
            state.pair_counts[_pair_of(state, right, state.symbols[behind])] -= weight
        state.symbols[place], state.symbols[after] = new, -1
        state.next[place] = behind
        if behind >= 0:
            state.previous[behind] = place
        if before >= 0:
            made = _pair_of(state, state.symbols[before], new)
            state.pair_counts[made] += weight
            _add_place(state, made, before)
        if behind >= 0:
            made = _pair_of(state, new, state.symbols[behind])
            state.pair_counts[made] += weight
            _add_place(state, made, place)
        state.symbol_counts[left] -= weight
        state.symbol_counts[right] -= weight
        state.symbol_counts[new] += weight
        state.numbers[N_TOKENS] -= weight
        state.numbers[N_HELD_OUT] -= state.held_out[place]
    state.pair_counts[pair] = 0
    # Each pair that may have become more frequent is pushed once, after the last place.
    last_pushed = np.int64(-1)
    for nth in range(first_place, state.numbers[N_PLACES]):
        place = np.int64(state.places[nth])
        after = np.int64(state.next[place])
        if after < 0 or state.symbols[place] < 0:
            continue
        made = _pair_of(state, state.symbols[place], state.symbols[after])
        if state.tails[made] == nth and made != last_pushed and state.pair_counts[made]:
            _push(state, made)
            last_pushed = made


@inlined
def _id_of(state: MergeState, ids: Ints, left: int, right: int) -> int:
    """Return the id of two joined pieces, a new one unless other merges spelled the same; `ids` finds it."""
    spelled = state.spelled
    hashed = spelled[left, 0] * spelled[right, 1] + spelled[right, 0]
    mask = np.uint64(len(ids) - 1)
    at = (hashed ^ (hashed >> np.uint64(29)) ^ spelled[left, 2]) & mask
    while ids[at]:
        known = np.int64(ids[at] - 1)
        if spelled[known, 0] == hashed and spelled[known, 2] == spelled[left, 2]:
            return known
        at = (at + np.uint64(1)) & mask
    new = state.numbers[N_IDS]
    state.numbers[N_IDS] += 1
    spelled[new, 0], spelled[new, 1] = hashed, spelled[left, 1] * spelled[right, 1]
    spelled[new, 2] = spelled[left, 2]
    ids[at] = new + 1
    return np.int64(new)


@compiled
def learn(state: MergeState, ids: Ints, n_wanted: int, min_count: int, by_ratio: bool, events: Longs) -> int:
    """Make up to `len(events)` merges until there are `n_wanted` ids; return the number of merges."""
    for n_made in range(len(events)):
        if state.numbers[N_IDS] >= n_wanted:
            return n_made
        pair = most_likely(state, min_count) if by_ratio else most_frequent(state, min_count)
        if pair < 0:
            return n_made
        key = state.keys[pair]
        left, right = key >> np.int64(32), key & np.int64(0xFFFFFFFF)
        event = events[n_made]
        event[E_LEFT], event[E_RIGHT], event[E_COUNT] = left, right, state.pair_counts[pair]
        event[E_N_LEFT], event[E_N_RIGHT] = state.symbol_counts[left], state.symbol_counts[right]
        event[E_NEW] = _id_of(state, ids, left, right)
        state.words[event[E_NEW]] = joined_words(state.words[left], state.words[right])
        merge_pair(state, pair, event[E_NEW])
        event[E_TOKENS], event[E_HELD_OUT] = state.numbers[N_TOKENS], state.numbers[N_HELD_OUT]
        event[E_IDS] = state.numbers[N_IDS]
    return len(events)
