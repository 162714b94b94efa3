"""The encoder's choices, frame by frame: before each merge, every pair with its rank and the one that merges.

How a frame looks, and how fast they play, is decided in `web/forest`.
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

from playground.bpe.merging import PretokenTrace


class FrameStep(NamedTuple):
    """One merge: the part at `position` and the next become one; these are its ranks with its neighbours.

    A rank of None means that the pair is not in the vocabulary, or that there is no neighbour.
    """

    position: int
    rank: int
    left_rank: int | None
    right_rank: int | None


class EncodingFrames(NamedTuple):
    """A pretoken's first pairs and its merges: all that is needed to show the encoder at any moment.

    `pair_ranks[i]` is the rank of byte `i` joined with the next.
    """

    raw: bytes
    pair_ranks: tuple[int | None, ...]
    steps: tuple[FrameStep, ...]


def encoding_frames(pretoken: PretokenTrace, mergeable_ranks: Mapping[bytes, int]) -> EncodingFrames:
    """What the encoder could choose from at each step of a pretoken.

    >>> from playground.bpe.merging import trace_pretoken
    >>> ranks = {b"a": 0, b"b": 1, b"c": 2, b"bc": 3, b"abc": 4}
    >>> frames = encoding_frames(trace_pretoken("abc", ranks), ranks)
    >>> frames.pair_ranks, frames.steps[0]
    ((None, 3), FrameStep(position=1, rank=3, left_rank=4, right_rank=None))
    """
    raw = pretoken.text.encode()
    bounds = list(range(len(raw) + 1))
    steps = []
    for start, middle, end, rank in pretoken.steps:
        index = bounds.index(start)
        bounds.remove(middle)
        left = mergeable_ranks.get(raw[bounds[index - 1] : end]) if index else None
        right = mergeable_ranks.get(raw[start : bounds[index + 2]]) if index + 2 < len(bounds) else None
        steps.append(FrameStep(index, rank, left, right))
    pairs = pairwise(bytes([byte]) for byte in raw)
    return EncodingFrames(raw, tuple([mergeable_ranks.get(a + b) for a, b in pairs]), tuple(steps))
