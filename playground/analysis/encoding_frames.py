"""The encoder's choices, frame by frame: before each merge, every pair with its rank and the one that merges.

How a frame looks, and how fast they play, is decided in `web/forest`.
"""

from itertools import pairwise
from typing import NamedTuple

from playground.bpe.merging import leaves_of
from playground.core.building import Merged


class FrameStep(NamedTuple):
    """One merge: the part at `position` and the next become one; these are its ranks with its neighbours.

    A rank of None means that the two do not merge, or that there is no neighbour.
    """

    position: int
    rank: int
    left_rank: int | None
    right_rank: int | None


class EncodingFrames(NamedTuple):
    """A pretoken's first pairs and its merges: all that is needed to show the encoder at any moment.

    `leaves` are its bytes, or its characters where these merge; `pair_ranks[i]` is the rank at which leaf `i`
    and the next merge.
    """

    raw: bytes
    leaves: tuple[bytes, ...]
    pair_ranks: tuple[int | None, ...]
    steps: tuple[FrameStep, ...]


def encoding_frames(merged: Merged) -> EncodingFrames:
    """What the encoder could choose from at each step of a pretoken.

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
