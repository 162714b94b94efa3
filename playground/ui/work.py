"""Work that goes on in a thread of its own while the page runs again; what it does is not its business.

It takes turns with the runs of pages, for it holds the interpreter as they do; while a process does the work
others have theirs.
"""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from playground.ui import turns
from playground.workers.process import CancelledError

T = TypeVar("T")
#: Told how far the work is: a part of 1, and what is being done.
Tell = Callable[[float, str], None]
_TICK_SECONDS = 0.2


class Work(Generic[T]):
    """A result that is being made.

    >>> Work(lambda tell: 6 * 7).result()
    42

    `do` calls what it is given, a few times a second; that raises CancelledError once nobody wants the
    result.
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
        """Has it ended, in whatever way?"""
        return self._is_over.is_set()

    def wait(self, seconds: float) -> bool:
        """Wait for its end, but no longer; whether it has ended."""
        with turns.waiting_elsewhere():
            return self._is_over.wait(seconds)

    def cancel(self) -> None:
        """Let it end as soon as it tells how far it is; does not wait for that."""
        self._is_cancelled.set()

    def result(self, on_wait: Callable[["Work[T]"], object] = lambda _work: None) -> T:
        """Wait for the result; `on_wait` is called a few times a second, and the work goes on if that raises.

        Raises what the work raised; CancelledError where it was cancelled.
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
            with turns.turn():
                self._found = self._do(self._tell)
        except BaseException as error:  # it is raised where the result is asked for
            self._error = error
        self._is_over.set()

    def _tell(self, part: float, what: str) -> None:
        if self._is_cancelled.is_set():
            raise CancelledError
        self.part, self.what = part, what
