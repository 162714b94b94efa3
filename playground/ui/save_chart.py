"""Buttons that save a chart of the page as SVG or PNG, just as it is drawn; nothing asks the server."""

from collections.abc import Mapping, Sequence
from typing import TypedDict

import streamlit as st

from playground.ui import component, controls

_component = component.define(
    "save_chart",
    html="save/save_chart.html",
    module="save/save_chart.js",
    styles=("save/save_chart.css",),
)


class ChartData(TypedDict):
    """The key of the container that holds the chart, and the name of the file."""

    chart: str
    file_name: str


def save_chart_buttons(chart: str, *, file_name: str, key: str = "") -> None:
    """Mount the two buttons; `chart` is the key of the `st.container` that holds the chart.

    `file_name` comes without an ending. Where a person chose it, give a `key`: names may hold what Streamlit
    does not take in one, such as "__". Several charts in the container: the first is saved.
    """
    data: ChartData = {"chart": chart, "file_name": file_name}
    _component(key=key or f"save-{chart}-{file_name}", data=data)


def choose_view_of_chart(page: str, views: Sequence[str], chart: str, file_names: Mapping[str, str]) -> str:
    """A page's views, and at their right the two buttons of the one that is chosen.

    `file_names` has those views that draw one chart, into the container of this key.
    """
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        view = controls.choose_view(page, views)
        if view in file_names:
            save_chart_buttons(chart, file_name=file_names[view])
    return view
