"""What can be done with a result, a panel at a time."""

import streamlit as st

from playground.ui import state
from playground.ui.train.compared import show_compared
from playground.ui.train.keep import show_keep
from playground.ui.train.learned import show_all_merges, show_learned
from playground.ui.train.session import TrainingSession

PANELS = ["What was learned", "All merges", "A against B", "Keep and export"]
PANEL = state.Field("train.panel", PANELS[0])


def show_results(session: TrainingSession) -> None:
    """One panel at a time, so that only what is looked at is computed."""
    run = session.run
    if run is None or not run.n_merges or run.is_active:
        return
    match st.segmented_control(
        "Look at", PANELS, required=True, label_visibility="collapsed", **PANEL.some_of(PANELS)
    ):
        case "All merges":
            show_all_merges(session, run)
        case "A against B":
            show_compared(session)
        case "Keep and export":
            show_keep(session, run)
        case _:
            show_learned(run)
