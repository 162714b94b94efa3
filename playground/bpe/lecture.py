"""Byte-pair encoding as it is taught: short and slow; the oracle of the tests.

After karpathy/minbpe. `training.trainer`, which the pages use, gives the same merges.
"""

import itertools
from collections.abc import Mapping, Sequence

Pair = tuple[int, int]


def get_stats(ids: Sequence[int], counts: dict[Pair, int] | None = None) -> dict[Pair, int]:
    """Count adjacent pairs, in the order in which they are first seen.

    >>> get_stats([1, 2, 3, 1, 2])
    {(1, 2): 2, (2, 3): 1, (3, 1): 1}
    """
    counts = {} if counts is None else counts
    for pair in itertools.pairwise(ids):
        counts[pair] = counts.get(pair, 0) + 1
    return counts


def merge(ids: Sequence[int], pair: Pair, new_id: int) -> list[int]:
    """Replace each occurrence of a pair, from the left, with a new id.

    >>> merge([1, 2, 3, 1, 2], (1, 2), 4)
    [4, 3, 4]
    """
    merged: list[int] = []
    i = 0
    while i < len(ids):
        if i + 1 < len(ids) and (ids[i], ids[i + 1]) == pair:
            merged.append(new_id)
            i += 2  # the pair is consumed, so "aaa" merges once
        else:
            merged.append(ids[i])
            i += 1
    return merged


def train(chunks: Sequence[bytes], n_merges: int) -> dict[Pair, int]:
    """Learn merges: each round, the most frequent pair becomes a new token; ties go to the first seen.

    Merges never cross from one chunk into the next. Ends early when no pair is left.

    >>> train([b"aaabdaaabac"], 3)
    {(97, 97): 256, (256, 97): 257, (257, 98): 258}
    """
    all_ids = [list(chunk) for chunk in chunks]
    merges: dict[Pair, int] = {}
    for i in range(n_merges):
        counts: dict[Pair, int] = {}
        for ids in all_ids:
            get_stats(ids, counts)
        if not counts:
            break
        pair = max(counts, key=counts.__getitem__)
        merges[pair] = 256 + i
        all_ids = [merge(ids, pair, 256 + i) for ids in all_ids]
    return merges


def encode(raw: bytes, merges: Mapping[Pair, int]) -> list[int]:
    """Encode one chunk: merge the earliest learned of the pairs present until none is known.

    >>> encode(b"aaabdaaabac", {(97, 97): 256, (256, 97): 257, (257, 98): 258})
    [258, 100, 258, 97, 99]
    """
    ids = list(raw)
    while len(ids) >= 2:
        counts = get_stats(ids)
        pair = min(counts, key=lambda pair: merges.get(pair, float("inf")))
        if pair not in merges:
            break
        ids = merge(ids, pair, merges[pair])
    return ids
