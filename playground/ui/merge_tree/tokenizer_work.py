"""Work about one tokenizer in a process of its own, for one visitor; asking for other work ends it."""

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
#: Seconds that a run of the page waits, for what is small is made at once; then it looks again.
_PATIENCE_SECONDS, _REFRESH_SECONDS = 0.4, 0.25


class TokenizerWork(Generic[T]):
    """What one visitor asks of a tokenizer, by the dotted name of a function.

    It is given the tokenizer's name, the model of one that the visitor opened, and what else is asked.
    """

    def __init__(self, function: str) -> None:
        self.function = function
        self._visitor = secrets.token_hex(8)
        self._tokenizer: Tokenizer | None = None
        self._rest: tuple[str, ...] = ()
        self._work: Work[T] | None = None
        self._is_gone = threading.Event()

    def ask(self, tokenizer: Tokenizer, *rest: str, what: str, seconds: float, memory_bytes: int) -> Work[T]:
        """What is known of this, or is being found out."""
        if self._work is None or self._tokenizer is not tokenizer or self._rest != rest:
            self.end()
            gone = self._is_gone = threading.Event()
            self._tokenizer, self._rest = tokenizer, rest
            opened = state.trained_tokenizers().get(tokenizer.name)
            model = model_of(opened) if opened is not None and opened is tokenizer else None
            self._work = Work(
                (tokenizer, rest),
                lambda _tell, _so_far: pool.run(
                    self.function, tokenizer.name, model, *rest,
                    what=what, visitor=self._visitor, seconds=seconds, memory_bytes=memory_bytes,
                    cancelled=gone,
                ),
            )  # fmt: skip
        return self._work

    def end(self) -> None:
        """End the work in hand, and forget it."""
        self._is_gone.set()
        self._work = None


def show_when_known(
    asked: TokenizerWork[T], work: Work[T], *, meanwhile: str, show: Callable[[T], None]
) -> None:
    """Draw the result once it is there; meanwhile a bar, and the page can be used."""
    if not work.wait(_PATIENCE_SECONDS):
        st.fragment(lambda: _draw_waiting(work, meanwhile), run_every=_REFRESH_SECONDS)()
        return
    try:
        found = work.result()
    except PlaygroundError as error:
        st.error(markdown_escape(str(error)))
        st.button("Ask again", on_click=asked.end)
        return
    show(found)


def _draw_waiting(work: Work[T], meanwhile: str) -> None:
    if work.is_over:
        st.rerun()
    st.progress(0.0, text=markdown_escape(meanwhile))
