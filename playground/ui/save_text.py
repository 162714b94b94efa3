"""Buttons that save a text as a file, or copy it."""

from typing import TypedDict

import streamlit as st

from playground.ui import component

#: A longer text is downloaded from the server instead of being sent with the page.
MAX_SENT_CHARACTERS = 200_000
_component = component.define(
    "save_text",
    html='<div class="save-text"><button type="button"></button></div>',
    module="save/save_text.js",
    css=".save-text { display: inline-flex; color: var(--ink); }",
)


class TextFileData(TypedDict):
    """The label of the button, the text, and the name of the file; "" copies the text instead."""

    label: str
    text: str
    file_name: str


def save_text(label: str, text: str, file_name: str) -> None:
    """Draw the button. The browser saves the text itself, so that a click during a run is not lost."""
    if len(text) > MAX_SENT_CHARACTERS:
        st.download_button(label, text, file_name, on_click="ignore")
        return
    data: TextFileData = {"label": label, "text": text, "file_name": file_name}
    _component(key=f"save-{file_name}", data=data)


def copy_text(label: str, text: str) -> None:
    """Draw a button that puts a text on the clipboard; none for a text too long to send with the page."""
    if len(text) <= MAX_SENT_CHARACTERS:
        data: TextFileData = {"label": label, "text": text, "file_name": ""}
        _component(key=f"copy-{label}", data=data)
