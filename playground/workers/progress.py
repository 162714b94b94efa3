"""How work says how far it is before its result is there, in a worker process or in the caller's own."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

#: Is called with what `report` says.
LISTENER: ContextVar[Callable[[Any], object] | None] = ContextVar("listener", default=None)


def report(value: object) -> None:
    """Pass a value to whoever asked for this work, if they listen.

    In the caller's own process the listener may raise, which ends the work.
    """
    if (listener := LISTENER.get()) is not None:
        listener(value)


@contextmanager
def listening(listener: Callable[[Any], object] | None) -> Iterator[None]:
    """Call `listener` with each value that work in this block reports."""
    token = LISTENER.set(listener)
    try:
        yield
    finally:
        LISTENER.reset(token)
