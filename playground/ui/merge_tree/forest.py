"""The Merge tree page's first part: the forest of a text, live, and the player of its encoding."""

from collections.abc import Mapping
from typing import Any

from playground.analysis.examples import MERGE_TREE_EXAMPLES
from playground.core.tokenizer import Tokenizer
from playground.server.forest.session import FOREST_LINK, HEIGHT, STEP, ForestSession
from playground.ui import one_tokenizer, share, state
from playground.ui.merge_tree.forest_view import merge_forest_editor


def forest_session() -> ForestSession:
    """This visitor's."""
    return state.keep("merge_tree.session", lambda: ForestSession(MERGE_TREE_EXAMPLES[0].text))


def shared_forest(session: ForestSession, shown: Mapping[str, Any]) -> share.Shared:
    """What a link has of the forest; the browser knows where its player stands."""
    name = session.tokenizer.name if session.tokenizer else ""
    said = {
        "tokenizer": name,
        "text": session.text,
        "step": STEP(shown.get("step", 0)),
        "height_by": HEIGHT(shown.get("height_by", "depth")),
    }
    return share.Shared(said, {"text": "the text"}, [name])


def take_forest_link(session: ForestSession) -> None:
    """Take text, step, height and tokenizer from a share link."""
    shared = share.take_link("merge_tree", FOREST_LINK)
    if shared is None:
        return
    if shared["text"] is not None:
        session.set_text(shared["text"], step=shared["step"], height_by=shared["height_by"])
    if share.is_here(shared["tokenizer"]):
        one_tokenizer.change("merge_tree", shared["tokenizer"])


def show_forest(session: ForestSession, tokenizer: Tokenizer) -> None:
    """Mount the live forest of a tokenizer that merges."""
    session.use(tokenizer)
    merge_forest_editor(session, key="merge_forest")
