"""Share links of the Tokenize page: given, and taken."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from playground.core.errors import PlaygroundError, UnknownTokenizerError
from playground.render.visible_text import markdown_escape
from playground.server.editor.link import EDITOR_LINK, editor_state, restore_editor
from playground.server.editor.session import EditorSession
from playground.ui import picker, share, state


def shared_editor(session: EditorSession, shown: Mapping[str, Any]) -> share.Shared:
    """What a link has of the editor; the browser knows the view."""
    said = editor_state(session, view=shown.get("view"))
    large = {name: title for name, title in EDITOR_LINK.large.items() if name in said}
    return share.Shared(said, large, [session.base_tokenizer.name])


def take_tokenize_link(session: EditorSession) -> None:
    """Take all that the editor shows from a share link; the controls follow."""
    shared = share.take_link("tokenize", EDITOR_LINK)
    if shared is None:
        return
    try:
        restore_editor(session, shared, own=state.trained_tokenizers())
    except UnknownTokenizerError:
        pass  # it is told of the link
    except PlaygroundError as error:
        st.error(markdown_escape(str(error)))
    picker.choose(picker.ONE, [session.base_tokenizer.name])
    picker.put_special_tokens(session.own_special)
