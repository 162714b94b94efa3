"""Kernels of Unigram: seeds from a suffix array, and sums and best paths over the pieces of each pretoken.

The pieces of all pretokens are edges: those that start at a position are `edges[first[p] : stop[p]]`, the
shortest first. The first edge of a position is its character, which always stays.
"""

import math

import numpy as np
import numpy.typing as npt

from playground.training.kernel.compiled import ZERO, compiled, inlined

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

#: The longest piece in characters, as in SentencePiece.
MAX_PIECE = 16
#: Longer pretokens are summed as logarithms: products of their probabilities would leave the range of floats.
_MAX_PRODUCT = 64
#: The least product of a word for which its inverse is still a number.
_LEAST_PRODUCT = 1e-200
_NEVER = -1e300


def suffix_order(symbols: Longs, ends: Longs) -> Longs:
    """Return all positions sorted by the up to 16 symbols from there to the end of the position's pretoken.

    `ends` has the end of each position's pretoken; symbols count from 1.
    """
    places = np.arange(len(symbols))
    ranks = symbols
    width = 1
    while width < MAX_PIECE:
        after = np.minimum(places + width, len(symbols) - 1)
        following = np.where(places + width < ends, ranks[after], 0)
        ranks = np.unique(ranks * (int(ranks.max()) + 1) + following, return_inverse=True)[1] + 1
        width *= 2
    return np.argsort(ranks, kind="stable")


@compiled
def common_prefixes(order: Longs, symbols: Longs, ends: Longs) -> Longs:
    """Return how many symbols each suffix shares with the one before it in `order`; a 0 follows."""
    shared = np.zeros(len(order) + 1, np.int64)
    for nth in range(1, len(order)):
        left, right = order[nth - 1], order[nth]
        most = min(ends[left] - left, ends[right] - right, MAX_PIECE)
        size = ZERO
        while size < most and symbols[left + size] == symbols[right + size]:
            size += 1
        shared[nth] = size
    return shared


@compiled
def repeated_substrings(shared: Longs, totals: Longs) -> Longs:
    """Return rows (first, last, length, count) of the substrings that are followed by different symbols.

    Rows `first:last` of the suffix array start with the substring; `totals` are the running sums of counts.
    """
    found = np.empty((len(shared), 4), np.int64)
    lefts, sizes = np.zeros(MAX_PIECE + 2, np.int64), np.zeros(MAX_PIECE + 2, np.int64)
    n_found, depth = ZERO, ZERO  # `sizes` grow from the bottom of the stack, where 0 stays
    for nth in range(1, len(shared)):
        left = nth - 1
        while sizes[depth] > shared[nth]:
            left = lefts[depth]
            count = totals[nth] - totals[left]
            if sizes[depth] > 1 and count > 1:
                found[n_found, 0], found[n_found, 1] = left, nth
                found[n_found, 2], found[n_found, 3] = sizes[depth], count
                n_found += 1
            depth -= 1
        if sizes[depth] < shared[nth]:
            depth += 1
            sizes[depth], lefts[depth] = shared[nth], left
    return found[:n_found]


@compiled
def find_suffixes(order: Longs, symbols: Longs, ends: Longs, wanted: Longs, starts: Longs) -> Longs:
    """Return the rows of the suffix array that start with each wanted string, as (first, last).

    String n is `wanted[starts[n] : starts[n + 1]]`.
    """
    rows = np.zeros((len(starts) - 1, 2), np.int64)
    for nth in range(len(rows)):
        for side in range(2):
            low, high = ZERO, np.int64(len(order))
            while low < high:
                middle = (low + high) // 2
                place, k = order[middle], starts[nth]
                while k < starts[nth + 1] and place < ends[place - (k - starts[nth])]:
                    if symbols[place] != wanted[k]:
                        break
                    place += 1
                    k += 1
                    if place >= len(symbols):
                        break
                if k == starts[nth + 1]:  # it starts with the string
                    is_before = side == 1
                else:
                    is_over = place >= len(symbols) or place >= ends[order[middle]]
                    is_before = is_over or symbols[place] < wanted[k]
                if is_before:
                    low = middle + 1
                else:
                    high = middle
            rows[nth, side] = low
    return rows


@compiled
def list_edges(
    symbols: Longs, order: Longs, rows: Longs, by_size: Longs, n_single: int
) -> tuple[Longs, Ints]:
    """Return where the edges of each position start, and all edges; piece `n_single + n` is row n."""
    first = np.zeros(len(symbols) + 1, np.int64)
    first[1:] = 1
    for row in range(len(rows)):
        for nth in range(rows[row, 0], rows[row, 1]):
            first[order[nth] + 1] += 1
    for place in range(len(symbols)):
        first[place + 1] += first[place]
    edges = np.empty(first[-1], np.int32)
    filled = first[:-1].copy()
    for place in range(len(symbols)):
        edges[filled[place]] = symbols[place] - 1
        filled[place] += 1
    for row in by_size:
        for nth in range(rows[row, 0], rows[row, 1]):
            place = order[nth]
            edges[filled[place]] = n_single + row
            filled[place] += 1
    return first, edges


