"""Turns: few pages run at once, for key presses are answered in the same process.

A run holds the interpreter for most of its time. Sixty that began together kept each key waiting for
seconds; a few after a few they are done as soon, and keys come in between.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from playground.workers import pool

#: Runs at once; more would not be done sooner, for one holds the interpreter.
N_AT_ONCE = 3
_FREE = threading.Semaphore(N_AT_ONCE)
_OF_THREAD = threading.local()
_WAITING: set[int] = set()  # threads


def n_waiting() -> int:
    """How many runs have not yet had a turn."""
    return len(_WAITING)


@contextmanager
def turn() -> Iterator[None]:
    """Wait for a turn, and hold it."""
    own = threading.get_ident()
    _WAITING.add(own)
    try:
        _FREE.acquire()
    finally:
        _WAITING.discard(own)
    _OF_THREAD.has_turn = True
    try:
        yield
    finally:
        _OF_THREAD.has_turn = False
        _FREE.release()


@contextmanager
def waiting_elsewhere() -> Iterator[None]:
    """Let others run while this thread waits for what is done elsewhere; it may have no turn to give."""
    if not getattr(_OF_THREAD, "has_turn", False):
        yield
        return
    _OF_THREAD.has_turn = False
    _FREE.release()
    try:
        yield
    finally:
        _FREE.acquire()
        _OF_THREAD.has_turn = True


pool.while_waiting = waiting_elsewhere
