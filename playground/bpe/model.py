"""BpeModel: what a training leaves behind, and all that a file of one must hold.

Files of it are read and written in `files`; the tokenizer made of it is `catalog.trained`.
"""

import heapq
import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

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
        """Yield the ids that no table of bytes and ranks, such as tiktoken's, can stand for exactly.

        A table merges *any* neighbours that spell a token. That is the same as merging by pairs if each
        token's bytes, encoded with the lower ranks only, give the two parts it was made of.
        """
        raw_of = self.token_bytes()
        rank_of = {bytes([byte]): token_id for byte, token_id in enumerate(self.byte_ids)}
        highest = max(self.byte_ids)
        for left, right, new_id in self.merges:
            raw = raw_of[new_id]
            if raw in rank_of or new_id <= highest:
                yield new_id
                continue
            splits = [n for n in range(1, len(raw)) if raw[:n] in rank_of and raw[n:] in rank_of]
            if len(splits) > 1 and _recovered_parts(raw, rank_of) != [raw_of[left], raw_of[right]]:
                yield new_id
            rank_of[raw] = highest = new_id


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


def recovered_merges(rank_of: Mapping[bytes, int]) -> tuple[tuple[int, int, int], ...]:
    """The merges behind a table of ranks: each token's bytes, encoded with the lower ranks only.

    Raises: InvalidInputError with the first token that is not made of two others.

    >>> recovered_merges({b"a": 0, b"b": 1, b"ab": 2, b"abb": 3})
    ((0, 1, 2), (2, 1, 3))
    """
    known: dict[bytes, int] = {}
    merges = []
    for raw, rank in sorted(rank_of.items(), key=lambda item: item[1]):
        if len(raw) > 1:
            parts = _recovered_parts(raw, known)
            if len(parts) != 2:
                raise InvalidInputError(
                    f"token {rank} ({raw!r}) is not made of two tokens of lower rank, "
                    "so these are no BPE ranks"
                )
            merges.append((known[parts[0]], known[parts[1]], rank))
        known[raw] = rank
    return tuple(merges)


def _recovered_parts(raw: bytes, rank_of: Mapping[bytes, int]) -> list[bytes]:
    parts = [raw[i : i + 1] for i in range(len(raw))]
    while len(parts) > 2:
        ranks = [rank_of.get(left + right) for left, right in itertools.pairwise(parts)]
        known = [rank for rank in ranks if rank is not None]
        if not known:
            break
        i = ranks.index(min(known))
        parts[i : i + 2] = [parts[i] + parts[i + 1]]
    return parts
