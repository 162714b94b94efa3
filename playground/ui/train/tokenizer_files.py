"""Tokenizer files that a visitor brings: read, and kept in the session."""

import regex
import streamlit as st

from playground.bpe.split_pattern import SPLIT_PATTERNS, SplitPattern
from playground.catalog.registry import is_known
from playground.catalog.trained import TrainedTokenizer
from playground.core.errors import PlaygroundError
from playground.core.wording import counted
from playground.files.registry import read_model
from playground.render.plain_text import markdown_escape
from playground.ui import state

_PATTERNS = [*SPLIT_PATTERNS, "none"]
IMPORT_PATTERN = state.Field("train.import_pattern", _PATTERNS[0])
#: Characters of a tokenizer's name.
MAX_NAME = 60


def show_file_reader() -> None:
    """Take the files of one tokenizer; what is in them joins every picker, or is refused in a sentence."""
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
    merges = counted(len(model.merges), "merge")
    st.success(f"{markdown_escape(name)}: {merges}. It is now in every picker of this session.")
