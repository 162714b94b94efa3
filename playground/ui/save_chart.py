"""Buttons that save a chart of the page as SVG or PNG, just as it is drawn; nothing asks the server."""

from typing import TypedDict

from playground.ui import component

_component = component.define(
    "save_chart",
    html="save_chart/save_chart.html",
    module="save_chart/save_chart.js",
    styles=("save_chart/save_chart.css",),
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
