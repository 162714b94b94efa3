"""A result to keep in the session or to take away as files."""

from collections.abc import Callable

import streamlit as st

from playground.catalog.opened import OpenedTokenizer
from playground.core.errors import LimitExceededError
from playground.render.visible_text import markdown_escape
from playground.training.run import TrainingRun
from playground.ui import state
from playground.ui.kept_tokenizers import keep_tokenizer, problem_with_name, replaced_by
from playground.ui.train.exports import show_exports
from playground.ui.train.session import TrainingSession

NAME = state.Field("train.name", "my-tokenizer")
#: The name last typed that a tokenizer can have.
_GOOD_NAME = "train.good_name"
#: The tokenizer whose place another of its name took last.
_REPLACED = "train.replaced"


def show_keep(session: TrainingSession, run: TrainingRun) -> None:
    """Name the result to keep or export it."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input("Name of the tokenizer", width=320, **NAME.shown()).strip()
        st.button(
            "Keep",
            type="primary",
            icon=":material/bookmark_add:",
            help="Put it into every picker",
            key="train-keep",
            # A bad name, too, has it: the next may be good when it is pressed.
            on_click=lambda: _keep(NAME.value.strip(), run.tokenizer),
        )
        before: OpenedTokenizer | None = state.kept(_REPLACED, None)
        if before is not None and before.name == name and name in state.trained_tokenizers():
            st.button(
                "Bring the one before back",
                help=markdown_escape(f"{name} ({before.about}) takes its place in every picker again"),
                on_click=lambda: _keep(before.name, lambda _name: before),
            )
    problem = problem_with_name(name)
    good_name = state.kept(_GOOD_NAME, NAME.default) if problem else name
    state.put(_GOOD_NAME, good_name)
    with st.empty():  # so that what stands below keeps its place, and is never there twice
        if problem:
            st.error(markdown_escape(f"{problem} The files below have the name {good_name}."))
        elif not _tell_what_came_of_it() and name in state.trained_tokenizers():
            st.caption(markdown_escape(replaced_by(name, "Keep")))
    was = "is the example," if session.n_started == 1 else "was"
    source = markdown_escape(session.learned_from)
    st.caption(f"What is kept and exported {was} learned from “{source}”.")
    show_exports(run, good_name)


def _keep(name: str, make: Callable[[str], OpenedTokenizer]) -> None:
    if problem_with_name(name):
        return  # which is told beside the field
    before = state.trained_tokenizers().get(name)
    instead = ", in the place of the one kept before" if before else ""
    try:
        keep_tokenizer(make(name))
    except LimitExceededError as error:
        state.put("train.kept", (st.error, markdown_escape(str(error))))
    else:
        told = f"{markdown_escape(name)} is now in every picker{instead}."
        state.put("train.kept", (st.success, told))
        state.put(_REPLACED, before)


def _tell_what_came_of_it() -> bool:
    show, told = state.take("train.kept", (None, ""))
    if show is not None:
        show(told)
    return show is not None
