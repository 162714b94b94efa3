"""Tokenize: a text is cut into tokens, and each is an id."""

from functools import partial

from playground.analysis.live_document import LiveDocument
from playground.catalog.registry import get_tokenizer
from playground.server.editor.session import EditorSession
from playground.ui import page, picker, share, state
from playground.ui.tokenize import budget as budget_view
from playground.ui.tokenize.editor import choose_editor_tokenizer, token_editor
from playground.ui.tokenize.link import shared_editor, take_tokenize_link

session = state.keep("editor", lambda: EditorSession(get_tokenizer("cl100k_base")))
take_tokenize_link(session)
bar = page.open_page("Tokenize", claim="A model never sees letters, only these numbers.")
with bar.share:
    share.share_button("tokenize", partial(shared_editor, session))
share.tell_of_link("tokenize")
with bar.picker:
    tokenizer = choose_editor_tokenizer(session, told=bar.told)
own_special, is_typed = picker.own_special_tokens(tokenizer, told=bar.told)
session.use_tokenizer(tokenizer, own_special, is_typed=is_typed)

token_editor(session, key="token-editor")

budget_view.show_budget(session)
page.show_source(LiveDocument)
