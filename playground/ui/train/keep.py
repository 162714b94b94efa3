"""A result to keep in the session or to take away as files, beside files to read."""

import regex
import streamlit as st

from playground.catalog.registry import is_known
from playground.core.errors import LimitExceededError
from playground.core.wording import counted
from playground.render.plain_text import markdown_escape
from playground.training.run import TrainingRun
from playground.ui import state
from playground.ui.kept_tokenizers import keep_tokenizer, show_kept_tokenizers
from playground.ui.train.exports import show_exports
from playground.ui.train.tokenizer_files import MAX_NAME, show_file_reader

NAME = state.Field("train.name", "my-tokenizer")


def show_keep(run: TrainingRun) -> None:
    """Name the result to keep or export it; read files beside it."""
    keep, read = st.columns([2, 3], gap="medium")
    with keep:
        st.markdown("**Keep it in this session**")
        name = st.text_input("Name", **NAME.shown()).strip()
        problem = _problem_with_name(name)
        if problem:
            st.error(markdown_escape(problem))
        else:
            st.button(
                "Keep",
                type="primary",
                icon=":material/bookmark_add:",
                key="train-keep",
                on_click=lambda: _keep(run),
            )
            _tell_what_came_of_it()
    with read:
        st.markdown("**Read a tokenizer file**")
        show_file_reader()
    show_kept_tokenizers()
    if not problem:
        show_exports(run, name)


def _keep(run: TrainingRun) -> None:
    name = NAME.value.strip()
    if _problem_with_name(name):
        return  # which is told beside the field
    try:
        keep_tokenizer(run.tokenizer(name))
    except LimitExceededError as error:
        state.put("train.kept", (st.error, markdown_escape(str(error))))
    else:
        told = f"{markdown_escape(name)} is now in every picker of this session."
        state.put("train.kept", (st.success, told))


def _tell_what_came_of_it() -> None:
    show, told = state.take("train.kept", (None, ""))
    if show is not None:
        show(told)


def _problem_with_name(name: str) -> str:
    if not regex.fullmatch(rf"\w[\w.-]{{0,{MAX_NAME - 1}}}", name):
        return (
            f"A name has 1 to {MAX_NAME} letters, digits, and the marks . - _, with . and - not first; "
            f"this one has {counted(len(name), 'character')}."
        )
    if is_known(name):
        return f"{name} is the name of a known tokenizer; choose another."
    return ""
