"""Tokenize: a text is cut into tokens, and each is an id."""

import streamlit as st

from playground.analysis.live_document import LiveDocument
from playground.catalog.registry import get_tokenizer
from playground.core.errors import PlaygroundError
from playground.render.plain_text import markdown_escape
from playground.server import share_link
from playground.server.editor_session import EditorSession
from playground.ui import controls, page, state
from playground.ui.tokenize import budget as budget_view
from playground.ui.tokenize.editor import token_editor

session = state.keep("editor", lambda: EditorSession(get_tokenizer("cl100k_base")))
shared = state.take_query_parameter(share_link.PARAMETER)
if shared is not None:
    try:
        share_link.restore(session, shared)
    except PlaygroundError as error:
        st.error(markdown_escape(str(error)))
    state.put("tokenizer.tokenize", session.base_tokenizer.name)
    state.put("own_special", "\n".join(session.own_special))

picker, own = page.open_page(
    "Tokenize", claim="A model never sees letters, only these numbers.", controls=[3, 2]
)
with picker:
    tokenizer = controls.choose_tokenizer("tokenize")
with own:
    own_special = controls.choose_own_special_tokens(session)
session.use_tokenizer(tokenizer, own_special)

token_editor(session, key="token-editor")

budget_view.show_budget(session)
page.show_source(LiveDocument)
