"""The merge forest: a text's trees, drawn as one types, and a player for the encoder's steps.

Its JavaScript talks to `playground.ui.forest_session`; the text never goes through a rerun of the page.
"""

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from playground.analysis.live_document import MAX_TEXT_BYTES
from playground.render.merge_tree import TREE_CSS
from playground.ui.forest_session import FOREST_PATH, ForestSession

_HERE = Path(__file__).parent
_EDITOR = _HERE.parent / "token_editor"
#: In the order in which they use each other; a component is one script. The text field is the editor's.
_SCRIPTS = (
    *(_EDITOR / name for name in ("wire.js", "text_sync.js", "segments.js", "text_field.js")),
    _HERE.parent / "save_file.js",
    *(_HERE / name for name in ("tree_picture.js", "forest_view.js", "step_player.js", "forest.js")),
)
_STYLES = (_HERE / "tree_colors.css", _HERE / "forest.css")

_component = st.components.v2.component(
    "tessera_merge_forest",
    html=(_HERE / "forest.html").read_text(),
    css="".join([TREE_CSS, *(path.read_text() for path in (_EDITOR / "text_field.css", *_STYLES))]),
    js="\n".join(path.read_text() for path in _SCRIPTS),
)


def merge_forest_editor(session: ForestSession, *, example: str, key: str) -> None:
    """Mount the forest with its text field and player."""
    _component(
        key=key,
        data={
            "url": f"{FOREST_PATH}/{session.id}",
            "revision": session.revision,
            "text_revision": session.text_revision,
            "is_fresh": session.is_fresh,
            "text": session.text,
            "step": session.step,
            "height_by": session.height_by,
            "tokenizer": session.tokenizer.name if session.tokenizer else "",
            "example": example,
            "max_bytes": MAX_TEXT_BYTES,
            "tree_css": TREE_CSS,
        },
    )


def show_trees(svgs: Sequence[str], *, key: str, file_name: str) -> None:
    """Mount finished trees, to hover, walk and download."""
    _component(
        key=key,
        data={"trees": list(svgs), "file_name": file_name, "is_plain": True, "tree_css": TREE_CSS},
    )
