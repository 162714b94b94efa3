"""All that a run is started with, drawn, and read as it stands when Start is pressed."""

from collections.abc import Callable
from typing import TypeVar

import streamlit as st

from playground.core.errors import PlaygroundError
from playground.render.visible_text import markdown_escape
from playground.training.run import SPEEDS
from playground.ui import state
from playground.ui.choices import UPLOAD
from playground.ui.train.corpus import CORPUS, read_corpus, show_corpus
from playground.ui.train.session import EXAMPLE_SPEED, TrainingSession
from playground.ui.train.settings import read_settings, show_settings, size_problem
from playground.ui.train.uploaded import tell_files, what_is_missing

T = TypeVar("T")
SPEED = state.Field("train.speed", EXAMPLE_SPEED)
_REFUSED = "train.refused_start"
PAUSE_AT: state.Field[int | None] = state.Field("train.pause_at", None)


def show_fields(session: TrainingSession) -> str:
    """Draw corpus and settings, and tell what of them cannot be used; returns what Start would do with them.

    That is "" where the run shown has begun with just these.
    """
    show_corpus(session)
    corpus, problem = None, what_is_missing(session) if CORPUS.value == UPLOAD else ""
    if not problem:
        corpus, problem = _told(lambda: read_corpus(session))
        if CORPUS.value == UPLOAD:
            tell_files(session)
    show_settings(session.run)
    settings, more = None, size_problem()
    if not more:
        settings, more = _told(read_settings)
    if corpus is None or settings is None:
        shown = f"What is shown here was learned from “{session.learned_from}”."
        return f"Start cannot use what is chosen: {problem or more}. {shown}"
    if session.is_of(corpus, settings):
        return ""
    return "Corpus or settings were changed since the run began; Start trains with them."


def start_run(session: TrainingSession, n_seen: int) -> None:
    """Begin a run with what the fields say now, what was typed last and not yet drawn included.

    `n_seen` is how many runs had begun when the pressed button was drawn.
    """
    try:
        corpus, settings = read_corpus(session), read_settings()
    except PlaygroundError as error:
        state.put(_REFUSED, _briefly(error))  # a callback of a fragment cannot draw
        return
    session.start(corpus, settings, SPEEDS[SPEED.value], PAUSE_AT.value, n_seen=n_seen)


def tell_refused_start() -> None:
    """Why Start has begun no run, once."""
    if refused := state.kept(_REFUSED, ""):
        st.toast(markdown_escape(refused), icon=":material/error:")
        state.put(_REFUSED, "")  # last: a run that is ended before leaves it to the next one


def _told(read: Callable[[], T]) -> tuple[T | None, str]:
    """What is read; where it cannot be used, that is told, and returned briefly beside None."""
    try:
        return read(), ""
    except PlaygroundError as error:
        st.error(markdown_escape(str(error)).replace("\n", "  \n"))
        return None, _briefly(error)


def _briefly(error: PlaygroundError) -> str:
    """What is wrong, without a line for each file."""
    return str(error).partition(":\n")[0]
