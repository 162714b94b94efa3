"""Controls that several pages share."""

from collections.abc import Sequence

import streamlit as st

from playground.ui import state


def choose_view(name: str, views: Sequence[str]) -> str:
    """One of several views of a page, in each other's place; the others are not computed."""
    field = state.Field(f"view.{name}", views[0])
    chosen: str = st.segmented_control(
        "View", views, required=True, label_visibility="collapsed", **field.some_of(views)
    )
    return chosen
