"""Merging: the one loop that turns parts into tokens, for every rule, and the trees that it leaves.

Which neighbours may merge is told by a rule of `bpe.merge_rules`; what is drawn is decided elsewhere.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from heapq import heapify, heappop, heappush
from itertools import compress
from operator import add
from typing import Any

from playground.core.building import Merged, MergeRule, MergeStep, Part
from playground.core.merge_nodes import MergeNode


def merge_parts(
    parts: list[Part],
    find: Callable[[Part], int | None],
    made: Mapping[int, Part] | None = None,
    *,
    below: int = sys.maxsize,
) -> tuple[tuple[MergeStep, ...], list[Part], tuple[int, ...]]:
    """Merge neighbours, the lowest rank first and of equal ranks the leftmost, until none may merge.

    `find` gives the rank of two parts added, and `made` what that merge makes: their sum, where it is None.
    Only ranks below `below` merge. Returns the merges in order, the parts that are left, and where these
    end; places count the parts that came in. `parts` is used up.

    The parts are a linked list, and the pairs that may merge wait in a heap, each as one number: its rank,
    then its place. One is stale when the pair at its place has another rank by now. So n parts take
    O(n log n).

    >>> merge_parts([b"a", b"b", b"c"], {b"bc": 3}.get)
    ((MergeStep(rank=3, start=1, middle=2, end=3),), [b'a', b'bc'], (1, 3))
    >>> merge_parts([(97,), (97,), (98,)], {(97, 98): 0}.get, {0: (256,)})[1]
    [(97,), (256,)]
    """
    n_parts = len(parts)
    ends = list(range(1, n_parts + 1))  # where the part that starts here ends; 0: no part starts here
    starts = list(range(-1, n_parts))  # where the part that ends here starts
    ranks = [*map(find, map(add, parts, parts[1:])), None]  # of the part that starts here and the next one
    heap = [rank * n_parts + start for start, rank in enumerate(ranks) if rank is not None and rank < below]
    heapify(heap)
    steps: list[MergeStep] = []
    while heap:
        key = heappop(heap)
        rank, start = key // n_parts, key % n_parts
        if ranks[start] != rank:
            continue
        middle = ends[start]
        end = ends[middle]
        steps.append(_new_step((rank, start, middle, end)))
        part = parts[start] + parts[middle] if made is None else made[rank]
        parts[start] = part
        ends[start], ends[middle], starts[end], ranks[middle] = end, 0, start, None
        if start:
            before = starts[start]
            rank_left = ranks[before] = find(parts[before] + part)
            if rank_left is not None and rank_left < below:
                heappush(heap, rank_left * n_parts + before)
        rank_right = ranks[start] = find(part + parts[end]) if end < n_parts else None
        if rank_right is not None and rank_right < below:
            heappush(heap, rank_right * n_parts + start)
    return tuple(steps), list(compress(parts, ends)), tuple(filter(None, ends))


def apply_steps(parts: list[Part], steps: Sequence[MergeStep], made: Mapping[int, Part] | None) -> list[Part]:
    """The parts that are left after the first merges of `merge_parts`; `parts` is used up here too.

    >>> apply_steps([b"a", b"b", b"c"], [MergeStep(3, 1, 2, 3)], None)
    [b'a', b'bc']
    """
    ends = [*range(1, len(parts) + 1)]
    for rank, start, middle, end in steps:
        parts[start] = parts[start] + parts[middle] if made is None else made[rank]
        ends[start], ends[middle] = end, 0
    return list(compress(parts, ends))


def merge_trees(merged: Merged) -> tuple[MergeNode, ...]:
    """The tree inside each token of a pretoken, in text order, as the encoder's merges made it.

    A token that is taken whole stands over the parts at which merging stops.

    >>> from playground.bpe.merge_rules import ByRank
    >>> rule = ByRank({b"a": 0, b"b": 1, b"ab": 2})
    >>> [tree.raw for tree in merge_trees(rule.build(b"aba"))]
    [b'ab', b'a']
    """
    raw, rule = merged.raw, merged.rule
    parts, starts = leaves_of(merged)
    nodes: list[MergeNode | None] = [None] * len(raw)  # by the byte at which each starts
    part_at: list[Any] = [None] * len(raw)
    leaves: dict[tuple[Any, bytes], MergeNode] = {}
    for start, end, part in zip(starts, (*starts, len(raw))[1:], parts, strict=True):
        key = part, raw[start:end]
        if key not in leaves:
            token_id = rule.id_of(part)
            leaves[key] = MergeNode(key[1], token_id, rule.rank_of(token_id))
        nodes[start], part_at[start] = leaves[key], part
    # The merges of a tree keep their order but not their count: number them tree by tree.
    root_of = _final_roots(len(raw), merged.steps)
    n_steps_of = [0] * len(raw)
    for rank, start, middle, end in merged.steps:
        root = root_of[start]
        n_steps_of[root] += 1
        left, right = nodes[start], nodes[middle]
        if left is None or right is None:
            raise ValueError(f"merge of {raw[start:end]!r} before its parts exist")
        part = part_at[start] + part_at[middle] if rule.made is None else rule.made[rank]
        part_at[start] = part
        nodes[start] = MergeNode(raw[start:end], rule.id_of(part), rank, (left, right), n_steps_of[root])
        nodes[middle] = None
    trees = tuple([node for node in nodes if node is not None])
    if merged.is_whole:
        (token_id,) = merged.ids
        return (MergeNode(raw, token_id, rule.rank_of(token_id), trees),)
    return trees


def leaves_of(merged: Merged) -> tuple[list[Any], Sequence[int]]:
    """What merging a pretoken started from, and the bytes at which each part starts.

    >>> from playground.bpe.merge_rules import ByRank
    >>> leaves_of(ByRank({b"a": 0, b"b": 1, b"ab": 2}).build(b"ab"))
    ([b'a', b'b'], range(0, 2))
    """
    if merged.leaves is None:
        return merged.rule.parts(merged.raw), range(len(merged.raw))
    parts, ends = merged.leaves
    return list(parts), (0, *ends)[: len(parts)]


def token_tree(token_id: int, rule: MergeRule[Part]) -> MergeNode:
    """The tree inside one token of the vocabulary: its last merge, and those below it.

    A token that no merge makes stands over more than two parts, and its `is_recovered` is False.
    Raises UnknownTokenError.

    >>> from playground.bpe.merge_rules import ByRank
    >>> tree = token_tree(3, ByRank({b"a": 0, b"b": 1, b"ab": 2, b"abab": 3}))
    >>> [child.raw for child in tree.children], tree.is_recovered
    ([b'ab', b'ab'], True)
    """
    (tree,) = merge_trees(rule.inside(token_id))
    return tree


def _final_roots(n_bytes: int, steps: Sequence[MergeStep]) -> list[int]:
    """For each byte that starts a part at some time, the start of the part that holds it in the end."""
    roots = list(range(n_bytes))
    for _rank, start, middle, _end in reversed(steps):
        roots[middle] = roots[start]
    return roots


_new_step = partial(tuple.__new__, MergeStep)  # twice as fast as `MergeStep._make`
