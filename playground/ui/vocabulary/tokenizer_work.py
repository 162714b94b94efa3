"""Work on a visitor's tokenizer in a worker process; new work cancels the previous work."""

import secrets
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

import streamlit as st

from playground.catalog.opened import model_of
from playground.core.errors import PlaygroundError
from playground.core.tokenizer import Tokenizer
from playground.render.visible_text import markdown_escape
from playground.server.work import Work
from playground.ui import state
from playground.workers import pool

T = TypeVar("T")
#: A run of the page waits this long for quick work; a fragment then polls.
_PATIENCE_SECONDS, _REFRESH_SECONDS = 0.4, 0.25


class WorkerCall(Generic[T]):
    """One visitor's calls of the function with this dotted name, at most one at a time."""

    def __init__(self, function: str) -> None:
        self.function = function
        self._visitor = secrets.token_hex(8)
        self._asked: tuple[object, ...] = ()
        self._work: Work[T] | None = None
        self._is_gone = threading.Event()

    def call(
        self, asked: tuple[object, ...], *arguments: object, what: str, seconds: float, memory_bytes: int
    ) -> Work[T]:
        """Return the work on what was asked, finished or running; other work is cancelled.

        `asked` are tokenizers and strings, for which `arguments` stand in the worker process.
        """
        if self._work is None or not _is_same(asked, self._asked):
            self.end()
            gone = self._is_gone = threading.Event()
            self._asked = asked
            self._work = Work(
                asked,
                lambda _tell, _so_far: pool.run(
                    self.function, *arguments,
                    what=what, visitor=self._visitor, seconds=seconds, memory_bytes=memory_bytes,
                    cancelled=gone,
                ),
            )  # fmt: skip
        return self._work

    def end(self) -> None:
        """Cancel the work and forget it."""
        self._is_gone.set()
        self._work = None


class TokenizerWork(WorkerCall[T]):
    """Calls of a function that gets a tokenizer's name, the model of an opened one, and further arguments."""

    def ask(self, tokenizer: Tokenizer, *rest: str, what: str, seconds: float, memory_bytes: int) -> Work[T]:
        """Return the work on these arguments, finished or running; other work is cancelled."""
        opened = state.trained_tokenizers().get(tokenizer.name)
        model = model_of(opened) if opened is not None and opened is tokenizer else None
        return self.call(
            (tokenizer, *rest), tokenizer.name, model, *rest,
            what=what, seconds=seconds, memory_bytes=memory_bytes,
        )  # fmt: skip


def _is_same(asked: tuple[object, ...], other: tuple[object, ...]) -> bool:
    """Whether two calls have the same tokenizers, which are compared as objects, and equal strings."""
    if len(asked) != len(other):
        return False
    return all(a is b or (isinstance(a, str) and a == b) for a, b in zip(asked, other, strict=True))


def show_when_known(
    asked: WorkerCall[T], work: Work[T], *, meanwhile: str, show: Callable[[T], None]
) -> None:
    """Draw the result as soon as it is known, and until then a progress bar."""
    if not work.wait(_PATIENCE_SECONDS):
        st.fragment(lambda: _draw_waiting(work, meanwhile), run_every=_REFRESH_SECONDS)()
        return
    try:
        found = work.result()
    except PlaygroundError as error:
        st.error(markdown_escape(str(error)))
        st.button("Try again", on_click=asked.end)
        return
    show(found)


def _draw_waiting(work: Work[T], meanwhile: str) -> None:
    if work.is_over:
        st.rerun()
    st.progress(0.0, text=markdown_escape(meanwhile))
