"""Pace: how many merges to do next, so that a speed is kept and nobody waits for long."""

import time

_SLICE_SECONDS = 0.02
_MEASURED_SECONDS = 0.5
_MAX_SLICE = 4096


class Pace:
    """Tells the size of each slice of work, and measures merges a second.

    A slice takes about 20 ms, so that a pause is answered at once. Where a speed is asked for, merges are
    owed as time goes by, a second's worth at most: what was missed in a pause is not made up for.

    >>> pace = Pace(None)
    >>> pace.n_wanted(None)
    64
    >>> pace.did(64, seconds=0.01, n_merges=64, merges_per_second=None)
    >>> pace.n_wanted(None)
    128
    """

    def __init__(self, merges_per_second: float | None) -> None:
        self.merges_per_second = merges_per_second or 0.0  # as measured, or as wanted before that
        self._slice = 64
        self.resume(0)

    def resume(self, n_merges: int) -> None:
        """Begin to measure anew, after a pause; `n_merges` are done."""
        self._owed = 0.0  # merges that the speed allows by now
        self._last = time.perf_counter()
        self._measured_from = self._last, n_merges

    def n_wanted(self, merges_per_second: float | None) -> int:
        """Merges to do now, at a speed or as fast as can be."""
        if merges_per_second is None:
            return self._slice
        now = time.perf_counter()
        self._owed = min(self._owed + (now - self._last) * merges_per_second, merges_per_second)
        self._last = now
        return min(int(self._owed), self._slice)

    def did(self, n_done: int, *, seconds: float, n_merges: int, merges_per_second: float | None) -> None:
        """Merges were done in so many seconds, of `n_merges` in all."""
        self._owed -= n_done
        now = time.perf_counter()
        began, n_before = self._measured_from
        if now - began >= max(_MEASURED_SECONDS, 4 / merges_per_second if merges_per_second else 0):
            self.merges_per_second = (n_merges - n_before) / (now - began)
            self._measured_from = now, n_merges
        if n_done == self._slice:
            self._slice = max(1, min(_MAX_SLICE, int(self._slice * _SLICE_SECONDS / max(seconds, 1e-4))))
