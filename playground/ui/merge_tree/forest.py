"""The Merge tree page's first part: the forest of a text, live, and the player of its encoding."""

from playground.core.tokenizer import Tokenizer
from playground.server.forest.session import FOREST_LINK, ForestSession
from playground.ui import one_tokenizer, share, state
from playground.ui.merge_tree.forest_view import merge_forest_editor

EXAMPLE = " tokenization"


def take_forest_link() -> None:
    """Take text, step, height and tokenizer from a share link."""
    session = state.keep("merge_tree.session", lambda: ForestSession(EXAMPLE))
    shared = share.take_link(FOREST_LINK)
    if shared is None:
        return
    if shared["text"] is not None:
        session.set_text(shared["text"], step=shared["step"], height_by=shared["height_by"])
    if shared["tokenizer"]:
        one_tokenizer.change("merge_tree", shared["tokenizer"])


def show_forest(tokenizer: Tokenizer) -> None:
    """Mount the live forest of a tokenizer that merges."""
    session = state.keep("merge_tree.session", lambda: ForestSession(EXAMPLE))
    session.use(tokenizer)
    merge_forest_editor(session, example=EXAMPLE, key="merge_forest")
