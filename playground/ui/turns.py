"""Turns: pages run one after another, for key presses are answered in the same process.

A run holds the interpreter for most of its time. Sixty that began together kept each key waiting for
seconds; one after another they are done as soon, and keys come in between. Beside a run that is slow
another may begin, so that nobody is kept by somebody else's.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from playground.workers import pool

#: Runs at once. With all of them beside each other 95 of 100 keys beside sixty new pages took 66 ms at most,
#: with one at a time 10 ms, and the pages were there as soon.
N_AT_ONCE = 3
#: A run that has had its turn for so long is slow: most take a tenth of it.
SLOW_SECONDS = 0.25
_CHANGED = threading.Condition()
_BEGAN: dict[int, float] = {}  # when each thread that has a turn got it, by `time.monotonic`
_WAITING: set[int] = set()  # threads


def n_waiting() -> int:
    """How many runs have not yet had a turn."""
    return len(_WAITING)


def n_running() -> int:
    """How many have one."""
    return len(_BEGAN)


@contextmanager
def turn() -> Iterator[None]:
    """Wait for a turn, and hold it."""
    own = threading.get_ident()
    _WAITING.add(own)
    try:
        _take(own)
    finally:
        _WAITING.discard(own)
    try:
        yield
    finally:
        _give_back(own)


@contextmanager
def waiting_elsewhere() -> Iterator[None]:
    """Let others run while this thread waits for what is done elsewhere; it may have no turn to give."""
    own = threading.get_ident()
    if own not in _BEGAN:
        yield
        return
    _give_back(own)
    try:
        yield
    finally:
        _take(own)


def _take(own: int) -> None:
    with _CHANGED:
        while True:
            now = time.monotonic()
            until_slow = max((began + SLOW_SECONDS - now for began in _BEGAN.values()), default=0.0)
            if until_slow <= 0 and len(_BEGAN) < N_AT_ONCE:
                _BEGAN[own] = now
                return
            _CHANGED.wait(until_slow if len(_BEGAN) < N_AT_ONCE else None)


def _give_back(own: int) -> None:
    with _CHANGED:
        del _BEGAN[own]
        _CHANGED.notify()


pool.while_waiting = waiting_elsewhere
