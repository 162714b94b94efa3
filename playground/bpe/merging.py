"""Encoding step by step: the merges that turn a text into tokens, and the tree inside each token.

What is drawn from a trace, and how, is decided elsewhere.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import NamedTuple

from playground.bpe.split_pattern import SplitPattern, iter_pretokens
from playground.core.errors import UnknownTokenError
from playground.core.merge_nodes import MergeNode
from playground.core.tokenizer import replace_lone_surrogates


class MergeStep(NamedTuple):
    """One merge: the bytes `start:middle` and `middle:end` of a pretoken become the token of this rank."""

    start: int
    middle: int
    end: int
    rank: int


class PretokenTrace(NamedTuple):
    """A pretoken and its merges, in the order in which the encoder applies them.

    `part_ends` are the byte offsets in the pretoken where the parts end that merging leaves. `is_whole`
    tells that the encoder takes the pretoken as one token although merging leaves several parts.
    """

    text: str
    char_start: int
    steps: tuple[MergeStep, ...]
    part_ends: tuple[int, ...]
    ids: tuple[int, ...]
    is_whole: bool


@dataclass(frozen=True)
class Trace:
    """A text as byte-pair encoding cuts and merges it; `pretokens` are in text order, no merge crosses one.

    >>> ranks = {b"a": 0, b"b": 1, b"ab": 2, b"abab": 3}
    >>> trace = encode_with_trace("abab", ranks, split_pattern=r"\\w+")
    >>> trace.ids, trace.n_steps
    ((3,), 3)
    >>> trace.pretokens[0].steps[0]
    MergeStep(start=0, middle=1, end=2, rank=2)
    """

    text: str
    pretokens: tuple[PretokenTrace, ...]

    @cached_property
    def ids(self) -> tuple[int, ...]:
        """The token ids, in text order: those that the encoder gives."""
        return tuple(token_id for pretoken in self.pretokens for token_id in pretoken.ids)

    @cached_property
    def n_steps(self) -> int:
        """How many merges the whole text takes."""
        return sum(len(pretoken.steps) for pretoken in self.pretokens)


def encode_with_trace(text: str, mergeable_ranks: Mapping[bytes, int], *, split_pattern: str) -> Trace:
    """Encode a text, keeping each merge: cut it into pretokens, then merge the pair of lowest rank in each.

    The algorithm is tiktoken's: a pair may merge when its bytes joined are in `mergeable_ranks`; the lowest
    rank merges first, and of equal ranks the leftmost; ids are ranks. A pretoken of n bytes takes
    O(n log n), and one that comes again costs nothing. An empty pattern does not cut, and what a pattern
    leaves out is a pretoken too. Lone surrogates become U+FFFD.

    Raises: UnknownTokenError, for a byte that the vocabulary lacks; InvalidInputError, for a pattern that
    does not compile or never ends.

    >>> encode_with_trace("ab ab", {b"a": 0, b"b": 1, b" ": 2, b"ab": 3}, split_pattern=r"\\w+|\\s").ids
    (3, 2, 3)
    """
    text = replace_lone_surrogates(text)
    seen: dict[str, PretokenTrace] = {}
    pretokens = []
    char_start = 0
    for pretoken_text, _is_match in iter_pretokens(text, SplitPattern.of(split_pattern)):
        known = seen.get(pretoken_text)
        if known is None:
            known = trace_pretoken(pretoken_text, mergeable_ranks, char_start=char_start)
            seen[pretoken_text] = known
        else:
            known = PretokenTrace(known.text, char_start, *known[2:])
        pretokens.append(known)
        char_start += len(pretoken_text)
    return Trace(text, tuple(pretokens))


def trace_pretoken(text: str, mergeable_ranks: Mapping[bytes, int], *, char_start: int = 0) -> PretokenTrace:
    """Merge one pretoken. Raises UnknownTokenError.

    >>> trace_pretoken("aaa", {b"a": 0, b"aa": 1}).part_ends
    (2, 3)
    """
    raw = text.encode()
    steps, part_ends = merge_bytes(raw, mergeable_ranks)
    whole_id = mergeable_ranks.get(raw) if len(part_ends) > 1 else None
    if whole_id is not None:
        ids: tuple[int, ...] = (whole_id,)
    else:
        try:
            bounds = pairwise((0, *part_ends))
            ids = tuple([mergeable_ranks[raw[start:end]] for start, end in bounds])
        except KeyError as error:
            raise UnknownTokenError(
                f"the vocabulary has no token for the byte {error.args[0].hex().upper()}; "
                "byte-pair encoding needs all 256"
            ) from None
    return PretokenTrace(text, char_start, steps, part_ends, ids, whole_id is not None)


def merge_bytes(
    raw: bytes, mergeable_ranks: Mapping[bytes, int], *, below_rank: float = float("inf")
) -> tuple[tuple[MergeStep, ...], tuple[int, ...]]:
    """Merge a pretoken's bytes by rank; returns the merges in order, and where the parts left over end.

    Only ranks lower than `below_rank` merge. The parts are a linked list over byte offsets, and the pairs
    that may merge wait in a heap; an entry is stale when the ends of its parts have changed since.

    >>> merge_bytes(b"abc", {b"a": 0, b"b": 1, b"c": 2, b"bc": 3})
    ((MergeStep(start=1, middle=2, end=3, rank=3),), (1, 3))
    """
    n_bytes = len(raw)
    rank_of = mergeable_ranks.get
    ends = list(range(1, n_bytes + 1))  # where the part that starts here ends; 0: no part starts here
    starts = list(range(-1, n_bytes))  # where the part that ends here starts
    heap = []
    for start in range(n_bytes - 1):
        rank = rank_of(raw[start : start + 2])
        if rank is not None and rank < below_rank:
            heap.append((rank, start, start + 1, start + 2))
    heapify(heap)
    steps = []
    while heap:
        rank, start, middle, end = heappop(heap)
        if ends[start] != middle or ends[middle] != end:
            continue
        steps.append(_new_step((start, middle, end, rank)))
        ends[start], ends[middle], starts[end] = end, 0, start
        if start:
            before = starts[start]
            rank_left = rank_of(raw[before:end])
            if rank_left is not None and rank_left < below_rank:
                heappush(heap, (rank_left, before, start, end))
        if end < n_bytes:
            after = ends[end]
            rank_right = rank_of(raw[start:after])
            if rank_right is not None and rank_right < below_rank:
                heappush(heap, (rank_right, start, end, after))
    return tuple(steps), tuple([end for end in ends if end])


def merge_forest(trace: Trace, mergeable_ranks: Mapping[bytes, int]) -> tuple[MergeNode, ...]:
    """The tree inside each token of a traced text, in text order, as the encoder's merges made it.

    >>> ranks = {b"a": 0, b"b": 1, b"ab": 2}
    >>> [tree.raw for tree in merge_forest(encode_with_trace("aba", ranks, split_pattern=r"\\w+"), ranks)]
    [b'ab', b'a']
    """
    seen: dict[str, tuple[MergeNode, ...]] = {}
    forest: list[MergeNode] = []
    for pretoken in trace.pretokens:
        trees = seen.get(pretoken.text)
        if trees is None:
            trees = pretoken_trees(pretoken, mergeable_ranks)
            seen[pretoken.text] = trees
        forest.extend(trees)
    return tuple(forest)


def pretoken_trees(pretoken: PretokenTrace, mergeable_ranks: Mapping[bytes, int]) -> tuple[MergeNode, ...]:
    """The tree inside each token of one pretoken, in text order."""
    raw = pretoken.text.encode()
    trees = _build_trees(raw, pretoken.steps, mergeable_ranks)
    return (MergeNode(raw, pretoken.ids[0], trees),) if pretoken.is_whole else trees


def token_tree(raw: bytes, mergeable_ranks: Mapping[bytes, int]) -> MergeNode:
    """The tree inside one token of the vocabulary: its merges recovered by merging it with lower ranks only.

    A vocabulary made by merging gives each token back as two parts. A token with more parts was not made by
    a merge of this vocabulary, and its `is_recovered` is False. Raises UnknownTokenError.

    >>> tree = token_tree(b"abab", {b"a": 0, b"b": 1, b"ab": 2, b"abab": 3})
    >>> [child.raw for child in tree.children], tree.is_recovered
    ([b'ab', b'ab'], True)
    """
    rank = mergeable_ranks.get(raw)
    if rank is None:
        raise UnknownTokenError(f"the vocabulary has no token {raw!r}")
    if len(raw) == 1:
        return MergeNode(raw, rank)
    steps, part_ends = merge_bytes(raw, mergeable_ranks, below_rank=rank)
    if len(part_ends) == 2:
        steps = (*steps, MergeStep(0, part_ends[0], len(raw), rank))
    trees = _build_trees(raw, steps, mergeable_ranks)
    return trees[0] if len(trees) == 1 else MergeNode(raw, rank, trees)


def iter_token_parts(
    raws: Sequence[bytes], mergeable_ranks: Mapping[bytes, int]
) -> Iterator[tuple[bytes, ...]]:
    """Yield the parts that each token was merged from: two, none for a byte, more when no merge makes it.

    >>> list(iter_token_parts([b"a", b"abab"], {b"a": 0, b"b": 1, b"ab": 2, b"abab": 3}))
    [(), (b'ab', b'ab')]
    """
    for raw in raws:
        if len(raw) == 1:
            yield ()
        elif len(raw) == 2:
            yield raw[:1], raw[1:]
        else:
            _steps, ends = merge_bytes(raw, mergeable_ranks, below_rank=mergeable_ranks[raw])
            yield tuple([raw[start:end] for start, end in pairwise((0, *ends))])


def _build_trees(
    raw: bytes, steps: Sequence[MergeStep], mergeable_ranks: Mapping[bytes, int]
) -> tuple[MergeNode, ...]:
    """Replay merges on leaves; `step` counts within each tree that is left."""
    nodes: list[MergeNode | None] = []
    for byte in raw:
        leaf = bytes([byte])
        nodes.append(MergeNode(leaf, mergeable_ranks[leaf]))
    n_steps_of = [0] * len(raw)
    # The merges of a tree keep their order but not their count: number them tree by tree.
    root_of = _final_roots(len(raw), steps)
    for start, middle, end, rank in steps:
        root = root_of[start]
        n_steps_of[root] += 1
        left, right = nodes[start], nodes[middle]
        if left is None or right is None:
            raise ValueError(f"merge of {raw[start:end]!r} before its parts exist")
        nodes[start] = MergeNode(raw[start:end], rank, (left, right), n_steps_of[root])
        nodes[middle] = None
    return tuple([node for node in nodes if node is not None])


def _final_roots(n_bytes: int, steps: Sequence[MergeStep]) -> list[int]:
    """For each byte that starts a part at some time, the start of the part that holds it in the end."""
    roots = list(range(n_bytes))
    for start, middle, _end, _rank in reversed(steps):
        roots[middle] = roots[start]
    return roots


_new_step = MergeStep._make
