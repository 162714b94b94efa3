"""Buttons that save a chart of the page as SVG or PNG, just as it is drawn; nothing asks the server."""

from pathlib import Path

import streamlit as st

_WEB = Path(__file__).resolve().parents[1] / "web"
_component = st.components.v2.component(
    "tessera_save_chart",
    html=(
        '<div class="save-chart"><span class="label"></span>'
        '<button type="button" data-picture="svg">SVG</button>'
        '<button type="button" data-picture="png">PNG</button>'
        '<span class="problem" role="status"></span></div>'
    ),
    css=(_WEB / "save_chart/save_chart.css").read_text(),
    js="\n".join((_WEB / name).read_text() for name in ("shared/save_file.js", "save_chart/save_chart.js")),
)


def save_chart_buttons(chart: str, *, file_name: str) -> None:
    """Mount the two buttons; `chart` is the key of the `st.container` that holds the chart.

    `file_name` comes without an ending. Several charts in the container: the first is saved.
    """
    _component(key=f"save-{chart}-{file_name}", data={"chart": chart, "file_name": file_name})