@compiled
def keep_edges(first: Longs, stop: Longs, edges: Ints, is_kept: npt.NDArray[np.bool_]) -> None:
    """Remove the edges of other pieces; each position keeps its first edge, its character."""
    for place in range(len(stop)):
        kept = first[place] + 1
        for nth in range(first[place] + 1, stop[place]):
            if is_kept[edges[nth]]:
                edges[kept] = edges[nth]
                kept += 1
        stop[place] = kept


@inlined
def _log_sum(one: float, other: float) -> float:
    low, high = min(one, other), max(one, other)
    return high + math.log1p(math.exp(low - high)) if low > _NEVER else high


@compiled
def add_expected(
    first: Longs, stop: Longs, edges: Ints, sizes: Ints, scores: Floats, starts: Longs, counts: Longs,
    expected: Floats,
) -> float:  # fmt: skip
    """Add how often each piece is expected over all paths; return the log-likelihood of all pretokens.

    Products stay near 1 because each piece is multiplied by a constant for each of its characters. A word of
    many rare characters, whose product is too small, is summed in logarithms as long words are.
    """
    longest = ZERO
    for word in range(len(counts)):
        longest = max(longest, starts[word + 1] - starts[word])
    before, after = np.empty(longest + 1), np.empty(longest + 1)
    per_symbol = 2.5
    weights = np.empty(len(scores))
    for piece in range(len(scores)):
        weights[piece] = math.exp(scores[piece] + per_symbol * sizes[piece])
    total = 0.0
    for word in range(len(counts)):
        if not counts[word]:
            continue
        start, count = starts[word], float(counts[word])
        n = starts[word + 1] - start
        if n <= _MAX_PRODUCT:
            before[: n + 1] = 0.0
            before[0] = 1.0
            for place in range(n):
                here = before[place]
                for nth in range(first[start + place], stop[start + place]):
                    piece = edges[nth]
                    before[place + sizes[piece]] += here * weights[piece]
        if n <= _MAX_PRODUCT and before[n] > _LEAST_PRODUCT:
            total += count * (math.log(before[n]) - per_symbol * n)
            after[n] = count / before[n]
            for place in range(n - 1, -1, -1):
                here = 0.0
                for nth in range(first[start + place], stop[start + place]):
                    piece = edges[nth]
                    part = weights[piece] * after[place + sizes[piece]]
                    here += part
                    expected[piece] += before[place] * part
                after[place] = here
            continue
        before[: n + 1] = _NEVER
        before[0] = 0.0
        for place in range(n):
            for nth in range(first[start + place], stop[start + place]):
                piece = edges[nth]
                until = place + sizes[piece]
                before[until] = _log_sum(before[until], before[place] + scores[piece])
        total += count * before[n]
        after[n] = 0.0
        for place in range(n - 1, -1, -1):
            after[place] = _NEVER
            for nth in range(first[start + place], stop[start + place]):
                piece = edges[nth]
                part = scores[piece] + after[place + sizes[piece]]
                after[place] = _log_sum(after[place], part)
                expected[piece] += count * math.exp(before[place] + part - before[n])
    return total


@compiled
def count_best(
    first: Longs, stop: Longs, edges: Ints, sizes: Ints, scores: Floats, starts: Longs, counts: Longs,
    used: Longs,
) -> None:  # fmt: skip
    """Add to `used` how often each piece is on the best path of a pretoken."""
    longest = ZERO
    for word in range(len(counts)):
        longest = max(longest, starts[word + 1] - starts[word])
    best, came = np.empty(longest + 1), np.empty(longest + 1, np.int32)
    for word in range(len(counts)):
        if not counts[word]:
            continue
        start = starts[word]
        n = starts[word + 1] - start
        best[: n + 1] = _NEVER
        best[0] = 0.0
        for place in range(n):
            for nth in range(first[start + place], stop[start + place]):
                piece = edges[nth]
                until = place + sizes[piece]
                total = best[place] + scores[piece]
                if total > best[until]:
                    best[until], came[until] = total, piece
        while n:
            used[came[n]] += counts[word]
            n -= sizes[came[n]]


@compiled
def other_paths(
    first: Longs, stop: Longs, edges: Ints, sizes: Ints, scores: Floats, places: Longs
) -> tuple[Floats, Ints]:
    """Return the score and pieces of the best path that spells each piece without the piece itself.

    A piece occurs at its place; characters have no other path. Unused parts are -1.
    """
    totals = np.full(len(places), _NEVER)
    parts = np.full((len(places), MAX_PIECE), -1, np.int32)
    best, came = np.empty(MAX_PIECE + 1), np.empty(MAX_PIECE + 1, np.int32)
    for whole in range(len(places)):
        size, start = sizes[whole], places[whole]
        if size < 2 or start < 0:
            continue
        best[: size + 1] = _NEVER
        best[0] = 0.0
        for place in range(size):
            for nth in range(first[start + place], stop[start + place]):
                piece = edges[nth]
                until = place + sizes[piece]
                if until > size:
                    break  # edges are sorted by length
                total = best[place] + scores[piece]
                if piece != whole and total > best[until]:
                    best[until], came[until] = total, piece
        totals[whole] = best[size]
        n_parts, place = ZERO, np.int64(size)
        while place:
            parts[whole, n_parts] = came[place]
            n_parts += 1
            place -= sizes[came[place]]
        parts[whole, :n_parts] = parts[whole, :n_parts][::-1].copy()
    return totals, parts
