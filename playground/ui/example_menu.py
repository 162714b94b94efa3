"""The head of a field of Streamlit: its name, and the menu of examples that the fields of live pages have."""

from collections.abc import Callable, Sequence
from typing import Literal, TypedDict, get_args

from playground.ui import component, state

#: An example was chosen, by its title.
ExampleMenuEvent = Literal["chosen"]
_component = component.define(
    "example_menu",
    html="example_menu/example_menu.html",
    module="example_menu/example_menu.js",
    styles=("shared/text_field.css", "example_menu/example_menu.css"),
    events=get_args(ExampleMenuEvent),
)


class ExampleMenuData(TypedDict):
    """What the field is called, and the titles of its examples."""

    label: str
    titles: list[str]


def choose_example(label: str, titles: Sequence[str], *, key: str, on_choice: Callable[[str], None]) -> None:
    """Draw the head; `on_choice` gets the title of the example that was chosen. Nothing stays chosen."""

    def hear() -> None:
        title = state.component_value(key, "chosen")
        if title in titles:
            on_choice(title)

    data: ExampleMenuData = {"label": label, "titles": [*titles]}
    _component(key=key, data=data, chosen=hear)
