"""The live part of Train: one component that shows the run, its film and its curve, on routes of its own."""

from typing import Literal, TypedDict, get_args

import streamlit as st

from playground.render.merge_tree import TREE_CSS
from playground.render.palette import run_css, token_css
from playground.server.train.session import TrainSession
from playground.training.run import REFERENCES
from playground.ui import component, state

#: `settled`: the run is over and the page's results are out of date. `lost`: the server no longer knows
#: the session. Both only make the page run again.
TrainEvent = Literal["settled", "lost"]
#: The merge that was chosen in the table of all merges: of which run, which merge, and the number of choices.
_CHOSEN = "train.chosen_merge"


class TrainData(TypedDict):
    """Data of the component; `result` is the key of the results on the page.

    `started` is the number of the latest run; `chosen` is a merge to show, with the number of the choice.
    """

    url: str
    started: int
    result: str
    chosen: tuple[int, int] | None


_component = component.define(
    "train",
    html="train/train.html",
    module="train/train.js",
    styles=("shared/tree_colors.css", "shared/token_strip.css", "train/train.css"),
    css=TREE_CSS + token_css() + run_css(REFERENCES),
    events=get_args(TrainEvent),
)


@st.cache_resource(scope="session", on_release=lambda session: session.close(), show_spinner=False)
def train_session() -> TrainSession:
    """Return this visitor's session; closing the tab ends its runs."""
    return TrainSession()


def show_run(session: TrainSession) -> None:
    """Draw the component."""
    chosen: tuple[int, int, int] | None = state.get(_CHOSEN, None)
    data: TrainData = {
        "url": component.address(session.url),
        "started": session.n_started,
        "result": session.result,
        "chosen": chosen[1:] if chosen and chosen[0] == session.n_started else None,
    }
    _component(key="train_run", data=data)


def choose_merge(session: TrainSession, k: int) -> None:
    """Show merge `k` in the film and the curve."""
    before: tuple[int, int, int] | None = state.get(_CHOSEN, None)
    state.put(_CHOSEN, (session.n_started, k, before[2] + 1 if before else 1))
