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
