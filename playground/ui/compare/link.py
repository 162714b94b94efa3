"""A share link of the Compare page, read."""

import streamlit as st

from playground.core.errors import PlaygroundError
from playground.render.plain_text import markdown_escape
from playground.server.compare_session import COMPARE_LINK, CompareSession
from playground.ui import controls, share


def take_compare_link(session: CompareSession) -> None:
    """Take the text and the names of the tokenizers from a share link; unknown names are left out later."""
    shared = share.take_link(COMPARE_LINK)
    if shared is None:
        return
    if shared["tokenizers"]:
        controls.tokenizers_field("compare", controls.default_tokenizers()).put(shared["tokenizers"])
    if shared["text"] is None:
        return
    try:
        session.set_text(shared["text"])
    except PlaygroundError as error:
        st.error(markdown_escape(str(error)))
