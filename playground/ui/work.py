"""Work that goes on in a thread of its own while its page runs again."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from playground.workers.process import CancelledError

T = TypeVar("T")
#: Is called with how far the work is, from 0 to 1, and with what is being done.
Tell = Callable[[float, str], None]
_TICK_SECONDS = 0.2


class Work(Generic[T]):
    """A result that is being computed.

    >>> Work(lambda tell: 6 * 7).result()
    42

    `do` calls its argument a few times a second, which raises CancelledError after `cancel`.
    """

    def __init__(self, do: Callable[[Tell], T]) -> None:
        self.part, self.what = 0.0, ""
        self._do = do
        self._found: T | None = None
        self._error: BaseException | None = None
        self._is_over = threading.Event()
        self._is_cancelled = threading.Event()
        threading.Thread(target=self._run, name="work beside a page", daemon=True).start()

    @property
    def is_over(self) -> bool:
        """True once the work has ended, with a result or an error."""
        return self._is_over.is_set()

    def wait(self, seconds: float) -> bool:
        """Wait for the end of the work, at most so long, and return whether it has ended."""
        return self._is_over.wait(seconds)

    def cancel(self) -> None:
        """Let the work end at its next call of `tell`, without waiting for it."""
        self._is_cancelled.set()

    def result(self, on_wait: Callable[["Work[T]"], object] = lambda _work: None) -> T:
        """Wait for the result; `on_wait` is called a few times a second and may raise to stop waiting.

        Raises what the work raised, and CancelledError if it was cancelled.
        """
        while not self.wait(_TICK_SECONDS) and not self._is_cancelled.is_set():
            on_wait(self)
        if not self._is_over.is_set():
            raise CancelledError
        if self._error is not None:
            raise self._error
        return self._found  # type: ignore[return-value]

    def _run(self) -> None:
        try:
            self._found = self._do(self._tell)
        except BaseException as error:  # raised by `result`
            self._error = error
        self._is_over.set()

    def _tell(self, part: float, what: str) -> None:
        if self._is_cancelled.is_set():
            raise CancelledError
        self.part, self.what = part, what
