"""A reload ends the run: that is told, and what the fields say is learned anew in place of the example."""

import streamlit as st

from playground.ui import share, state
from playground.ui.choices import UPLOAD
from playground.ui.train.corpus import CORPUS
from playground.ui.train.fields import start_run
from playground.ui.train.session import TrainingSession

#: How many runs this tab has begun, 0 once the last is forgotten. Its browser gives it back after a reload,
#: on whatever page that was.
N_STARTED = state.Field("train.n_started", 0)
#: What is told of the reload, and how many runs had begun then: another run ends the telling.
_TOLD = "train.after_reload"
_IS_GIVEN_BACK = "train.is_given_back"


def begin_after_reload(session: TrainingSession) -> None:
    """Begin the run of the fields that the browser has given back, and tell that the one of before ended.

    The tab's address names its run as well, for that comes before what the browser has kept.
    """
    told, n_told = state.kept(_TOLD, ("", 0))
    if session.n_started == 1:
        is_named = state.take_query_parameter("run") is not None
        if N_STARTED.value > 1 and not state.kept(_IS_GIVEN_BACK, False) and not share.link_of_page("train"):
            told, n_told = _begin_again(session), session.n_started
            state.put(_IS_GIVEN_BACK, True)
        elif is_named:
            told, n_told = "This is a new example.", session.n_started
        state.put(_TOLD, (told, n_told))
    is_forgotten = session.run is None and not N_STARTED.value
    if session.n_started > 1 and not is_forgotten:
        state.set_query_parameter("run", str(session.n_started))
    if N_STARTED.value < session.n_started and not is_forgotten:
        N_STARTED.put(session.n_started)
    if session.n_started == n_told:
        st.info(f"The run of before ended when its tab was closed or reloaded. {told}")


def forget_run(session: TrainingSession) -> None:
    """End the run for good: a reload is no loss of it."""
    session.reset()
    N_STARTED.put(0)
    state.set_query_parameter("run", None)


def _begin_again(session: TrainingSession) -> str:
    """Learn what the fields say, if they can be read; what is to be told of it."""
    session.reset()
    if CORPUS.value == UPLOAD:
        return "Its files went with it: choose them again, and press Start."
    start_run(session, session.n_started)
    return "This one begins anew with what is chosen." if session.run else "Start begins another."
