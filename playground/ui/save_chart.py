"""Buttons that save a chart as SVG or PNG in the browser, as it is drawn."""

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
    """The key of the chart's container, and the file name without an extension."""

    chart: str
    file_name: str


def save_chart_buttons(chart: str, *, file_name: str, key: str = "") -> None:
    """Mount the two buttons; `chart` is the key of the `st.container` that holds the chart.

    `file_name` has no extension. Give a `key` if a person chose the name, because Streamlit refuses some
    characters in keys, such as "__". If the container has several charts, the first is saved.
    """
    data: ChartData = {"chart": chart, "file_name": file_name}
    _component(key=key or f"save-{chart}-{file_name}", data=data)


def choose_view_of_chart(page: str, views: Sequence[str], chart: str, file_names: Mapping[str, str]) -> str:
    """Draw the choice of a page's views with the save buttons of the chosen one, and return the view.

    `file_names` maps the views that draw one chart, into the container with the key `chart`.
    """
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        view = controls.choose_view(page, views)
        if view in file_names:
            save_chart_buttons(chart, file_name=file_names[view])
    return view
