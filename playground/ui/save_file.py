"""Buttons that save a file, or copy a text, of what the page has when they are pressed."""

from base64 import b64encode
from collections.abc import Callable
from typing import Literal, TypedDict, get_args

from playground.ui import component, state

#: A press asks for the file; the value is the number of the press.
SaveEvent = Literal["press"]
_component = component.define(
    "save_file",
    html='<div class="save-file"><button type="button"></button></div>',
    module="save/save_file.js",
    css=".save-file { display: inline-flex; color: var(--ink); }",
    events=get_args(SaveEvent),
)


class FileData(TypedDict):
    """The label of the button, and the name of the file, "" to copy the text instead.

    `content` is None but in the run that a press has asked for; `press` is the number of that press.
    """

    label: str
    file_name: str
    content: str | None
    is_base64: bool
    press: int


def save_file(label: str, file_name: str, make: Callable[[], str | bytes]) -> None:
    """Draw a button that saves a file.

    A press runs the page, and the browser sends with it what was just typed into a field. That run calls
    `make`. Put the button above what a run may make longer.
    """
    _draw(f"save-{file_name}", label, file_name, make)


def copy_text(label: str, make: Callable[[], str]) -> None:
    """Draw a button that puts a text on the clipboard, as `save_file` saves one."""
    _draw(f"copy-{label}", label, "", make)


def _draw(key: str, label: str, file_name: str, make: Callable[[], str | bytes]) -> None:
    press = state.component_value(key, "press")
    made = make() if press else None
    content = b64encode(made).decode() if isinstance(made, bytes) else made
    data: FileData = {
        "label": label,
        "file_name": file_name,
        "content": content,
        "is_base64": isinstance(made, bytes),
        "press": press or 0,
    }
    _component(key=key, data=data)
