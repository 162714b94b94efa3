"""How work in a process says how far it is, before its answer is there."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

#: Who hears what `tell` says; set by whoever runs the work.
HEARD: ContextVar[Callable[[Any], object] | None] = ContextVar("heard", default=None)


def tell(value: object) -> None:
    """Say something to whoever asked for this work; nobody hears what was not asked for with `told`.

    Where the work runs in the process of who asked, what hears may raise, which ends the work.
    """
    if (heard := HEARD.get()) is not None:
        heard(value)


@contextmanager
def hearing(heard: Callable[[Any], object] | None) -> Iterator[None]:
    """Hear what the work in this block says."""
    before = HEARD.set(heard)
    try:
        yield
    finally:
        HEARD.reset(before)
