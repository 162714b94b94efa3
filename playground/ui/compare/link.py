"""Share links of the Compare page: given, and taken."""

from collections.abc import Mapping
from typing import Any, get_args

import streamlit as st

from playground.core.errors import PlaygroundError
from playground.render.visible_text import markdown_escape
from playground.server.compare_session import COMPARE_LINK, CompareSession, Layout
from playground.ui import picker, share


def shared_comparison(session: CompareSession, shown: Mapping[str, Any]) -> share.Shared:
    """What a link has of a comparison; the browser knows how its rows stand."""
    names = [tokenizer.name for tokenizer in session.tokenizers]
    layout = shown.get("layout")
    said = {
        "tokenizers": names,
        "text": session.text,
        "layout": layout if layout in get_args(Layout) else None,
    }
    return share.Shared(said, COMPARE_LINK.large, names)


def take_compare_link(session: CompareSession) -> None:
    """Take text, view and the names of the tokenizers from a share link; unknown names are left out later."""
    shared = share.take_link("compare", COMPARE_LINK)
    if shared is None:
        return
    session.layout = shared["layout"]
    if shared["tokenizers"]:
        picker.choose(picker.SEVERAL, shared["tokenizers"])
    if shared["text"] is None:
        return
    try:
        session.set_text(shared["text"])
    except PlaygroundError as error:
        st.error(markdown_escape(str(error)))
