"""Learn: lessons on tokenization with interactive figures, to read alone or to present to a class."""

from playground.server.learn_session import LearnSession
from playground.ui import page, state
from playground.ui.learn.lessons import new_session, show_lessons

page.open_page("Learn", claim="Short lessons, each with a figure that you can change.")
show_lessons(state.get_or_make("learn.session", new_session))
page.show_source(LearnSession)
