"""The rule of SentencePiece's BPE: characters merge into pieces, the best score first.

The rules of byte-level BPE are in `bpe.merge_rules`, how merging goes in `bpe.merging`.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import groupby, pairwise
from typing import NamedTuple

import regex

from playground.bpe.merging import merge_parts
from playground.core.building import Leaves, Merged, MergeStep
from playground.core.errors import UnknownTokenError

#: Parts that merge with nothing begin with a byte that no text has.
_BYTE, _SYMBOL, _UNKNOWN = b"\xfe", b"\xff", b"\xfd"
#: As where tiktoken counts bytes and merges in one row.
FIRST_RANK = 256


class Scored(NamedTuple):
    """A piece of the vocabulary: its id and its score."""

    id: int
    score: float


class ByScore:
    """Neighbours merge when their characters joined are a piece, the best score first, then the leftmost.

    `pieces` are by their bytes. `symbols` are pieces that are taken wherever a text spells them, and that
    merge with nothing. A character without a piece falls to `byte_ids`; where there are none, it and its
    neighbours without a piece are one `unknown_id`. A merge has the rank 256 + how many scores are better.

    >>> pieces = {b"a": Scored(3, -9), b"b": Scored(4, -9), b"ab": Scored(5, -1), b"ba": Scored(6, -2)}
    >>> rule = ByScore(pieces, unknown_id=0)
    >>> built = rule.build("bab🙂🙂".encode())
    >>> built.ids, built.steps, rule.parts_of(6)
    ((4, 5, 0), (MergeStep(rank=256, start=1, middle=2, end=3),), (4, 3))
    """

    made = None  # the sum of two parts is what they become

    def __init__(
        self,
        pieces: Mapping[bytes, Scored],
        *,
        unknown_id: int,
        byte_ids: Sequence[int] = (),
        symbols: Iterable[str] = (),
    ) -> None:
        self._ids = {raw: piece.id for raw, piece in pieces.items()}
        self._byte_ids = byte_ids
        self._unknown_id = unknown_id
        self._symbols = frozenset(symbols)
        longest_first = sorted(self._symbols, key=len, reverse=True)
        self._leaf = regex.compile("(?s)" + "|".join([*map(regex.escape, longest_first), "."]))
        scores = {raw: piece.score for raw, piece in pieces.items() if _is_joined(raw, self._symbols)}
        best_first = sorted(set(scores.values()), reverse=True)
        place_of = {score: FIRST_RANK + place for place, score in enumerate(best_first)}
        self._ranks = {raw: place_of[score] for raw, score in scores.items()}
        self.find = self._ranks.get

    def parts(self, raw: bytes) -> list[bytes]:
        """A part a character, and one for each symbol."""
        return [
            _SYMBOL + leaf.encode() if leaf in self._symbols else leaf.encode()
            for leaf in self._leaf.findall(raw.decode())
        ]

    def id_of(self, part: bytes) -> int:
        """The token that a part is; for a character without a piece the unknown one."""
        kind = part[:1]
        if kind == _BYTE:
            return self._byte_ids[part[1]]
        return self._ids.get(part[1:] if kind == _SYMBOL else part, self._unknown_id)

    def rank_of(self, token_id: int) -> int:
        """The rank of the merge that makes a token; -1 for one that is there before anything merges."""
        return self._ranks.get(self._raw_by_id.get(token_id, b""), -1)

    def build(self, raw: bytes) -> Merged:
        """Merge a pretoken."""
        parts = self.parts(raw)
        bounds = [0]
        for part in parts:
            bounds.append(bounds[-1] + len(part.removeprefix(_SYMBOL)))
        steps, _left, left_ends = merge_parts(list(parts), self.find)
        leaf_parts: list[bytes] = []
        leaf_ends: list[int] = []
        part_ends: list[int] = []
        ids: list[int] = []
        left = [*pairwise((0, *left_ends))]
        for is_known, group in groupby(left, lambda ends: self._is_known(parts, ends)):
            if is_known:
                for start, end in group:
                    leaf_parts += parts[start:end]
                    leaf_ends += bounds[start + 1 : end + 1]
                    part_ends.append(bounds[end])
                    ids.append(self.id_of(parts[start] if end - start == 1 else b"".join(parts[start:end])))
                continue
            unknown = [*group]
            first, last = bounds[unknown[0][0]], bounds[unknown[-1][1]]
            fallen = self._fallen(raw[first:last])
            leaf_parts += fallen
            ends = range(first + 1, last + 1) if self._byte_ids else [last]
            leaf_ends += ends
            part_ends += ends
            ids += map(self.id_of, fallen)
        byte_steps = [MergeStep(rank, bounds[a], bounds[b], bounds[c]) for rank, a, b, c in steps]
        return Merged(
            self, raw, tuple(byte_steps), tuple(part_ends), tuple(ids),
            leaves=Leaves(tuple(leaf_parts), tuple(leaf_ends)),
        )  # fmt: skip

    def inside(self, token_id: int) -> Merged:
        """A token as its own characters are merged; whole where they become others.

        Raises UnknownTokenError.
        """
        if token_id in self._byte_ids:
            byte = bytes([self._byte_ids.index(token_id)])
            return Merged(self, byte, (), (1,), (token_id,), leaves=Leaves((_BYTE + byte,), (1,)))
        raw = self._raw_by_id.get(token_id)
        if raw is None:
            raise UnknownTokenError(f"no token that merges has id {token_id}")
        built = self.build(raw)
        return built if built.ids == (token_id,) else built._replace(ids=(token_id,), is_whole=True)

    def parts_of(self, token_id: int) -> tuple[int, ...]:
        """The tokens that a token was merged from. Raises UnknownTokenError."""
        inside = self.inside(token_id)
        if inside.is_whole:
            return self.build(inside.raw).ids
        if not inside.steps:
            return ()
        middle = inside.steps[-1].middle
        return self.id_of(inside.raw[:middle]), self.id_of(inside.raw[middle:])

    def _is_known(self, parts: Sequence[bytes], ends: tuple[int, int]) -> bool:
        """Whether what is left is a piece: what was merged is one, a character alone need not be."""
        start, end = ends
        return end - start > 1 or parts[start] in self._ids or parts[start][:1] == _SYMBOL

    def _fallen(self, raw: bytes) -> list[bytes]:
        """What characters without a piece become: their bytes, or one part that is unknown."""
        return [_BYTE + bytes([byte]) for byte in raw] if self._byte_ids else [_UNKNOWN + raw]

    @cached_property
    def _raw_by_id(self) -> dict[int, bytes]:
        return {token_id: raw for raw, token_id in self._ids.items()}


def _is_joined(raw: bytes, symbols: frozenset[str]) -> bool:
    """Whether a piece is of several characters, and of those that merging makes."""
    text = raw.decode()
    return len(text) > 1 and text not in symbols
