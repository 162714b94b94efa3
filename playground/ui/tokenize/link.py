"""A share link of the Tokenize page, read."""

import streamlit as st

from playground.core.errors import PlaygroundError
from playground.render.plain_text import markdown_escape
from playground.server.editor.link import EDITOR_LINK, restore_editor
from playground.server.editor.session import EditorSession
from playground.ui import controls, one_tokenizer, share


def take_tokenize_link(session: EditorSession) -> None:
    """Take all that the editor shows from a share link; the controls follow."""
    shared = share.take_link(EDITOR_LINK)
    if shared is None:
        return
    try:
        restore_editor(session, shared)
    except PlaygroundError as error:
        st.error(markdown_escape(str(error)))
    one_tokenizer.change("tokenize", session.base_tokenizer.name)
    controls.OWN_SPECIAL.put("\n".join(session.own_special))
