"""How a text's tokens came about: a `Trace` of all pretokens, and an encoder's choices merge by merge."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, assert_never

from playground.bpe.merging import leaves_of, merge_trees
from playground.core.building import (
    Building,
    Given,
    Lattice,
    Merged,
    MergeNode,
    Pretoken,
    PretokenIdentity,
    Probed,
)
from playground.core.tokenizer import Tokenizer, replace_lone_surrogates
from playground.core.vocabulary import Vocabulary


@dataclass(frozen=True)
class Trace:
    """A text's pretokens in order, with how the tokens of each were built.

    >>> from playground.catalog.registry import get_tokenizer
    >>> trace = trace_text(get_tokenizer("gpt2"), "Hello Hello")
    >>> trace.ids, trace.n_merges
    ((15496, 18435), 9)
    """

    text: str
    pretokens: tuple[Pretoken, ...]
    buildings: tuple[Building, ...]

    @cached_property
    def ids(self) -> tuple[int, ...]:
        """The token ids, in text order."""
        return tuple(token_id for building in self.buildings for token_id in building.ids)

    @cached_property
    def n_merges(self) -> int:
        """The number of merges of the whole text."""
        return sum(len(building.steps) for building in self.buildings if isinstance(building, Merged))

    @cached_property
    def n_tries(self) -> int:
        """The number of pieces tried by longest match."""
        return sum(len(building.probes) for building in self.buildings if isinstance(building, Probed))

    @cached_property
    def n_pieces(self) -> int:
        """The number of pieces in the lattices of a Unigram model."""
        return sum(len(building.edges) for building in self.buildings if isinstance(building, Lattice))


def trace_text(tokenizer: Tokenizer, text: str) -> Trace:
    """Cut a text and build each distinct pretoken once.

    Raises: UnknownTokenError for a byte outside the vocabulary; InvalidInputError for a typed split pattern
    that takes too long.
    """
    text = replace_lone_surrogates(text)
    pretokens = tuple(tokenizer.iter_pretokens(text))
    identities = [pretoken.identity for pretoken in pretokens]
    distinct = dict(zip(identities, pretokens, strict=True))
    built = {identity: tokenizer.build(pretoken) for identity, pretoken in distinct.items()}
    return Trace(text, pretokens, tuple([built[identity] for identity in identities]))


def token_trees(building: Building, vocabulary: Vocabulary) -> tuple[MergeNode, ...]:
    """Return the merge tree of each token of a pretoken; a leaf if the token isn't merged.

    >>> from playground.catalog.registry import get_tokenizer
    >>> token_trees(Given((97,)), get_tokenizer("utf8_bytes").vocabulary)
    (MergeNode(raw=b'a', id=97, rank=-1, children=(), step=0),)
    """
    match building:
        case Merged():
            return merge_trees(building)
        case Lattice() | Probed() | Given():
            return tuple([MergeNode(vocabulary.raw_of(token_id), token_id) for token_id in building.ids])
        case _:
            assert_never(building)


def text_trees(trace: Trace, vocabulary: Vocabulary) -> Iterator[MergeNode]:
    """Yield the merge tree of each token of a traced text."""
    trees: dict[PretokenIdentity, tuple[MergeNode, ...]] = {}
    for pretoken, building in zip(trace.pretokens, trace.buildings, strict=True):
        if pretoken.identity not in trees:
            trees[pretoken.identity] = token_trees(building, vocabulary)
        yield from trees[pretoken.identity]


class FrameStep(NamedTuple):
    """One merge of the part at `position` and the next, and the ranks of the result with its neighbours.

    A rank is None if the two don't merge or there is no neighbour.
    """

    position: int
    rank: int
    left_rank: int | None
    right_rank: int | None


class EncodingFrames(NamedTuple):
    """A pretoken's initial pairs and its merges, from which each state of the encoder can be drawn.

    `leaves` are its bytes, or its characters if those are merged; `pair_ranks[i]` is the rank of leaf `i`
    with the next leaf.
    """

    raw: bytes
    leaves: tuple[bytes, ...]
    pair_ranks: tuple[int | None, ...]
    steps: tuple[FrameStep, ...]


def encoding_frames(merged: Merged) -> EncodingFrames:
    """Return the pairs and ranks that the encoder has at each step of a pretoken.

    >>> from playground.bpe.merging import ByRank
    >>> rule = ByRank({b"a": 0, b"b": 1, b"c": 2, b"bc": 3, b"abc": 4})
    >>> frames = encoding_frames(rule.build(b"abc"))
    >>> frames.pair_ranks, frames.steps[0]
    ((None, 3), FrameStep(position=1, rank=3, left_rank=4, right_rank=None))
    """
    rule = merged.rule
    parts, starts = leaves_of(merged)
    bounds = list(starts)
    pair_ranks = tuple([rule.find(left + right) for left, right in pairwise(parts)])
    steps = []
    for rank, start, middle, _end in merged.steps:
        place = bounds.index(start)
        bounds.remove(middle)
        joined = parts[place] + parts[place + 1]
        parts[place : place + 2] = [joined if rule.made is None else rule.made[rank]]
        left_rank = rule.find(parts[place - 1] + parts[place]) if place else None
        right_rank = rule.find(parts[place] + parts[place + 1]) if place + 1 < len(parts) else None
        steps.append(FrameStep(place, rank, left_rank, right_rank))
    leaves = tuple([merged.raw[start:end] for start, end in pairwise((*starts, len(merged.raw)))])
    return EncodingFrames(merged.raw, leaves, pair_ranks, tuple(steps))
