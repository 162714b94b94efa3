"""The live parts of the training page, drawn again and again while a run is active."""

import streamlit as st

from playground.render.visible_text import markdown_escape
from playground.ui import state
from playground.ui.train.buttons import show_buttons
from playground.ui.train.chart import LIVE_CHART, show_chart
from playground.ui.train.film import show_film
from playground.ui.train.progress import show_progress
from playground.ui.train.session import TrainingSession

_REFRESH_SECONDS = 0.25


def show_training(session: TrainingSession, *, start: str) -> None:
    """Buttons, progress, film and chart of the run in hand, and what Start would do if not the same."""
    was_live = _is_live(session)
    state.draw_again("training", lambda: _draw_run(session, was_live, start), _pulse(session))


def _is_live(session: TrainingSession) -> bool:
    return session.run is not None and session.run.is_active


def _pulse(session: TrainingSession) -> float | None:
    return _REFRESH_SECONDS if _is_live(session) else None


def _draw_run(session: TrainingSession, was_live: bool, start: str) -> None:
    had_merges = state.keep("train.had_merges", lambda: False)
    show_buttons(session)
    run = session.run
    with st.empty():  # what it tells moves nothing below it to another place
        if run is not None and start:
            st.caption(markdown_escape(start))
    if run is None:
        st.info("Nothing is being learned. Choose a corpus and press Start.")
        return
    show_progress(run, session.learned_from)
    state.put("train.had_merges", bool(run.n_merges))
    if (was_live and not run.is_active) or had_merges != bool(run.n_merges):
        st.rerun()  # the timer stops, and what can be done with the result appears
    if run.n_merges:
        show_film(session, run, chart=LIVE_CHART)
        show_chart(session, run)
