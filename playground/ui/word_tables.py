"""Train a word-level or character tokenizer from a page's text and add it to every picker."""

from collections.abc import Callable, Sequence

import streamlit as st

from playground.catalog.word_table import ENDING, Unit, WordTableTokenizer, learn_table, write_table
from playground.core.errors import PlaygroundError, TextTooLongError
from playground.core.tokenizer import replace_lone_surrogates
from playground.render.visible_text import markdown_escape
from playground.server.picker_session import problem_with_name
from playground.ui import state
from playground.ui.picker import replaced_by

#: Limit on the text in bytes, because it is processed while the page runs.
MAX_BYTES = 5_000_000
_KINDS: dict[str, tuple[Unit, bool]] = {
    "Words": ("words", False),
    "Words and <|unk|>": ("words", True),
    "Characters": ("characters", False),
}
KIND = state.Field("tables.kind", next(iter(_KINDS)))
NAME = state.Field("tables.name", "my-words")


def show_table_fields(get_texts: Callable[[], Sequence[str]], *, source: str) -> None:
    """Draw the fields for kind and name, and a button of the surrounding form; `source` names the text."""
    st.markdown(
        f"**A new tokenizer from {source}**",
        help="Its vocabulary has one row for each distinct word or character of the text. Anything else is "
        "dropped when a text is encoded, or becomes <|unk|>.",
    )
    st.radio("Rows", [*_KINDS], horizontal=True, label_visibility="collapsed", **KIND.one_of([*_KINDS]))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input("Name of the tokenizer", **NAME.shown()).strip()
        problem = problem_with_name(name)
        st.form_submit_button(
            "Train",
            icon=":material/table_rows:",
            key="tables-learn",
            on_click=lambda: _learn(get_texts),
        )
    with st.empty():  # keeps the layout below it stable
        if problem:
            st.error(markdown_escape(problem))
        elif name in state.trained_tokenizers():
            st.caption(markdown_escape(replaced_by(name, "Train")))


def _learn(get_texts: Callable[[], Sequence[str]]) -> None:
    name = NAME.value.strip()
    if problem_with_name(name):
        return  # shown below the field
    unit, has_unknown = _KINDS[KIND.value]
    try:
        texts = [replace_lone_surrogates(text) for text in get_texts()]
        n_bytes = sum(len(text.encode()) for text in texts)
        if n_bytes > MAX_BYTES:
            raise TextTooLongError(f"the text has {n_bytes:,} bytes; the limit is {MAX_BYTES:,}")
        state.picker_session().keep(
            WordTableTokenizer(name, learn_table(texts, unit, has_unknown=has_unknown))
        )
    except PlaygroundError as error:
        state.put("tables.told", str(error))
        return
    state.put("tables.told", "")
    state.put("tables.learned", name)


def show_learned_table() -> None:
    """Draw the tokenizer that was trained last and its file, or the error."""
    told = state.keep("tables.told", str)
    with st.empty():
        if told:
            st.error(markdown_escape(told))
    name = state.keep("tables.learned", str)
    learned = state.trained_tokenizers().get(name)
    if not isinstance(learned, WordTableTokenizer):
        return
    st.success(markdown_escape(f"{name}: {learned.about}. It is now in every picker."))
    rows = [*learned.model.rows, *learned.model.special_rows]
    st.dataframe({"row": range(len(rows)), learned.model.unit[:-1]: rows}, hide_index=True, height=180)
    file_name = f"{name}{ENDING}"
    st.download_button(
        file_name, write_table(learned.model), file_name, icon=":material/download:", on_click="ignore"
    )
