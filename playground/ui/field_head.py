"""The head of a field of Streamlit: its name, the examples, and the button for files that live pages have."""

from collections.abc import Callable, Sequence
from typing import Literal, TypedDict, get_args

from playground.ui import component, state

#: An example was chosen, by its title.
FieldHeadEvent = Literal["chosen"]
_component = component.define(
    "field_head",
    html="field_head/field_head.html",
    module="field_head/field_head.js",
    styles=("shared/text_field.css", "shared/notes.css", "field_head/field_head.css"),
    events=get_args(FieldHeadEvent),
)


class FieldHeadData(TypedDict):
    """What the field is called, and the titles of its examples.

    `uploader` and `field` are the keys of the containers of the uploader that gets files, and of the field on
    which one drops them; `about_files` says which, and none may have more than `max_bytes`.
    """

    label: str
    titles: list[str]
    uploader: str
    field: str
    about_files: str
    max_bytes: int


def show_field_head(
    label: str,
    titles: Sequence[str],
    *,
    uploader: str,
    field: str,
    about_files: str,
    max_bytes: int,
    key: str,
    on_choice: Callable[[str], None],
) -> None:
    """Draw the head; `on_choice` gets the title of the example that was chosen. Nothing stays chosen."""

    def hear() -> None:
        title = state.component_value(key, "chosen")
        if title in titles:
            on_choice(title)

    data: FieldHeadData = {
        "label": label,
        "titles": [*titles],
        "uploader": uploader,
        "field": field,
        "about_files": about_files,
        "max_bytes": max_bytes,
    }
    _component(key=key, data=data, chosen=hear)
