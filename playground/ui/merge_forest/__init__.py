"""The merge forest: a text's trees, drawn as one types, and a player for the encoder's steps.

The component sends what is typed and where the player stands; trees and steps come as `data`.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from playground.render.merge_tree import TREE_CSS

_HERE = Path(__file__).parent
#: In the order in which they use each other; a component is one script.
_SCRIPTS = ("../save_file.js", "tree_picture.js", "forest_view.js", "step_player.js", "forest.js")

_CSS = TREE_CSS + (_HERE / "forest.css").read_text()
_component = st.components.v2.component(
    "tessera_merge_forest",
    html=(_HERE / "forest.html").read_text(),
    css=_CSS,
    js="\n".join((_HERE / name).read_text() for name in _SCRIPTS),
)


def merge_forest_editor(*, key: str, data: dict[str, Any]) -> Any:
    """Mount the forest with its text field and player; the result has `text`, `step` and `height_by`.

    `data` is what `forest_data.forest_data` makes.
    """
    return _component(
        key=key,
        data={**data, "tree_css": TREE_CSS},
        on_text_change=_ignore,
        on_step_change=_ignore,
        on_height_by_change=_ignore,
    )


def show_trees(svgs: Sequence[str], *, key: str, file_name: str) -> None:
    """Mount finished trees, to hover, walk and download."""
    _component(
        key=key,
        data={
            "trees": list(svgs),
            "groups": [[index] for index in range(len(svgs))],
            "file_name": file_name,
            "is_plain": True,
            "tree_css": TREE_CSS,
        },
    )


def _ignore() -> None:
    """The page reads the values itself when it runs again."""
