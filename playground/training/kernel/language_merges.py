"""Merges of pairs that are counted for each language.

Every word belongs to a language. A row of `rows` is a pair in one language, or in all languages: language
`n_languages` stands for all. A table of hashes finds a row by its key. The rows of a language are a chain,
and so are the places of a pair in all languages. A place whose tokens have changed stays in its chain and is
passed over.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from playground.training.kernel.compiled import ZERO, compiled, inlined, inner

Longs = npt.NDArray[np.int64]
Ints = npt.NDArray[np.int32]

#: Columns of `rows`: key, count, the next row of its language and whether the row is in that chain, the first
#: and the last link of its places, and their number.
_KEY, _COUNT, _NEXT, _IS_CHAINED, _FIRST, _LAST, _N_PLACES = range(7)
#: Columns of `words`: language, count in the training text, in the development text, in the held-out text.
_LANGUAGE, _TRAINING = range(2)
#: In `numbers`: used rows and links.
_N_ROWS, _N_LINKS = range(2)
_ID_BITS = 20
_ID_MASK = (1 << _ID_BITS) - 1
_NONE = -1


class LanguageState(NamedTuple):
    """All arrays of a training; token counts are by language and text, and the last language is all."""

    cells: Ints  # the id of the token that starts here; -1 inside a token
    lengths: Ints  # of the token that starts, or ends, at a cell
    word_of: Ints
    words: Longs
    ends: Longs  # where each word ends
    rows: Longs
    table: Ints
    heads: Longs  # the first row of each language
    links: Longs  # a place of a pair, and the next link
    numbers: Longs
    n_tokens: Longs  # shape (languages + 1, 3): training, development, held-out


def new_state(raw: bytes, lengths: Longs, words: Longs, n_languages: int) -> LanguageState:
    """Return the state before the first merge; `raw` are the words, and `lengths` their numbers of bytes."""
    n_cells = len(raw)
    ends = np.cumsum(lengths)
    n_tokens = np.zeros((n_languages + 1, 3), np.int64)
    np.add.at(n_tokens, words[:, _LANGUAGE], words[:, 1:] * lengths[:, None])
    n_tokens[n_languages] = (words[:, 1:] * lengths[:, None]).sum(axis=0)
    state = LanguageState(
        np.frombuffer(raw, np.uint8).astype(np.int32),
        np.ones(n_cells, np.int32),
        np.repeat(np.arange(len(words), dtype=np.int32), lengths),
        words,
        ends,
        np.zeros((2 * n_cells + 16, 7), np.int64),
        np.empty(0, np.int32),
        np.full(n_languages + 1, _NONE, np.int64),
        np.zeros((3 * n_cells + 1, 2), np.int64),
        np.zeros(2, np.int64),
        n_tokens,
    )
    state = _with_table(state)
    count_pairs(state)
    return state


def _with_table(state: LanguageState) -> LanguageState:
    table = np.full(1 << (2 * len(state.rows)).bit_length(), _NONE, np.int32)
    enter_rows(state.rows, int(state.numbers[_N_ROWS]), table)
    return state._replace(table=table)


def merged(state: LanguageState, left: int, right: int, new_id: int) -> LanguageState:
    """Merge a pair in all languages; return the state, with more room if needed."""
    while not apply_merge(state, left, right, new_id):
        state = _with_table(state._replace(rows=np.concatenate([state.rows, np.zeros_like(state.rows)])))
    return state


def pairs_of(state: LanguageState, language: int) -> Longs:
    """Return the pairs of a language as rows of left, right and count."""
    rows = state.rows[: int(state.numbers[_N_ROWS])]
    rows = rows[(rows[:, _KEY] >> (2 * _ID_BITS) == language) & (rows[:, _COUNT] > 0)]
    return np.column_stack([rows[:, _KEY] >> _ID_BITS & _ID_MASK, rows[:, _KEY] & _ID_MASK, rows[:, _COUNT]])


@compiled
def best_pair(state: LanguageState, language: int, min_count: int) -> tuple[int, int, int]:
    """Return the most frequent pair of a language and its count, or -1, -1, 0; ties go to the lowest ids.

    Rows below `min_count` leave the chain; a row whose count changes later is added again.
    """
    rows = state.rows
    best, before, row = np.int64(_NONE), np.int64(_NONE), state.heads[language]
    while row != _NONE:
        following = rows[row, _NEXT]
        if rows[row, _COUNT] < min_count:
            rows[row, _IS_CHAINED] = 0
            if before == _NONE:
                state.heads[language] = following
            else:
                rows[before, _NEXT] = following
        else:
            before = row
            if (
                best == _NONE
                or rows[row, _COUNT] > rows[best, _COUNT]
                or (rows[row, _COUNT] == rows[best, _COUNT] and rows[row, _KEY] < rows[best, _KEY])
            ):
                best = row
        row = following
    if best == _NONE:
        return -1, -1, 0
    key = rows[best, _KEY]
    return key >> _ID_BITS & _ID_MASK, key & _ID_MASK, rows[best, _COUNT]


@compiled
def enter_rows(rows: Longs, n_rows: int, table: Ints) -> None:
    """Enter all rows in an empty table."""
    for row in range(n_rows):
        table[_slot_of(rows, table, rows[row, _KEY])] = row


@compiled
def count_pairs(state: LanguageState) -> None:
    """Count the pairs of bytes of all words."""
    for place in range(len(state.cells) - 1):
        if state.word_of[place] == state.word_of[place + 1]:
            word = state.word_of[place]
            _count(state, word, state.cells[place], state.cells[place + 1], 1)
            _link(state, state.cells[place], state.cells[place + 1], place)


@compiled
def apply_merge(state: LanguageState, left: int, right: int, new_id: int) -> bool:
    """Merge a pair wherever it stands, from the left; False, with nothing changed, if rows may run out."""
    rows, cells, lengths, words = state.rows, state.cells, state.lengths, state.words
    n_languages = len(state.heads) - 1
    slot = _slot_of(rows, state.table, _key_of(n_languages, left, right))
    row = state.table[slot]
    if row == _NONE:
        return True
    if state.numbers[_N_ROWS] + 4 * rows[row, _N_PLACES] > len(rows):
        return False
    link = rows[row, _FIRST]
    while link != _NONE:
        place = state.links[link, 0]
        link = state.links[link, 1]
        if cells[place] != left:
            continue
        word = np.int64(state.word_of[place])
        start, end = ZERO if word == 0 else state.ends[word - 1], state.ends[word]
        middle = place + lengths[place]
        if middle >= end or cells[middle] != right:
            continue
        if left == right and _is_second(state, place, start):
            continue
        stop = middle + lengths[middle]
        _count(state, word, left, right, -1)
        cells[middle] = _NONE
        cells[place] = new_id
        lengths[place] = lengths[stop - 1] = stop - place
        if place > start:
            before = place - lengths[place - 1]
            _count(state, word, cells[before], left, -1)
            _count(state, word, cells[before], new_id, 1)
            _link(state, cells[before], new_id, before)
        if stop < end:
            _count(state, word, right, cells[stop], -1)
            _count(state, word, new_id, cells[stop], 1)
            _link(state, new_id, cells[stop], place)
        for text in range(3):
            state.n_tokens[n_languages, text] -= words[word, 1 + text]
            if words[word, _LANGUAGE] < n_languages:
                state.n_tokens[words[word, _LANGUAGE], text] -= words[word, 1 + text]
    return True


@inlined
def _key_of(language: int, left: int, right: int) -> int:
    return (np.int64(language) << (2 * _ID_BITS)) | (np.int64(left) << _ID_BITS) | np.int64(right)


@inlined
def _slot_of(rows: Longs, table: Ints, key: int) -> int:
    """Return the slot of a key in the table, or the empty slot where it belongs."""
    mask = len(table) - 1
    slot = (key * np.int64(0x9E3779B97F4A7C1) >> 20) & mask
    while table[slot] != _NONE and rows[table[slot], _KEY] != key:
        slot = (slot + 1) & mask
    return slot


@inner
def _row_of(state: LanguageState, language: int, left: int, right: int) -> int:
    """Return the row of a pair, and add it if it is new."""
    key = _key_of(language, left, right)
    slot = _slot_of(state.rows, state.table, key)
    row = np.int64(state.table[slot])
    if row == _NONE:
        row = state.numbers[_N_ROWS]
        state.numbers[_N_ROWS] = row + 1
        state.table[slot] = row
        state.rows[row, _KEY] = key
        state.rows[row, _FIRST] = state.rows[row, _LAST] = _NONE
    if not state.rows[row, _IS_CHAINED]:
        state.rows[row, _IS_CHAINED] = 1
        state.rows[row, _NEXT] = state.heads[language]
        state.heads[language] = row
    return row


@inner
def _is_second(state: LanguageState, place: int, start: int) -> bool:
    """Whether a token merges with the equal one before it, because pairs of a run merge from the left."""
    n_before, at = ZERO, place
    while at > start:
        before = at - state.lengths[at - 1]
        if state.cells[before] != state.cells[place]:
            break
        n_before += 1
        at = before
    return n_before % 2 == 1


@inner
def _count(state: LanguageState, word: int, left: int, right: int, times: int) -> None:
    """Add the occurrences of a word to a pair's counts."""
    n_languages = len(state.heads) - 1
    language, count = state.words[word, _LANGUAGE], times * state.words[word, _TRAINING]
    state.rows[_row_of(state, n_languages, left, right), _COUNT] += count
    if language < n_languages:
        state.rows[_row_of(state, language, left, right), _COUNT] += count


@inner
def _link(state: LanguageState, left: int, right: int, place: int) -> None:
    """Add a place at the end of a pair's chain."""
    row = _row_of(state, len(state.heads) - 1, left, right)
    link = state.numbers[_N_LINKS]
    state.numbers[_N_LINKS] = link + 1
    state.links[link, 0], state.links[link, 1] = place, _NONE
    if state.rows[row, _FIRST] == _NONE:
        state.rows[row, _FIRST] = link
    else:
        state.links[state.rows[row, _LAST], 1] = link
    state.rows[row, _LAST] = link
    state.rows[row, _N_PLACES] += 1
