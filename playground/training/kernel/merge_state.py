"""The state of a training between merges, in arrays: how it begins and how it grows.

`State` is what `merge_kernel` works on. Pairs are rows of an array, found by a hash table of row numbers: the
table takes four bytes a place, and the row where a search ends is needed next.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from playground.bpe.gpt2_bytes import GPT2_BYTE_ORDER
from playground.core.errors import TextTooLongError
from playground.training.kernel.compiled import compiled, inlined
from playground.training.kernel.intrinsics import borrowed
from playground.training.kernel.memory_pages import enlarged, zero_pages
from playground.training.merges import HUGGING_FACE
from playground.training.pretoken_counts import PretokenCounts

P_KEY, P_COUNT, P_START, P_STOP = 0, 1, 2, 3  # columns of a row; the key is `left << 32 | right`

Pairs = npt.NDArray[np.int64]
Table = npt.NDArray[np.int32]  # length a power of two, at most half of it taken: row number + 1


@inlined
def table_place(table: Table, pairs: Pairs, key: int) -> np.uint64:
    """Return the place of a key in the table, or the free place where it belongs."""
    mask = np.uint64(len(table) - 1)
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    place = (mixed ^ (mixed >> np.uint64(32))) & mask
    while table[place] and pairs[table[place] - 1, P_KEY] != key:
        place = (place + np.uint64(1)) & mask
    return place


@compiled
def fill_table(table: Table, pairs: Pairs, n_pairs: int) -> None:
    """Enter the first `n_pairs` pairs in an empty table."""
    table, pairs = borrowed((table, pairs))
    for pair in range(n_pairs):
        table[table_place(table, pairs, pairs[pair, P_KEY])] = pair + 1


Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]

SEPARATOR, INSIDE = -1, -2  # cells that hold no id
MAX_CELLS = MAX_COUNT = (1 << 31) - 1

# Columns of `State.cells`, `State.ids` and `State.events`.
C_ID, C_WEIGHT = 0, 1
I_LENGTH, I_ORDER, I_MADE_AT, I_LEFT_WEIGHT, I_LEFT_PLACES, I_RIGHT_WEIGHT, I_RIGHT_PLACES = range(7)
E_LEFT, E_RIGHT, E_NEW, E_COUNT, E_TOKENS, E_HELD_OUT = range(6)

# Places in `State.numbers`. Held-out text lies in the cells from `HELD_OUT_CELL` on.
N_TOKENS, N_HELD_OUT, N_IDS, N_MERGES, N_PAIRS, N_POOL, N_HEAP = range(7)
THRESHOLD, ROOM, HELD_OUT_CELL = 7, 8, 9


class State(NamedTuple):
    """All arrays of a training; those that can run full are replaced by larger copies.

    The values of one cell, pair or id are one row, because they are read together.
    """

    cells: Ints  # shape (n, 2): id, and how often the cell's pretoken occurs
    pool: Ints  # the places of each pair
    pairs: Longs  # shape (n, 4): key, count, and where in the pool its places start and stop
    table: Ints  # the pairs by key
    heap: Longs  # shape (n, 3)
    ids: Longs  # shape (n, 8): bytes, what ties compare, a place where it stood when made, scratch
    touched: Ints  # scratch: left neighbours from the front, right ones in the second half
    events: Longs  # shape (n_merges, 6)
    numbers: Longs
    raw: Bytes  # the bytes in the cells, for `hugging-face`; else empty
    spellings: Ints  # a table of ids + 1 by what they spell, for `hugging-face`; else empty


def new_state(
    pretokens: PretokenCounts, held_out: PretokenCounts | None, vocab_size: int, ties: int
) -> State:
    """Return the state before the first merge. Raises TextTooLongError."""
    numbers = np.zeros(10, np.int64)
    cells = _new_cells(pretokens, held_out, numbers)
    n_cells = len(cells)
    pool = zero_pages(n_cells * 3 + (1 << 16), np.int32)
    n_rows = 1 << max(17, min(n_cells, vocab_size * 16).bit_length())
    pairs = zero_pages((n_rows, 4), np.int64)
    n_pairs = list_byte_pairs(cells, numbers[HELD_OUT_CELL], pool, pairs, *np.zeros((2, 1 << 16), np.int64))
    numbers[N_IDS], numbers[N_PAIRS] = 256, n_pairs
    numbers[N_POOL] = pairs[n_pairs - 1, P_STOP] if n_pairs else 0
    numbers[THRESHOLD] = pairs[:n_pairs, P_COUNT].max(initial=0) + 1
    ids = zero_pages((vocab_size + 1, 8), np.int64)
    ids[:256, I_LENGTH] = 1
    ids[:256, I_ORDER] = np.arange(256)
    is_hugging_face = ties == HUGGING_FACE
    if is_hugging_face:
        ids[list(GPT2_BYTE_ORDER), I_ORDER] = np.arange(256)
    return State(
        cells=cells,
        pool=pool,
        pairs=pairs,
        table=_new_table(pairs, n_pairs),
        heap=zero_pages((n_rows, 3), np.int64),
        ids=ids,
        touched=zero_pages(2 * (vocab_size + 1), np.int32),
        events=zero_pages((vocab_size - 256, 6), np.int64),
        numbers=numbers,
        raw=cells[:, C_ID].astype(np.uint8) if is_hugging_face else np.empty(0, np.uint8),
        spellings=np.zeros(1 << (2 * vocab_size).bit_length() if is_hugging_face else 0, np.int32),
    )


def with_room(state: State) -> State:
    """Return the state with larger arrays where the kernel ran out of room."""
    wanted = int(state.numbers[ROOM])  # places, or pairs as a negative number
    n_pool, n_pairs = int(state.numbers[N_POOL]), int(state.numbers[N_PAIRS])
    if wanted > 0:
        return state._replace(pool=enlarged(state.pool, n_pool, n_pool + wanted))
    return state._replace(
        pairs=enlarged(state.pairs, n_pairs, n_pairs - wanted),
        heap=enlarged(state.heap, int(state.numbers[N_HEAP]), n_pairs - wanted),
        table=_new_table(state.pairs, n_pairs, n_more=-wanted),
    )


def with_more_events(state: State) -> State:
    """Return the state with room for more events: with `hugging-face`, several merges may share an id."""
    return state._replace(events=enlarged(state.events, len(state.events), len(state.events) + 1))


def _new_table(pairs: Longs, n_pairs: int, *, n_more: int = 0) -> Ints:
    table = zero_pages(1 << max(16, (4 * n_pairs + 2 * n_more).bit_length()), np.int32)
    fill_table(table, pairs, n_pairs)
    return table


def _new_cells(pretokens: PretokenCounts, held_out: PretokenCounts | None, numbers: Longs) -> Ints:
    texts = [pretokens] if held_out is None else [pretokens, held_out]
    # A pretoken of one byte has no pair: it counts as a token and needs no cells.
    n_cells = 1
    for text in texts:
        lengths = np.diff(text.starts)
        n_cells += int((lengths[lengths > 1] + 1).sum())
        largest = int(text.counts.max(initial=0))
        if largest > MAX_COUNT:
            raise TextTooLongError(f"a pretoken occurs {largest:,} times; at most {MAX_COUNT:,} fit")
    if n_cells > MAX_CELLS:
        raise TextTooLongError(
            f"the distinct pretokens hold {n_cells:,} bytes; learning takes at most {MAX_CELLS:,}"
        )
    cells = zero_pages((n_cells, 2), np.int32)
    cells[0] = SEPARATOR
    place = 1
    for text, count in zip(texts, (N_TOKENS, N_HELD_OUT), strict=False):
        numbers[count] = np.diff(text.starts) @ text.counts
        place = lay_cells(text.pool, text.starts, text.counts, cells, place)
        if count == N_TOKENS:
            numbers[HELD_OUT_CELL] = place
    return cells


@compiled
def lay_cells(pretoken_bytes: Bytes, starts: Longs, counts: Longs, cells: Ints, cell: int) -> int:
    """Lay out pretokens of two bytes and more, a separator behind each; returns the next cell."""
    pretoken_bytes, starts, counts, cells = borrowed((pretoken_bytes, starts, counts, cells))
    for pretoken in range(len(counts)):
        if starts[pretoken + 1] - starts[pretoken] > 1:
            for i in range(starts[pretoken], starts[pretoken + 1]):
                cells[cell, C_ID] = pretoken_bytes[i]
                cells[cell, C_WEIGHT] = counts[pretoken]
                cell += 1
            cells[cell, C_ID] = SEPARATOR
            cell += 1
    return cell


@compiled
def list_byte_pairs(
    cells: Ints, held_out_cell: int, pool: Ints, pairs: Longs, n_places: Longs, counts: Longs
) -> int:
    """Count the pairs of bytes and list their places; returns the number of pairs.

    The last two arrays are scratch, 65,536 zeros each.
    """
    cells, pool, pairs, n_places, counts = borrowed((cells, pool, pairs, n_places, counts))
    for place in range(1, len(cells) - 1):
        if cells[place, C_ID] >= 0 and cells[place + 1, C_ID] >= 0:
            code = (cells[place, C_ID] << 8) | cells[place + 1, C_ID]
            n_places[code] += 1
            if place < held_out_cell:
                counts[code] += cells[place, C_WEIGHT]
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
        if cells[place, C_ID] >= 0 and cells[place + 1, C_ID] >= 0:
            code = (cells[place, C_ID] << 8) | cells[place + 1, C_ID]
            pool[n_places[code]] = place
            n_places[code] += 1
    return n_pairs
