"""The Merge tree page's first view, the forest of a live text: its session, and what a link has of it."""

from collections.abc import Mapping
from typing import Any

from playground.analysis.examples import MERGE_TREE_EXAMPLES
from playground.server.editor.session import EditorSession
from playground.server.forest.session import FOREST_LINK, HEIGHT, STEP, ForestSession
from playground.ui import picker, share, state

#: The page's view; the first shows the forest.
VIEW = state.Field("view.merge_tree", "Trees")


def forest_session() -> ForestSession:
    """This visitor's."""
    return state.keep("merge_tree.session", lambda: ForestSession(MERGE_TREE_EXAMPLES[0].text))


def follow_editor(session: ForestSession) -> None:
    """Use Tokenize's tokenizer for a text that was typed there, until one is chosen."""
    editor: EditorSession | None = state.kept("editor", None)
    if (
        session.is_fresh
        and editor is not None
        and not editor.is_fresh
        and not picker.chosen_names(picker.ONE)
    ):
        picker.choose(picker.ONE, [editor.base_tokenizer.name])


def shared_forest(session: ForestSession, shown: Mapping[str, Any]) -> share.Shared:
    """What a link has of the forest; while it is shown, the browser knows where its player stands."""
    name = session.tokenizer.name if session.tokenizer else ""
    said = {
        "tokenizer": name,
        "text": session.text,
        "step": STEP(shown.get("step", session.step)),
        "height_by": HEIGHT(shown.get("height_by", session.height_by)),
    }
    return share.Shared(said, FOREST_LINK.large, [name])


def take_forest_link(session: ForestSession) -> None:
    """Take text, step, height and tokenizer from a share link."""
    shared = share.take_link("merge_tree", FOREST_LINK)
    if shared is None:
        return
    if shared["text"] is not None:
        session.set_text(shared["text"], step=shared["step"], height_by=shared["height_by"])
        if "view.merge_tree" not in shared["chosen"]:  # another page opens the text here
            VIEW.put(VIEW.default)
    if share.is_here(shared["tokenizer"]):
        picker.choose(picker.ONE, [shared["tokenizer"]])
