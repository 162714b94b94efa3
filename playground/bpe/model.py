"""BpeModel: what a training leaves behind, and all that a file of one must hold.

Files of it are read and written in `files`; the tokenizer made of it is `catalog.trained`.
"""

import heapq
import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from playground.bpe.merge_recovery import iter_misfits
from playground.bpe.split_pattern import SplitPattern
from playground.core.errors import InvalidInputError

Pair = tuple[int, int]
_IDENTITY = tuple(range(256))


@dataclass(frozen=True, slots=True)
class BpeModel:
    """Merges in rank order as `(left, right, new id)`; `byte_ids` gives the id of each byte.

    >>> model = BpeModel(SplitPattern.named("none"), ((97, 97, 256), (256, 97, 257), (257, 98, 258)))
    >>> model.encode_pretoken(b"aaabdaaabac")
    [258, 100, 258, 97, 99]
    """

    pattern: SplitPattern
    merges: tuple[tuple[int, int, int], ...]
    special_tokens: Mapping[str, int] = field(default_factory=dict)
    byte_ids: tuple[int, ...] = _IDENTITY

    def token_bytes(self) -> dict[int, bytes]:
        """The bytes of each id, special tokens left out."""
        raw_of = {token_id: bytes([byte]) for byte, token_id in enumerate(self.byte_ids)}
        for left, right, new_id in self.merges:
            raw_of[new_id] = raw_of[left] + raw_of[right]
        return raw_of

    def mergeable_ranks(self) -> dict[bytes, int]:
        """Bytes to id; of two ids that spell the same, the first."""
        ranks: dict[bytes, int] = {}
        for token_id, raw in self.token_bytes().items():
            ranks.setdefault(raw, token_id)
        return ranks

    def with_special_tokens(self, names: tuple[str, ...]) -> "BpeModel":
        """The model with special tokens behind all others. Raises InvalidInputError."""
        for name in names:
            if not name or names.count(name) > 1 or "\n" in name:
                raise InvalidInputError(
                    f"special token {name!r} cannot be used: each needs a text of its own on one line"
                )
        first = max([*self.byte_ids, *(merge[2] for merge in self.merges)]) + 1
        special_tokens = {name: first + n for n, name in enumerate(names)}
        return BpeModel(self.pattern, self.merges, special_tokens, self.byte_ids)

    def encode_pretoken(self, raw: bytes) -> list[int]:
        """Encode one pretoken with the merges in rank order: exact, in n log n steps.

        Source: the same greedy rule as `lecture.encode`, over a linked list with a heap.
        """
        return encode_pretoken(raw, self.byte_ids, self.ranks())

    def ranks(self) -> dict[Pair, tuple[int, int]]:
        """Pair to `(rank, new id)`."""
        return {(left, right): (rank, new) for rank, (left, right, new) in enumerate(self.merges)}

    def misfits(self) -> Iterator[int]:
        """Yield the ids that no table of bytes and ranks, such as tiktoken's, can stand for exactly."""
        return iter_misfits(self.byte_ids, self.merges)


def encode_pretoken(
    raw: bytes, byte_ids: tuple[int, ...], ranks: Mapping[Pair, tuple[int, int]]
) -> list[int]:
    """Merge by pair, the lowest rank first and the leftmost of equals, until no pair is known."""
    ids: list[int] = [byte_ids[byte] for byte in raw]
    following = [*range(1, len(ids)), -1]
    previous = [-1, *range(len(ids) - 1)]
    heap = [
        (ranks[pair][0], place, *pair) for place, pair in enumerate(itertools.pairwise(ids)) if pair in ranks
    ]
    heapq.heapify(heap)
    while heap:
        _, place, left, right = heapq.heappop(heap)
        after = following[place]
        if ids[place] != left or after < 0 or ids[after] != right:
            continue
        ids[place] = ranks[left, right][1]
        ids[after] = -1
        following[place] = following[after]
        if following[place] >= 0:
            previous[following[place]] = place
        for start in (previous[place], place):
            stop = following[start] if start >= 0 else -1
            if stop >= 0 and (ids[start], ids[stop]) in ranks:
                pair = ids[start], ids[stop]
                heapq.heappush(heap, (ranks[pair][0], start, *pair))
    return [token_id for token_id in ids if token_id >= 0]
