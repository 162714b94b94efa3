"""The live component of Compare: one text field, and a row for each tokenizer on one axis of characters.

Its JavaScript talks to `playground.server.compare_session`; the text never goes through a rerun of the page.
"""

from typing import Any, Literal, get_args

from playground.analysis.comparison import ComparedModel, compared_model
from playground.analysis.examples import COMPARE_EXAMPLES
from playground.catalog.models import MODELS_DATE
from playground.render.palette import token_css, tokenizer_css_colors
from playground.server.compare_session import CompareSession
from playground.ui import component, picker
from playground.ui.live_text import LiveText, live_text

#: Typing has paused; the server no longer knows the session.
CompareEvent = Literal["settled", "lost"]

_component = component.define(
    "compare",
    html="compare/compare.html",
    module="compare/compare.js",
    styles=("shared/text_field.css", "shared/token_strip.css", "compare/compare.css"),
    css=token_css(),
    events=get_args(CompareEvent),
)


class CompareData(LiveText):
    """The component's data: a colour and a model for each row."""

    colors: list[str]
    models: list[ComparedModel]
    prices_date: str


def compare_view(session: CompareSession, *, key: str) -> Any:
    """Mount the view; the page runs again a moment after typing stops.

    The result's trigger `lost` is set when the server no longer knew the session.
    """
    session.models = [
        compared_model(tokenizer, picker.chosen_model(tokenizer, picker.SEVERAL))
        for tokenizer in session.tokenizers
    ]
    data: CompareData = {
        **live_text(session, COMPARE_EXAMPLES),
        "colors": tokenizer_css_colors(tokenizer.name for tokenizer in session.tokenizers),
        "models": list(session.models),
        "prices_date": MODELS_DATE,
    }
    return _component(key=key, data=data)
