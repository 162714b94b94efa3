"""Learn: the lecture as live screens, for a class and for oneself."""

from playground.server.learn_session import LearnSession
from playground.ui import page, state
from playground.ui.learn.lessons import show_lessons

page.open_page("Learn", claim="Short lessons; each is one figure that you change.")
show_lessons(state.keep("learn.session", LearnSession))
