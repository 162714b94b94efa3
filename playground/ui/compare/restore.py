"""A share link of the Compare page, read."""

from playground.server.compare import CompareSession
from playground.ui import state


def restore_compare(session: CompareSession) -> None:
    """Take the text and the names of the tokenizers from a share link; unknown names are left out later."""
    text = state.take_query_parameter("text")
    names = state.take_query_parameter("tokenizers")
    if names:
        state.put("tokenizers.compare", names.split(",")[:6])
    if text is not None:
        session.set_text(text)
