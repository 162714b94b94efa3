"""Who is told that something is compiled: it takes seconds, and happens once on a machine."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

_listeners: list[Callable[[bool], object]] = []


@contextmanager
def listening(tell: Callable[[bool], object]) -> Iterator[None]:
    """`tell` hears True when compiling begins in this process and False when it ends.

    Who listened before hears nothing meanwhile.
    """
    _listeners.append(tell)
    try:
        yield
    finally:
        _listeners.remove(tell)


@contextmanager
def compiling() -> Iterator[None]:
    """Something is compiled."""
    tell = _listeners[-1] if _listeners else lambda _is_compiling: None
    tell(True)
    try:
        yield
    finally:
        tell(False)
