"""The rules of byte-pair encoding: any neighbours merge that spell a token, or pairs of ids that are listed.

How merging goes is in `bpe.merging`.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property

from playground.bpe.merging import apply_steps, merge_parts
from playground.core.building import Merged, MergeStep
from playground.core.errors import UnknownTokenError

_BYTES = tuple(bytes([byte]) for byte in range(256))


class ByRank:
    """Neighbours merge when their bytes joined are a token, the lowest rank first; tiktoken's rule.

    A pretoken that is a token is taken whole, merged or not. `ids` gives the id of each token, where it is
    not its rank; `parts` what a token was merged from, where that is known and need not be recovered.

    >>> rule = ByRank({b"a": 0, b"b": 1, b"ab": 2, b"abab": 3})
    >>> rule.build(b"aba").ids, rule.parts_of(3)
    ((2, 0), (2, 2))
    """

    made = None  # the sum of two parts is what they become

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
        """A part a byte."""
        return [*map(_BYTES.__getitem__, raw)]

    def id_of(self, part: bytes) -> int:
        """The token that spells these bytes. Raises UnknownTokenError."""
        try:
            return self._ids[part]
        except KeyError:
            raise _no_token(part) from None

    def rank_of(self, token_id: int) -> int:
        """The rank of a token. Raises UnknownTokenError."""
        return self._ranked(token_id)[1]

    def build(self, raw: bytes) -> Merged:
        """Merge a pretoken. Raises UnknownTokenError for a byte without a token."""
        steps, parts, part_ends = merge_parts(self.parts(raw), self.find)
        if len(parts) > 1 and raw in self._ids:
            return Merged(self, raw, steps, part_ends, (self._ids[raw],), is_whole=True)
        return Merged(self, raw, steps, part_ends, self._ids_of(parts))

    def inside(self, token_id: int) -> Merged:
        """A token as the merges of lower rank make it, and one of its two parts. Raises UnknownTokenError."""
        raw, rank = self._ranked(token_id)
        steps, parts, part_ends = merge_parts(self.parts(raw), self.find, below=rank)
        if len(parts) == 2:
            steps = (*steps, MergeStep(rank, 0, part_ends[0], len(raw)))
        return Merged(self, raw, steps, part_ends, (token_id,), is_whole=len(parts) > 2)

    def parts_of(self, token_id: int) -> tuple[int, ...]:
        """The tokens of lower rank that a token was merged from. Raises UnknownTokenError."""
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
    """Pairs of ids merge that are listed, the first listed first; the rule of Hugging Face and of training.

    `merges` are `(left, right, new id)`; `byte_ids` gives the id of each byte. A merge has the rank
    256 + its place in the list, as where tiktoken counts bytes and merges in one row.

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
        """A part a byte."""
        return [*map(self._byte_parts.__getitem__, raw)]

    def id_of(self, part: tuple[int, ...]) -> int:
        """The token that a part is."""
        return part[0]

    def rank_of(self, token_id: int) -> int:
        """The rank of a token: of several merges that make it, the lowest. Raises UnknownTokenError."""
        try:
            return self._rank_by_id[token_id]
        except KeyError:
            raise UnknownTokenError(f"no token that merges has id {token_id}") from None

    def build(self, raw: bytes) -> Merged:
        """Merge a pretoken."""
        steps, parts, part_ends = merge_parts(self.parts(raw), self.find, self.made)
        return Merged(self, raw, steps, part_ends, tuple([token_id for (token_id,) in parts]))

    def inside(self, token_id: int) -> Merged:
        """A token as its own bytes are merged; as it is listed, where they are merged otherwise.

        Raises UnknownTokenError.
        """
        listed = self._listed(token_id)
        built = self.build(listed.raw)
        return built if built.ids == (token_id,) else listed

    def parts_of(self, token_id: int) -> tuple[int, ...]:
        """The two tokens that a token was merged from. Raises UnknownTokenError."""
        if token_id in self._only_parts:
            return self._only_parts[token_id]
        inside = self.inside(token_id)
        if not inside.steps:
            return ()
        parts = apply_steps(self.parts(inside.raw), inside.steps[:-1], self.made)
        return tuple([part for (part,) in parts])

    def _listed(self, token_id: int) -> Merged:
        """A token by the merges that are listed for it and for its parts, whatever else could merge."""
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
        """The parts of each token that one merge alone makes: they need not be found by merging."""
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
