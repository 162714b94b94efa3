"""Learn: lessons on tokenization with interactive figures, to read alone or to present to a class."""

from playground.server.learn_session import LearnSession
from playground.ui import page, state
from playground.ui.learn.lessons import show_lessons

page.open_page("Learn", claim="Short lessons, each with a figure that you can change.")
show_lessons(state.keep("learn.session", LearnSession))
page.show_source(LearnSession)
