"""A result to keep in the session or to take away as files, and files to read."""

import regex
import streamlit as st

from playground.bpe.split_pattern import SPLIT_PATTERNS, SplitPattern
from playground.catalog.registry import is_known
from playground.catalog.trained import TrainedTokenizer
from playground.core.errors import PlaygroundError
from playground.files.table import read_model
from playground.render.plain_text import markdown_escape
from playground.training.run import TrainingRun
from playground.ui import state
from playground.ui.train.exports import show_exports

NAME = state.Field("train.name", "my-tokenizer")
_PATTERNS = [*SPLIT_PATTERNS, "none"]
IMPORT_PATTERN = state.Field("train.import_pattern", _PATTERNS[0])
#: Characters of a tokenizer's name.
MAX_NAME = 60


def show_keep(run: TrainingRun) -> None:
    """Name the result to keep or export it; read files beside it."""
    keep, read = st.columns([2, 3], gap="medium")
    with keep:
        st.markdown("**Keep it in this session**")
        name = st.text_input("Name", **NAME.shown()).strip()
        problem = _problem_with_name(name)
        if problem:
            st.error(markdown_escape(problem))
        elif st.button("Keep", type="primary", icon=":material/bookmark_add:", key="train-keep"):
            state.trained_tokenizers()[name] = run.tokenizer(name)
            st.success(f"{markdown_escape(name)} is now in every picker of this session.")
    with read:
        st.markdown("**Read a tokenizer file**")
        _read_files()
    if not problem:
        show_exports(run, name)


def _read_files() -> None:
    pattern = st.selectbox(
        "Split pattern, where the file holds none", _PATTERNS, **IMPORT_PATTERN.one_of(_PATTERNS)
    )
    files = st.file_uploader(
        ".model, .tiktoken, tokenizer.json, or encoder.json with vocab.bpe",
        accept_multiple_files=True,
        key="train-import",
    )
    if not files:
        return
    try:
        model = read_model({file.name: file.getvalue() for file in files}, SplitPattern.named(pattern))
    except PlaygroundError as error:
        st.error(markdown_escape(str(error)))
        return
    name = regex.sub(r"[^\w.-]+", "-", files[0].name.split(".")[0]).strip("-")[:MAX_NAME] or "uploaded"
    name = f"{name}-file" if is_known(name) else name
    state.trained_tokenizers()[name] = TrainedTokenizer(name, model)
    st.success(
        f"{markdown_escape(name)}: {len(model.merges):,} merges. It is now in every picker of this session."
    )


def _problem_with_name(name: str) -> str:
    if not regex.fullmatch(rf"\w[\w.-]{{0,{MAX_NAME - 1}}}", name):
        return (
            f"A name has 1 to {MAX_NAME} letters, digits, and the marks . - _, with . and - not first; "
            f"this one has {len(name):,} characters."
        )
    if is_known(name):
        return f"{name} is the name of a known tokenizer; choose another."
    return ""
