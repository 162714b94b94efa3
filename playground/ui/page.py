"""What every page shares: the frame around it, its opening, and the code that made it."""

import inspect
from collections.abc import Callable, Sequence

import streamlit as st
from streamlit.navigation.page import StreamlitPage

NAME = "Tessera"


def run(pages: Sequence[StreamlitPage]) -> None:
    """Frame the app and run the page that was asked for."""
    st.set_page_config(page_title=NAME, layout="wide")
    st.navigation(list(pages), position="top").run()


def open_page(title: str, *, claim: str) -> None:
    """Open an article with its title and one-sentence claim."""
    st.header(title, anchor=False)
    st.write(claim)


def show_source(*objects: Callable[..., object] | type) -> None:
    """Offer the code that made the page, as it runs."""
    with st.expander("The code that made this"):
        for item in objects:
            st.code(inspect.getsource(item), language="python")
