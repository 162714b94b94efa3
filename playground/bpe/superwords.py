"""BySuperwords: the rule of byte-level BPE that also joins neighbouring pretokens, as BoundlessBPE does."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache, cached_property

import regex

from playground.bpe.character_categories import with_stand_ins
from playground.bpe.merging import ByPair, merge_parts
from playground.bpe.split_pattern import SplitPattern, iter_pretokens
from playground.core.building import Merged, MergeStep

_MAX_KNOWN = 100_000
#: What `merge_parts` returns for a pretoken.
_Merged = tuple[tuple[MergeStep, ...], list[tuple[int, ...]], tuple[int, ...]]


@cache
def _joinable() -> regex.Pattern[str]:
    """Return the pattern of pretokens that supermerges may join: letters, spaces, "_" and apostrophes.

    It is the one of the authors' code.
    """
    return regex.compile(r"(?=.*\p{L})(?:\p{L}\p{M}*|[ _'’])+")


def may_join(pretoken: str) -> bool:
    """Whether supermerges may join a pretoken to its neighbours.

    >>> may_join(" the"), may_join("'s"), may_join(" 12"), may_join("."), may_join(" ")
    (True, True, False, False, False)
    """
    return _joinable().fullmatch(with_stand_ins(pretoken)) is not None


def iter_runs(pretokens: Iterable[str]) -> Iterator[str]:
    """Yield pretokens; neighbours that supermerges may join are one string.

    >>> list(iter_runs(["to", " be", ",", " or", " not", "!"]))
    ['to be', ',', ' or not', '!']
    """
    run = ""
    for pretoken in pretokens:
        if may_join(pretoken):
            run += pretoken
            continue
        if run:
            yield run
            run = ""
        yield pretoken
    if run:
        yield run


class BySuperwords(ByPair):
    """Merges inside pretokens come first; supermerges then join neighbouring pretokens of one token each.

    `supermerges` are places in `merges`. What is built is a run of pretokens, which `pattern` cuts again. A
    supermerge is learned after the merges that make its parts, so this equals applying all merges in order.

    >>> merges = [(111, 102, 256), (32, 105, 257), (257, 116, 258), (256, 258, 259)]
    >>> rule = BySuperwords(range(256), merges, [3], SplitPattern.named("gpt2"))
    >>> rule.build(b"of it").ids, rule.build(b"of its").ids, rule.parts_of(259)
    ((259,), (256, 258, 115), (256, 258))
    """

    def __init__(
        self,
        byte_ids: Sequence[int],
        merges: Iterable[tuple[int, int, int]],
        supermerges: Collection[int],
        pattern: SplitPattern,
    ) -> None:
        super().__init__(byte_ids, merges)
        self._pattern = pattern
        ranks = {place: len(self._byte_parts) + place for place in range(len(self._merges))}
        self._across: dict[tuple[int, ...], int] = {
            self._merges[place][:2]: ranks.pop(place) for place in supermerges
        }
        inside: dict[tuple[int, ...], int] = {self._merges[place][:2]: rank for place, rank in ranks.items()}
        self.find = inside.get

    def build(self, raw: bytes) -> Merged:
        """Merge a run of pretokens."""
        steps: list[MergeStep] = []
        parts: list[tuple[int, ...]] = []  # an empty one separates what supermerges may not join
        starts: list[int] = []
        at = 0
        for pretoken in self._cut(raw):
            inside, found, ends = self._merged(pretoken)
            steps += [MergeStep(rank, at + a, at + b, at + c) for rank, a, b, c in inside]
            if len(found) == 1:
                parts += found
                starts.append(at)
            else:
                for part, start, end in zip(found, (0, *ends), ends, strict=False):
                    parts += [(), part, ()]
                    starts += [at + start, at + start, at + end]
            at += len(pretoken)
        starts.append(at)
        across, parts, ends = merge_parts(parts, self._across.get, self.made)
        steps += [MergeStep(rank, starts[a], starts[b], starts[c]) for rank, a, b, c in across]
        kept = [(part, starts[end]) for part, end in zip(parts, ends, strict=True) if part]
        return Merged(
            self, raw, tuple(steps), tuple([end for _part, end in kept]), tuple([part[0] for part, _ in kept])
        )

    def inside(self, token_id: int) -> Merged:
        """Return a token by the merges listed for it and its parts. Raises UnknownTokenError."""
        return self._listed(token_id)

    def _cut(self, raw: bytes) -> list[bytes]:
        return [pretoken.encode() for pretoken, _is_match in iter_pretokens(raw.decode(), self._pattern)]

    def _merged(self, pretoken: bytes) -> _Merged:
        found = self._known.get(pretoken)
        if found is None:
            found = merge_parts(self.parts(pretoken), self.find, self.made)
            if len(self._known) < _MAX_KNOWN:
                self._known[pretoken] = found
        return found

    @cached_property
    def _known(self) -> dict[bytes, _Merged]:
        return {}
