"""Once: a value that is made when it is first asked for, behind a lock of its own.

`functools.cached_property` has one lock for all objects of a class: who makes a large value keeps all others
from making theirs.
"""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Once(Generic[T]):
    """A value, made by the first who asks; others who ask meanwhile wait for it.

    >>> once = Once()
    >>> once.get(lambda: [1]) is once.get(lambda: [2])
    True
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._values: list[T] = []

    def get(self, make: Callable[[], T]) -> T:
        """The value; `make` is called where there is none yet."""
        if not self._values:
            with self._lock:
                if not self._values:
                    self._values.append(make())
        return self._values[0]
