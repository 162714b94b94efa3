"""The buttons of a training, its speed, and where it is to pause."""

from collections.abc import Callable

import streamlit as st

from playground.training.run import SPEEDS, Status, TrainingRun
from playground.ui import state
from playground.ui.train.after_reload import forget_run
from playground.ui.train.fields import PAUSE_AT, SPEED, start_run, tell_refused_start
from playground.ui.train.session import TrainingSession


def show_buttons(session: TrainingSession) -> None:
    """Draw them; what a click does is done in its callback, before anything is drawn.

    So a click that meets a refresh is not lost. Start is not greyed out for what is typed: the browser sends
    a field's text when the field is left, and that may be by the press on Start.
    """
    run = session.run
    status = run.status if run is not None else Status.STOPPED
    can_end = status in (Status.PREPARING, Status.RUNNING, Status.PAUSED)
    is_paused = status is Status.PAUSED
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="train-buttons"):
        # A place of its own: the Start of before stands there until the run ends, hidden by the frame's
        # style; beside it, it would push the other buttons away under a hand that presses them.
        with st.container(key="train-start", width="content"):
            st.button(
                "Start",
                type="primary",
                icon=":material/play_arrow:",
                key=f"train-start-{session.n_started}",  # so that a press that is sent again meets no button
                help="Begin a new run with what is chosen",
                on_click=lambda n_seen=session.n_started: _act(start_run, session, n_seen),
            )
        st.button(
            "Resume" if is_paused else "Pause",
            icon=":material/resume:" if is_paused else ":material/pause:",
            # Two keys, so that a click which Streamlit sends twice does not pause and resume.
            key="train-resume" if is_paused else "train-pause",
            disabled=status not in (Status.RUNNING, Status.PAUSED),
            on_click=lambda: _act(run.resume if is_paused else run.pause) if run else None,
        )
        for n_merges in (1, 10, 100):
            st.button(
                f"+{n_merges}",
                key=f"train-step-{n_merges}",
                disabled=not is_paused,
                help="So many merges more: pause first",
                on_click=lambda n=n_merges: _act(run.step, n) if run else None,
            )
        st.button(
            "Stop",
            key="train-stop",
            disabled=not can_end,
            help="End the run and keep what it has learned",
            on_click=lambda: _act(run.stop) if run else None,
        )
        st.button(
            "Reset",
            key="train-reset",
            disabled=run is None,
            help="Forget this run",
            on_click=lambda: _act(forget_run, session),
        )
        _show_pace(run)
    if state.take("train.acted", False):
        st.rerun()  # the whole page: what is offered below it depends on the run
    tell_refused_start()


def _show_pace(run: TrainingRun | None) -> None:
    st.select_slider("Merges a second", list(SPEEDS), width=215, **SPEED.shown())
    st.number_input("Pause at merge", min_value=1, placeholder="never", width=130, **PAUSE_AT.shown())
    if run is not None:
        run.pause_at, run.merges_per_second = PAUSE_AT.value, SPEEDS[SPEED.value]  # a quick one pauses, too


def _act(action: Callable[..., object], *arguments: object) -> None:
    action(*arguments)
    state.put("train.acted", True)
