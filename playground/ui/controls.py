"""Controls that several pages share."""

from collections.abc import Sequence

import streamlit as st

from playground.ui import state


def choose_view(name: str, views: Sequence[str]) -> str:
    """Draw the choice of a page's views and return the chosen one; the page computes only that one."""
    field = state.Field(f"view.{name}", views[0])
    chosen: str = st.segmented_control(
        "View", views, required=True, label_visibility="collapsed", **field.some_of(views)
    )
    return chosen


def show_scrolled_code(text: str, *, language: str | None, height: int, wrap_lines: bool = False) -> None:
    """Draw code in a box of this many pixels that a keyboard can scroll.

    A box that `st.code` makes itself has nothing that takes the focus; this one has the button *Copy*.
    """
    with st.container(height=height, border=False):
        st.code(text, language=language, wrap_lines=wrap_lines)
