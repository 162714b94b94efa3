"""Latencies by kind, of what visitors wait for."""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter


@dataclass
class Latencies:
    """Milliseconds by kind, of what began after `restart`."""

    of_kind: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    _since: float = 0.0

    def restart(self) -> None:
        """Forget what was measured: now all visitors are there."""
        self.of_kind.clear()
        self._since = perf_counter()

    def add(self, kind: str, started: float) -> None:
        """Something that a visitor waited for has come; `started` is by `perf_counter`."""
        if started >= self._since:
            self.of_kind[kind].append(1000 * (perf_counter() - started))

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
