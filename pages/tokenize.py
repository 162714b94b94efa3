"""Tokenize: the tokens and ids of a text, a chat or pasted ids."""

from playground.analysis.live_document import LiveDocument
from playground.catalog.registry import get_tokenizer
from playground.server.editor.session import EditorSession
from playground.ui import page, picker, state
from playground.ui.tokenize import budget as budget_view
from playground.ui.tokenize.editor import token_editor, use_chosen_model
from playground.ui.tokenize.special_tokens import own_special_tokens

session = state.get_or_make("editor", lambda: EditorSession(get_tokenizer("cl100k_base")))
bar = page.open_page("Tokenize", claim="A model never sees letters, only token ids.")
with bar.picker:
    tokenizer = picker.choose_tokenizer()
special, is_typed = own_special_tokens(tokenizer, messages=bar.messages)
use_chosen_model(session, special, is_typed=is_typed)

token_editor(session, special, key="token-editor")

budget_view.show_budget(session)
page.show_source(LiveDocument)
