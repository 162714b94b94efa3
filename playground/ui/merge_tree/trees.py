"""The live component of Merge tree: a text field and, for Trees, the text's merge trees and a player.

Its JavaScript talks to `playground.server.merge_tree.session`; a rerun of the page never passes the text.
"""

from collections.abc import Sequence
from typing import Literal, TypedDict, get_args

from playground.analysis.examples import MERGE_TREE_EXAMPLES
from playground.render.merge_tree import TREE_CSS
from playground.server.merge_tree.session import MergeTreeSession
from playground.ui import component
from playground.ui.live_text import LiveText, live_text

#: The server no longer knows the session, so the page makes a new one; or typing has paused in the race.
MergeTreeEvent = Literal["lost", "settled"]

_merge_tree = component.define(
    "merge_tree",
    html="merge_tree/merge_tree.html",
    module="merge_tree/merge_tree.js",
    styles=("shared/text_field.css", "shared/tree_colors.css", "merge_tree/merge_tree.css"),
    css=TREE_CSS,
    events=get_args(MergeTreeEvent),
)
_plain_trees = component.define(
    "plain_trees",
    html="merge_tree/plain_trees.html",
    module="merge_tree/plain_trees.js",
    styles=("shared/tree_colors.css", "merge_tree/merge_tree.css"),
    css=TREE_CSS,
)


#: What is drawn for the text: its trees, or a race, which Streamlit draws below.
MergeTreeView = Literal["trees", "race"]


class MergeTreeData(LiveText):
    """The data of the live component."""

    tokenizer: str
    view: MergeTreeView
    tree_css: str


class PlainTreesData(TypedDict):
    """The data of trees that do not change."""

    trees: list[str]
    file_name: str
    tree_css: str


def merge_tree_editor(session: MergeTreeSession, *, key: str, view: MergeTreeView) -> None:
    """Draw the text field and, for the view of trees, the trees with their player."""
    data: MergeTreeData = {
        **live_text(session, MERGE_TREE_EXAMPLES),
        "tokenizer": session.tokenizer.name if session.tokenizer else "",
        "view": view,
        "tree_css": TREE_CSS,
    }
    _merge_tree(key=key, data=data)


def show_trees(svgs: Sequence[str], *, key: str, file_name: str) -> None:
    """Draw trees that do not change, with hover, arrow keys and download."""
    data: PlainTreesData = {"trees": list(svgs), "file_name": file_name, "tree_css": TREE_CSS}
    _plain_trees(key=key, data=data)
