"""A result that is computed in a thread, with its progress; it can be stopped and started again."""

import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from playground.workers.process import CancelledError

T = TypeVar("T")
#: Reports progress: the part done, from 0 to 1, and a sentence. Raises CancelledError once work is stopped.
Tell = Callable[[float, str], None]


class Work(Generic[T]):
    """A result computed by `do(tell, so_far)`, where `key` says what it is the result of.

    >>> work = Work("a product", lambda tell, so_far: 6 * 7)
    >>> work.wait(10), work.found
    (True, 42)

    `do` collects partial results in the list `so_far`, and gets the same list when the work is started again,
    so that it can continue. It must call `tell` a few times a second to notice that the work is stopped.
    """

    def __init__(self, key: object, do: Callable[[Tell, list[Any]], T]) -> None:
        self.key, self._do = key, do
        self.part, self.what = 0.0, ""
        self.so_far: list[Any] = []
        self.found: T | None = None
        self.error: Exception | None = None
        self.is_stopped = False
        self._thread: threading.Thread | None = None
        self.start()

    def start(self) -> None:
        """Start the work, or continue it after `stop`."""
        self.error, self.is_stopped = None, False
        self._is_cancelled = threading.Event()
        arguments = (self._is_cancelled, self._thread)
        self._thread = threading.Thread(target=self._run, args=arguments, name="work", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop the work at its next `tell`, unless it is over; what is in `so_far` stays."""
        if not self.is_over:
            self.is_stopped = True
            self._is_cancelled.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until the work is over, but no longer than `seconds`, and return whether it is."""
        if self._thread is not None and not self.is_stopped:
            self._thread.join(seconds)
        return self.is_over

    def result(self) -> T:
        """Wait for the result. Raises what the work raised, and CancelledError if it was stopped."""
        self.wait()
        if self.error is not None:
            raise self.error
        if self.found is None:
            raise CancelledError
        return self.found

    @property
    def is_over(self) -> bool:
        """True when there is a result or an error, or the work is stopped."""
        return self.found is not None or self.error is not None or self.is_stopped

    def _run(self, is_cancelled: threading.Event, previous: threading.Thread | None) -> None:
        if previous is not None:
            previous.join()  # it may still be adding to `so_far`

        def tell(part: float, what: str) -> None:
            if is_cancelled.is_set():
                raise CancelledError
            self.part, self.what = part, what

        try:
            self.found = self._do(tell, self.so_far)
        except CancelledError:
            self.is_stopped |= is_cancelled is self._is_cancelled  # unless it has been started again
        except Exception as error:  # shown, or raised, by the run of the page that asks for the result
            self.error = error
