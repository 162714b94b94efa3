"""Shortest difference: the shortest text found on which two tokenizers differ, and the step behind it."""

from functools import partial

import streamlit as st

from playground.catalog.registry import is_shipped
from playground.core.tokenizer import Tokenizer
from playground.drift.search import DEFAULT_TEXTS, Search
from playground.render.difference_html import difference_html
from playground.server.compare_session import CompareSession
from playground.ui import page, state
from playground.ui.vocabulary.tokenizer_work import WorkerCall, show_when_known

#: Limits of a search; that of Gemma 4's two files takes 5.5 s of CPU time at first, with their vocabularies.
SECONDS, MEMORY_BYTES = 60.0, 2_000_000_000


@st.cache_resource(scope="session", on_release=lambda search: search.end(), show_spinner=False)
def _search() -> WorkerCall[Search]:
    """Return this visitor's search; closing the tab cancels it."""
    return WorkerCall("playground.drift.search.find_in_worker")


def show_difference(session: CompareSession) -> None:
    """Draw the choice of two tokenizers if there are more, and what was found between them."""
    if len(session.tokenizers) < 2:  # an address may name a single tokenizer
        st.caption("Choose a second tokenizer at the top of the page.")
        return
    one, other = _chosen_pair(session.tokenizers)
    if one is other:
        st.caption("Choose two different tokenizers.")
        return
    packed = [each.name if is_shipped(each) else each for each in (one, other)]
    names = f"{one.name} and {other.name}"
    work = _search().call(
        (one, other), *packed, DEFAULT_TEXTS,
        what=f"the search between {names}", seconds=SECONDS, memory_bytes=MEMORY_BYTES,
    )  # fmt: skip
    meanwhile = f"Searching for the shortest text on which {names} differ"
    show_when_known(_search(), work, meanwhile=meanwhile, show=partial(_draw, session, (one, other)))


def _chosen_pair(tokenizers: tuple[Tokenizer, ...]) -> tuple[Tokenizer, Tokenizer]:
    if len(tokenizers) == 2:
        return tokenizers[0], tokenizers[1]
    of_name = {tokenizer.name: tokenizer for tokenizer in tokenizers}
    names = [*of_name]
    chosen = []
    for column, label, first in zip(st.columns(2), ("One tokenizer", "Other tokenizer"), names, strict=False):
        field = state.Field(f"difference.{label.split()[0].lower()}", first)
        chosen.append(of_name[column.selectbox(label, names, **field.one_of(names))])
    return chosen[0], chosen[1]


def _draw(session: CompareSession, pair: tuple[Tokenizer, Tokenizer], search: Search) -> None:
    st.html(difference_html(search, pair, theme=page.theme()))
    difference = search.difference
    if difference is not None:
        st.button("Put this text into the text field", on_click=session.set_text, args=(difference.text,))
        if any(name in difference.text for tokenizer in pair for name in tokenizer.special_tokens):
            st.caption("In the text field special tokens are ordinary text.")
    elif not search.proof:
        st.caption("This is no proof. To try more texts, use `tessera difference` with `--texts` in a shell.")
