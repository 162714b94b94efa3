"""Expect: how surprising each token of a text is to a small model, and what would have been likelier."""

from playground.expect.llama import Llama
from playground.expect.reading import Reader, judge
from playground.server.expect.session import ExpectSession
from playground.ui import page, state
from playground.ui.expect.view import expect_view
from playground.ui.middleware import is_own_server

session = state.get_or_make("expect", lambda: ExpectSession(is_own_server=is_own_server()))
page.open_page("Expect", claim="A model guesses each token before it sees it.")
expect_view(session)
page.show_source(Llama, Reader, judge)
