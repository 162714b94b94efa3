"""SharedIterator: an iterator that several threads consume together."""

import threading
from collections.abc import Iterator
from typing import Generic, TypeVar

Item = TypeVar("Item")


class SharedIterator(Generic[Item]):
    """An iterator whose items each go to one thread; `stop` ends it for all.

    >>> shared = SharedIterator(iter([1, 2, 3]))
    >>> next(iter(shared)), next(iter(shared))
    (1, 2)
    """

    def __init__(self, iterator: Iterator[Item]) -> None:
        self._iterator = iterator
        self._lock = threading.Lock()
        self._is_stopped = False

    def __iter__(self) -> Iterator[Item]:
        while True:
            with self._lock:
                item = None if self._is_stopped else next(self._iterator, None)
            if item is None:
                return
            yield item

    def stop(self) -> None:
        """End the iteration for all threads."""
        self._is_stopped = True
