"""The session of the Merge tree page's first view, and the field of its view."""

from playground.analysis.examples import MERGE_TREE_EXAMPLES
from playground.server.editor.session import EditorSession
from playground.server.forest.session import ForestSession
from playground.ui import picker, state

#: The page's view; the first shows the forest.
VIEW = state.Field("view.merge_tree", "Trees")


def forest_session() -> ForestSession:
    """Return this visitor's session."""
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
