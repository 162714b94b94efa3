"""A button that saves a text which the page shows; a chart is `save_chart`'s business."""

from typing import TypedDict

import streamlit as st

from playground.ui import component

#: A longer text is not sent with the page.
MAX_SENT_CHARACTERS = 200_000
_component = component.define(
    "save_text",
    html="save_text/save_text.html",
    module="save_text/save_text.js",
    styles=("save_text/save_text.css",),
)


class TextFileData(TypedDict):
    """What stands on the button, the text, and the name of the file that it is saved as."""

    label: str
    text: str
    file_name: str


def save_text(label: str, text: str, file_name: str) -> None:
    """Draw the button; the browser has the text and saves it, so no click in a run of the page is lost.

    Streamlit keeps a long text at an address until the next run, and never makes it only when asked: what it
    defers, it forgets.
    """
    if len(text) > MAX_SENT_CHARACTERS:
        st.download_button(label, text, file_name, on_click="ignore")
        return
    data: TextFileData = {"label": label, "text": text, "file_name": file_name}
    _component(key=f"save-{file_name}", data=data)
