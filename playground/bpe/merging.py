"""Merging parts into tokens: one heap loop, the trees it leaves, and the rules of byte-level BPE.

Rules whose leaves are characters are in `character_merging`.
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from heapq import heapify, heappop, heappush
from itertools import compress
from operator import add
from typing import Any

from playground.core.building import Merged, MergeNode, MergeRule, MergeStep, Part
from playground.core.errors import UnknownTokenError


def merge_parts(
    parts: list[Part],
    find: Callable[[Part], int | None],
    made: Mapping[int, Part] | None = None,
    *,
    below: int = sys.maxsize,
) -> tuple[tuple[MergeStep, ...], list[Part], tuple[int, ...]]:
    """Merge neighbours until none may merge: the lowest rank first, ties from the left.

    `find` returns the rank of two parts added, and `made` maps a rank to the part it makes (None: their sum).
    Only ranks under `below` merge. Returns the merges in order, the remaining parts, and where these end,
    counted in the parts passed in. `parts` is used up.

    The parts are a linked list. Pairs that may merge wait in a heap, each as one number, its rank and then
    its position; an entry is stale if the pair at its position has another rank by now. So n parts take O(n
    log n).

    >>> merge_parts([b"a", b"b", b"c"], {b"bc": 3}.get)
    ((MergeStep(rank=3, start=1, middle=2, end=3),), [b'a', b'bc'], (1, 3))
    >>> merge_parts([(97,), (97,), (98,)], {(97, 98): 0}.get, {0: (256,)})[1]
    [(97,), (256,)]
    """
    n_parts = len(parts)
    ends = list(range(1, n_parts + 1))  # end of the part that starts here; 0: no part starts here
    starts = list(range(-1, n_parts))  # start of the part that ends here
    ranks = [*map(find, map(add, parts, parts[1:])), None]  # rank of the part that starts here with the next
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
    """Return the parts that remain after some steps of `merge_parts`; `parts` is used up.

    >>> apply_steps([b"a", b"b", b"c"], [MergeStep(3, 1, 2, 3)], None)
    [b'a', b'bc']
    """
    ends = [*range(1, len(parts) + 1)]
    for rank, start, middle, end in steps:
        parts[start] = parts[start] + parts[middle] if made is None else made[rank]
        ends[start], ends[middle] = end, 0
    return list(compress(parts, ends))


def merge_trees(merged: Merged) -> tuple[MergeNode, ...]:
    """Return the tree inside each token of a pretoken, in text order, from the encoder's merges.

    A token that is taken whole is the parent of the parts at which merging stops.

    >>> from playground.bpe.merging import ByRank
    >>> rule = ByRank({b"a": 0, b"b": 1, b"ab": 2})
    >>> [tree.raw for tree in merge_trees(rule.build(b"aba"))]
    [b'ab', b'a']
    """
    raw, rule = merged.raw, merged.rule
    parts, starts = leaves_of(merged)
    nodes: list[MergeNode | None] = [None] * len(raw)  # by the byte at which each node starts
    part_at: list[Any] = [None] * len(raw)
    leaves: dict[tuple[Any, bytes], MergeNode] = {}
    for start, end, part in zip(starts, (*starts, len(raw))[1:], parts, strict=True):
        key = part, raw[start:end]
        if key not in leaves:
            token_id = rule.id_of(part)
            leaves[key] = MergeNode(key[1], token_id, rule.rank_of(token_id))
        nodes[start], part_at[start] = leaves[key], part
    # Steps are numbered within each tree.
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
    """Return the parts that merging a pretoken started from, and the byte offset of each.

    >>> from playground.bpe.merging import ByRank
    >>> leaves_of(ByRank({b"a": 0, b"b": 1, b"ab": 2}).build(b"ab"))
    ([b'a', b'b'], range(0, 2))
    """
    if merged.leaves is None:
        return merged.rule.parts(merged.raw), range(len(merged.raw))
    parts, ends = merged.leaves
    return list(parts), (0, *ends)[: len(parts)]


def token_tree(token_id: int, rule: MergeRule[Part]) -> MergeNode:
    """Return the tree inside one token of the vocabulary: its last merge and those below it.

    A token that no merge makes has more than two children and `is_recovered` False. Raises UnknownTokenError.

    >>> from playground.bpe.merging import ByRank
    >>> tree = token_tree(3, ByRank({b"a": 0, b"b": 1, b"ab": 2, b"abab": 3}))
    >>> [child.raw for child in tree.children], tree.is_recovered
    ([b'ab', b'ab'], True)
    """
    (tree,) = merge_trees(rule.inside(token_id))
    return tree


def _final_roots(n_bytes: int, steps: Sequence[MergeStep]) -> list[int]:
    """For each byte that ever starts a part, return the start of the part that finally contains it."""
    roots = list(range(n_bytes))
    for _rank, start, middle, _end in reversed(steps):
        roots[middle] = roots[start]
    return roots


_new_step = partial(tuple.__new__, MergeStep)  # twice as fast as `MergeStep._make`


_BYTES = tuple(bytes([byte]) for byte in range(256))


class ByRank:
    """Neighbours merge if their joined bytes are a token, the lowest rank first; tiktoken's rule.

    A pretoken that is a token is taken whole, whether or not merges make it. `ids` maps bytes to ids where
    these are not the ranks; `parts` are the parts of tokens where they are already known.

    >>> rule = ByRank({b"a": 0, b"b": 1, b"ab": 2, b"abab": 3})
    >>> rule.build(b"aba").ids, rule.parts_of(3)
    ((2, 0), (2, 2))
    """

    made = None  # two parts become their sum

    def __init__(
        self,
        ranks: Mapping[bytes, int],
        *,
        ids: Mapping[bytes, int] | None = None,
        raw_of: Callable[[int], bytes] | None = None,
        parts: Mapping[int, tuple[int, int]] | None = None,
    ) -> None:
        self.find: Callable[[bytes], int | None] = ranks.get
        self._ranks = ranks
        self._ids = ranks if ids is None else ids
        self._given_raw_of = raw_of
        self._known_parts = parts or {}

    def parts(self, raw: bytes) -> list[bytes]:
        """Return one part per byte."""
        return [*map(_BYTES.__getitem__, raw)]

    def id_of(self, part: bytes) -> int:
        """Return the token with these bytes. Raises UnknownTokenError."""
        try:
            return self._ids[part]
        except KeyError:
            raise _no_token(part) from None

    def rank_of(self, token_id: int) -> int:
        """Return the rank of a token. Raises UnknownTokenError."""
        return self._ranked(token_id)[1]

    def build(self, raw: bytes) -> Merged:
        """Merge a pretoken. Raises UnknownTokenError for a byte without a token."""
        steps, parts, part_ends = merge_parts(self.parts(raw), self.find)
        if len(parts) > 1 and raw in self._ids:
            return Merged(self, raw, steps, part_ends, (self._ids[raw],), is_whole=True)
        return Merged(self, raw, steps, part_ends, self._ids_of(parts))

    def inside(self, token_id: int) -> Merged:
        """Return a token as merges of lower rank make it, and the merge of its last two parts.

        Raises UnknownTokenError.
        """
        raw, rank = self._ranked(token_id)
        steps, parts, part_ends = merge_parts(self.parts(raw), self.find, below=rank)
        if len(parts) == 2:
            steps = (*steps, MergeStep(rank, 0, part_ends[0], len(raw)))
        return Merged(self, raw, steps, part_ends, (token_id,), is_whole=len(parts) > 2)

    def parts_of(self, token_id: int) -> tuple[int, ...]:
        """Return the tokens of lower rank that a token was merged from. Raises UnknownTokenError."""
        known = self._known_parts.get(token_id)
        if known is not None:
            return known
        raw, rank = self._ranked(token_id)
        if len(raw) == 1:
            return ()
        parts = self.parts(raw)
        if len(parts) > 2:
            _steps, parts, _ends = merge_parts(parts, self.find, below=rank)
        return self._ids_of(parts)

    def _ids_of(self, parts: list[bytes]) -> tuple[int, ...]:
        try:
            return tuple(map(self._ids.__getitem__, parts))
        except KeyError as error:
            raise _no_token(error.args[0]) from None

    def _ranked(self, token_id: int) -> tuple[bytes, int]:
        raw = self._raw_by_id.get(token_id) if self._given_raw_of is None else self._given_raw_of(token_id)
        rank = None if raw is None else self._ranks.get(raw)
        if raw is None or rank is None:
            raise UnknownTokenError(f"no token that merges has id {token_id}")
        return raw, rank

    @cached_property
    def _raw_by_id(self) -> dict[int, bytes]:
        return {token_id: raw for raw, token_id in self._ids.items()}


class ByPair:
    """Listed pairs of ids merge, the first listed first; the rule of Hugging Face and of training.

    `merges` are `(left, right, new id)` and `byte_ids` the id of each byte. A merge has rank 256 plus its
    index in the list, as tiktoken numbers bytes and merges.

    >>> rule = ByPair(range(256), [(97, 98, 256), (256, 99, 257)])
    >>> rule.build(b"abcab").ids, rule.parts_of(257), rule.rank_of(257)
    ((257, 256), (256, 99), 257)
    """

    def __init__(self, byte_ids: Iterable[int], merges: Iterable[tuple[int, int, int]]) -> None:
        self._byte_parts = [(token_id,) for token_id in byte_ids]
        self._merges = tuple(merges)
        n_bytes = len(self._byte_parts)
        pairs: dict[tuple[int, ...], int] = {
            (left, right): n_bytes + n for n, (left, right, _) in enumerate(self._merges)
        }
        self.find = pairs.get
        self.made: Mapping[int, tuple[int, ...]] = {
            n_bytes + n: (new_id,) for n, (_, _, new_id) in enumerate(self._merges)
        }

    def parts(self, raw: bytes) -> list[tuple[int, ...]]:
        """Return one part per byte."""
        return [*map(self._byte_parts.__getitem__, raw)]

    def id_of(self, part: tuple[int, ...]) -> int:
        """Return the token id of a part."""
        return part[0]

    def rank_of(self, token_id: int) -> int:
        """Return the rank of a token, the lowest of several merges that make it. Raises UnknownTokenError."""
        try:
            return self._rank_by_id[token_id]
        except KeyError:
            raise UnknownTokenError(f"no token that merges has id {token_id}") from None

    def build(self, raw: bytes) -> Merged:
        """Merge a pretoken."""
        steps, parts, part_ends = merge_parts(self.parts(raw), self.find, self.made)
        return Merged(self, raw, steps, part_ends, tuple([token_id for (token_id,) in parts]))

    def inside(self, token_id: int) -> Merged:
        """Return a token as its own bytes merge, or by its listed merges if they merge differently.

        Raises UnknownTokenError.
        """
        listed = self._listed(token_id)
        built = self.build(listed.raw)
        return built if built.ids == (token_id,) else listed

    def parts_of(self, token_id: int) -> tuple[int, ...]:
        """Return the two tokens that a token was merged from. Raises UnknownTokenError."""
        if token_id in self._only_parts:
            return self._only_parts[token_id]
        inside = self.inside(token_id)
        if not inside.steps:
            return ()
        parts = apply_steps(self.parts(inside.raw), inside.steps[:-1], self.made)
        return tuple([part for (part,) in parts])

    def _listed(self, token_id: int) -> Merged:
        """Return a token by the merges listed for it and its parts, ignoring any other merge."""
        raw_of, n_bytes = self._raw_by_id, len(self._byte_parts)
        steps = []
        waiting = [(token_id, 0)]
        while waiting:
            whole, start = waiting.pop()
            rank = self.rank_of(whole)
            if rank >= n_bytes:
                left, right, _ = self._merges[rank - n_bytes]
                middle = start + len(raw_of[left])
                steps.append(MergeStep(rank, start, middle, start + len(raw_of[whole])))
                waiting += [(left, start), (right, middle)]
        raw = raw_of[token_id]
        return Merged(self, raw, tuple(sorted(steps)), (len(raw),), (token_id,))

    @cached_property
    def _only_parts(self) -> dict[int, tuple[int, int]]:
        """The parts of each token that exactly one merge makes, so that merging need not find them."""
        n_merges = Counter(new_id for _, _, new_id in self._merges)
        return {new_id: (left, right) for left, right, new_id in self._merges if n_merges[new_id] == 1}

    @cached_property
    def _raw_by_id(self) -> dict[int, bytes]:
        raw_of = {token_id: _BYTES[byte] for byte, (token_id,) in enumerate(self._byte_parts)}
        for left, right, new_id in self._merges:
            raw_of[new_id] = raw_of[left] + raw_of[right]
        return raw_of

    @cached_property
    def _rank_by_id(self) -> dict[int, int]:
        byte_ids = sorted(token_id for (token_id,) in self._byte_parts)
        ranks = {token_id: rank for rank, token_id in enumerate(byte_ids)}
        for rank, (token_id,) in self.made.items():
            ranks.setdefault(token_id, rank)
        return ranks


def _no_token(raw: bytes) -> UnknownTokenError:
    return UnknownTokenError(
        f"the vocabulary has no token for the byte {raw.hex().upper()}; byte-pair encoding needs all 256"
    )
