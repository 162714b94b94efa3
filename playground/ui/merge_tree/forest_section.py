"""The Merge tree page's first part: the forest of a text, live, and the player of its encoding."""

from playground.core.tokenizer import Tokenizer
from playground.server.forest import ForestSession
from playground.ui import state
from playground.ui.merge_tree.forest import merge_forest_editor

EXAMPLE = " tokenization"


def restore_forest() -> None:
    """Take text, step, height and tokenizer from a share link."""
    session = state.keep("merge_tree.session", lambda: ForestSession(EXAMPLE))
    names = ("text", "step", "height", "tokenizer")
    text, step, height, tokenizer_name = map(state.take_query_parameter, names)
    if text is not None:
        number = int(step) if step and step.isascii() and step.isdecimal() and len(step) < 9 else 0
        session.set_text(text, step=number, height_by="order" if height == "order" else "depth")
    if tokenizer_name:
        state.put("tokenizer.merge_tree", tokenizer_name)


def show_forest(tokenizer: Tokenizer) -> None:
    """Mount the live forest of a tokenizer that merges."""
    session = state.keep("merge_tree.session", lambda: ForestSession(EXAMPLE))
    session.use(tokenizer)
    merge_forest_editor(session, example=EXAMPLE, key="merge_forest")
