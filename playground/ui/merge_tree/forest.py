"""The merge forest: a text's trees, drawn as one types, and a player for the encoder's steps.

Its JavaScript talks to `playground.server.forest_session`; the text never goes through a rerun of the page.
"""

from collections.abc import Sequence

from playground.analysis.live_document import MAX_TEXT_BYTES
from playground.render.merge_tree import TREE_CSS
from playground.server.forest_session import ForestSession
from playground.ui import component

_component = component.define(
    "merge_forest",
    html="forest/forest.html",
    module="forest/forest.js",
    styles=("shared/text_field.css", "shared/tree_colors.css", "forest/forest.css"),
    css=TREE_CSS,
)


def merge_forest_editor(session: ForestSession, *, example: str, key: str) -> None:
    """Mount the forest with its text field and player."""
    _component(
        key=key,
        data={
            "url": component.address(session.url),
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
