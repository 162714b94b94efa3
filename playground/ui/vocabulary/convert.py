"""Convert: a tokenizer as files for another library, tested with that library, or why that is impossible."""

import streamlit as st

from playground.catalog.convert import MEMORY_BYTES, SECONDS, why_no_bytes_merge
from playground.core.tokenizer import Tokenizer
from playground.files.proof import TEST_TEXT, Export
from playground.files.registry import FILE_FORMATS
from playground.render.visible_text import markdown_escape
from playground.ui import state
from playground.ui.controls import show_scrolled_code
from playground.ui.vocabulary.tokenizer_work import TokenizerWork, show_when_known

#: Height in pixels of the program that loads a file; some have a thousand special tokens.
PROGRAM_HEIGHT = 320
TARGET = state.Field("convert.target", "tiktoken")


@st.cache_resource(scope="session", on_release=lambda work: work.end(), show_spinner=False)
def conversion() -> TokenizerWork[Export | str]:
    """Return this visitor's conversion; closing the tab cancels it."""
    return TokenizerWork("playground.catalog.convert.convert_named")


def show_convert(tokenizer: Tokenizer) -> None:
    """Draw the choice of a library, then the files and the test's result, or why there are none."""
    reason = why_no_bytes_merge(tokenizer)
    if reason:
        st.info(f"{markdown_escape(reason)}.")
        return
    target: str = st.segmented_control(
        "Files for",
        list(FILE_FORMATS),
        format_func=lambda name: FILE_FORMATS[name].title,
        required=True,
        label_visibility="collapsed",
        **TARGET.some_of(list(FILE_FORMATS)),
    )
    entry, asked = FILE_FORMATS[target], conversion()
    work = asked.ask(
        tokenizer, target, what=f"converting {tokenizer.name}", seconds=SECONDS, memory_bytes=MEMORY_BYTES
    )
    show_when_known(
        asked,
        work,
        meanwhile=f"Writing {tokenizer.name} for {entry.library} and comparing the ids …",
        show=lambda export: _show_export(export, entry.library),
    )


def _show_export(export: Export | str, library: str) -> None:
    if isinstance(export, str):
        st.write(f":material/block: It cannot be exported **for {library}**: {markdown_escape(export)}.")
        return
    st.write(f"**For {library}**: {markdown_escape(export.proof.sentence)}")
    with st.container(horizontal=True, gap="small"):
        for file_name, text in export.files.items():
            st.download_button(file_name, text, file_name, icon=":material/download:", on_click="ignore")
    st.caption(f"Test text: {TEST_TEXT}.")
    if export.program:
        st.caption("To load the file in Python, with its split pattern:")
        show_scrolled_code(export.program, language="python", height=PROGRAM_HEIGHT)
