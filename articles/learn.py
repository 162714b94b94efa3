"""Learn: the lecture as live screens, for a class and for oneself."""

from playground.server.learn_session import LearnSession
from playground.ui import page, share, state
from playground.ui.learn.lessons import show_lessons

bar = page.open_page("Learn", claim="Short lessons; each is one figure that you change.")
with bar.share:
    share.share_address_button()
show_lessons(state.keep("learn.session", LearnSession))
