"""Latencies by kind, of what visitors wait for."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import NamedTuple


class Wait(NamedTuple):
    """What a visitor waited for, and from when to when, by `perf_counter`."""

    kind: str
    started: float
    ended: float

    @property
    def milliseconds(self) -> float:
        """How long it took."""
        return 1000 * (self.ended - self.started)


@dataclass
class Latencies:
    """What visitors waited for that began after `restart`."""

    waits: list[Wait] = field(default_factory=list)
    _since: float = 0.0

    def restart(self) -> None:
        """Forget what was measured: now all visitors are there."""
        self.waits = []
        self._since = perf_counter()

    def add(self, kind: str, started: float) -> None:
        """Something that a visitor waited for has come; `started` is by `perf_counter`."""
        if started >= self._since:
            self.waits.append(Wait(kind, started, perf_counter()))

    @contextmanager
    def of(self, kind: str) -> Iterator[None]:
        """Measure a block."""
        started = perf_counter()
        yield
        self.add(kind, started)


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that so large a share of all does not pass; NaN where there is none.

    >>> percentile([3.0, 1.0, 2.0, 9.0], 0.5), percentile([3.0, 1.0, 2.0, 9.0], 0.95)
    (2.0, 9.0)
    """
    if not values:
        return math.nan
    return sorted(values)[max(math.ceil(share * len(values)) - 1, 0)]
