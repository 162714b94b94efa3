"""The token budget: the text in chunks of at most N tokens, shown and to download."""

import json
from collections.abc import Sequence
from dataclasses import asdict

import pandas as pd
import streamlit as st

from playground.analysis.token_budget import Chunk, cut_at_budget
from playground.core.errors import PlaygroundError
from playground.core.tokenizer import segment
from playground.core.wording import counted
from playground.render.visible_text import markdown_escape
from playground.server.editor.session import EditorSession
from playground.ui import state
from playground.ui.save_text import save_text

SIZE, OVERLAP = state.Field("budget.size", 200), state.Field("budget.overlap", 20)


def show_budget(session: EditorSession) -> None:
    """Draw the settings and the chunks of the editor's text."""
    section = st.expander("Split the text by a token budget", key="budget", on_change="rerun")
    if not section.open:
        return  # segmenting 1 MB at each pause in typing would be noticeable
    with section:
        size, overlap, _ = st.columns([2, 2, 5])
        n_tokens = size.number_input("Tokens per chunk", min_value=1, step=50, **SIZE.shown())
        asked = overlap.number_input("Overlap, in tokens", min_value=0, **OVERLAP.shown())
        n_overlap = (
            asked if asked < n_tokens else n_tokens // 2
        )  # a small chunk size makes a valid overlap too large
        if n_overlap < asked:
            st.caption(
                f"An overlap of {counted(asked, 'token')} does not fit a chunk of {n_tokens:,}, "
                f"so the chunks overlap by {n_overlap:,}."
            )
        document = session.document
        allowed = frozenset(document.tokenizer.special_tokens) if document.honours_special else frozenset()
        try:
            segmentation = segment(document.tokenizer, document.text, allowed_special=allowed)
            chunks = cut_at_budget(
                document.tokenizer,
                segmentation,
                n_tokens=n_tokens,
                overlap=n_overlap,
                allowed_special=allowed,
            )
        except PlaygroundError as error:
            st.error(markdown_escape(str(error)))
            return
        if not chunks:
            st.info("There is no text to split yet.")
            return
        _show_chunks(chunks, len(segmentation.tokens))


def _show_chunks(chunks: Sequence[Chunk], n_tokens: int) -> None:
    makes = "makes" if n_tokens == 1 else "make"
    cuts = "no character is split" if len(chunks) > 1 else "the text fits as it is"
    st.write(f"{counted(n_tokens, 'token')} {makes} **{counted(len(chunks), 'chunk')}**; {cuts}.")
    rows = pd.DataFrame(
        {
            "chunk": [chunk.index + 1 for chunk in chunks],
            "characters": [f"{chunk.char_start:,} – {chunk.char_end:,}" for chunk in chunks],
            "tokens in the text": [chunk.n_tokens for chunk in chunks],
            "tokens on its own": [chunk.n_tokens_alone for chunk in chunks],
            "text": [chunk.text for chunk in chunks],
        }
    )
    st.dataframe(rows, hide_index=True, height=min(38 + 35 * len(chunks), 320))
    with st.container(horizontal=True):
        save_text("Chunks as JSON", _as_json(chunks), "chunks.json")
        save_text("Chunks as text", _as_text(chunks), "chunks.txt")


def _as_json(chunks: Sequence[Chunk]) -> str:
    return json.dumps([asdict(chunk) for chunk in chunks], ensure_ascii=False, indent=2)


def _as_text(chunks: Sequence[Chunk]) -> str:
    return "\n".join(f"--- chunk {chunk.index + 1} ---\n{chunk.text}" for chunk in chunks)
