"""A result to keep in the session or to take away as files."""

import streamlit as st

from playground.core.errors import LimitExceededError
from playground.render.plain_text import markdown_escape
from playground.training.run import TrainingRun
from playground.ui import state
from playground.ui.kept_tokenizers import keep_tokenizer, problem_with_name, replaced_by
from playground.ui.train.exports import show_exports

NAME = state.Field("train.name", "my-tokenizer")
#: The name last typed that a tokenizer can have.
_GOOD_NAME = "train.good_name"


def show_keep(run: TrainingRun) -> None:
    """Name the result to keep or export it."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input("Name of the tokenizer", width=320, **NAME.shown()).strip()
        st.button(
            "Keep",
            type="primary",
            icon=":material/bookmark_add:",
            help="Put it into every picker",
            key="train-keep",
            on_click=lambda: _keep(run),  # a bad name, too, has it: the next may be good when it is pressed
        )
    problem = problem_with_name(name)
    good_name = state.kept(_GOOD_NAME, NAME.default) if problem else name
    state.put(_GOOD_NAME, good_name)
    with st.empty():  # so that what stands below keeps its place, and is never there twice
        if problem:
            st.error(markdown_escape(f"{problem} The files below have the name {good_name}."))
        elif not _tell_what_came_of_it() and name in state.trained_tokenizers():
            st.caption(markdown_escape(replaced_by(name, "Keep")))
    show_exports(run, good_name)


def _keep(run: TrainingRun) -> None:
    name = NAME.value.strip()
    if problem_with_name(name):
        return  # which is told beside the field
    instead = ", in the place of the one kept before" if name in state.trained_tokenizers() else ""
    try:
        keep_tokenizer(run.tokenizer(name))
    except LimitExceededError as error:
        state.put("train.kept", (st.error, markdown_escape(str(error))))
    else:
        told = f"{markdown_escape(name)} is now in every picker{instead}."
        state.put("train.kept", (st.success, told))


def _tell_what_came_of_it() -> bool:
    show, told = state.take("train.kept", (None, ""))
    if show is not None:
        show(told)
    return show is not None
