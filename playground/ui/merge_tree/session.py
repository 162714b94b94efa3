"""The session of Merge tree, and the field that has its chosen view."""

from playground.analysis.examples import MERGE_TREE_EXAMPLES
from playground.server.editor.session import EditorSession
from playground.server.merge_tree.session import MergeTreeSession
from playground.ui import picker, state

#: The page's chosen view; the default shows the trees.
VIEW = state.Field("view.merge_tree", "Trees")


def merge_tree_session() -> MergeTreeSession:
    """Return this visitor's session; an old link to a race begins with its word."""
    session = state.get_or_make("merge_tree.session", lambda: MergeTreeSession(MERGE_TREE_EXAMPLES[0].text))
    session.given = state.query_parameter("race.word")
    return session


def follow_editor(session: MergeTreeSession) -> None:
    """Use the tokenizer of Tokenize for a text that was typed there, until the visitor chooses another."""
    editor: EditorSession | None = state.get("editor", None)
    if (
        session.is_fresh
        and editor is not None
        and not editor.is_fresh
        and not picker.chosen_names(picker.ONE)
    ):
        picker.choose(picker.ONE, [picker.name_of(editor.base_tokenizer)])
