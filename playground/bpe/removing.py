"""ByEvents: the rule of byte-level BPE whose training also removed tokens, as PickyBPE does."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import pairwise

from playground.bpe.merging import ByPair
from playground.core.building import Merged, MergeStep


class ByEvents(ByPair):
    """Merges and removals are applied in the order in which they were learned.

    A removal is the number of merges before it and the id of a token, which it replaces by the two parts of
    the first merge that makes it. Every occurrence of a pair or a token is replaced at its event.

    >>> rule = ByEvents(range(256), [(97, 98, 256), (256, 99, 257)], [(2, 256)])
    >>> rule.build(b"abcab").ids, rule.parts_of(257)
    ((257, 97, 98), (97, 98, 99))
    """

    def __init__(
        self,
        byte_ids: Sequence[int],
        merges: Iterable[tuple[int, int, int]],
        removals: Iterable[tuple[int, int]],
    ) -> None:
        super().__init__(byte_ids, merges)
        self.first_parts: dict[int, tuple[int, int]] = {}
        for left, right, new_id in self._merges:
            self.first_parts.setdefault(new_id, (left, right))
        merged: list[tuple[int, int, tuple[int, ...], int]] = [
            (n, 0, (left, right), new_id) for n, (left, right, new_id) in enumerate(self._merges, 1)
        ]
        removed: list[tuple[int, int, tuple[int, ...], int]] = [
            (n, 1 + k, (token_id,), token_id) for k, (n, token_id) in enumerate(removals)
        ]
        self._events: list[tuple[tuple[int, ...], tuple[int, ...]]] = []
        self._times: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
        self.removed: set[int] = set()
        for _n, k, replaced, token_id in sorted(merged + removed):
            self._times[replaced].append(len(self._events))
            self._events.append((replaced, self.first_parts[token_id] if k else (token_id,)))
            (self.removed.add if k else self.removed.discard)(token_id)

    def build(self, raw: bytes) -> Merged:
        """Apply the events to a pretoken; the steps are the merges inside the tokens that remain."""
        ids = [token_id for (token_id,) in self.parts(raw)]
        now = -1
        while (event := self._next(ids, now)) is not None:
            now = event
            ids = replace_all(ids, *self._events[now])
        steps: list[MergeStep] = []
        ends: list[int] = []
        at = 0
        for token_id in ids:
            inside = self._listed(token_id)
            steps += [MergeStep(rank, at + a, at + b, at + c) for rank, a, b, c in inside.steps]
            at += len(inside.raw)
            ends.append(at)
        return Merged(self, raw, tuple(steps), tuple(ends), tuple(ids))

    def inside(self, token_id: int) -> Merged:
        """Return a token by the first merges of it and its parts. Raises UnknownTokenError."""
        return self._listed(token_id)

    def parts_of(self, token_id: int) -> tuple[int, ...]:
        """Return the tokens of the vocabulary that a token was merged from. Raises UnknownTokenError."""
        self.rank_of(token_id)
        return tuple(
            [each for part in self.first_parts.get(token_id, ()) for each in self._parts_that_stay(part)]
        )

    def _parts_that_stay(self, token_id: int) -> list[int]:
        if token_id not in self.removed:
            return [token_id]
        return [each for part in self.first_parts[token_id] for each in self._parts_that_stay(part)]

    def _next(self, ids: list[int], now: int) -> int | None:
        """Return the first event after `now` that changes these ids."""
        found = None
        for replaced in {*pairwise(ids), *((token_id,) for token_id in ids)}:
            times = self._times.get(replaced)
            if times and times[-1] > now:
                time = times[bisect_right(times, now)]
                found = time if found is None else min(found, time)
        return found

    def _listed(self, token_id: int) -> Merged:
        if token_id not in self._known:
            self._known[token_id] = super()._listed(token_id)
        return self._known[token_id]

    @cached_property
    def _known(self) -> dict[int, Merged]:
        return {}


def replace_all(ids: list[int], replaced: tuple[int, ...], by: tuple[int, ...]) -> list[int]:
    """Return ids with each occurrence of one or two ids replaced, from left to right.

    >>> replace_all([1, 1, 1, 2], (1, 1), (9,)), replace_all([9, 2], (9,), (1, 1))
    ([9, 1, 2], [1, 1, 2])
    """
    result: list[int] = []
    at, n = 0, len(replaced)
    while at < len(ids):
        if tuple(ids[at : at + n]) == replaced:
            result += by
            at += n
        else:
            result.append(ids[at])
            at += 1
    return result
