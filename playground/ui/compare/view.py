"""The live component of Compare: one text field, and a row for each tokenizer on one axis of characters.

Its JavaScript talks to `playground.server.compare_session`; the text never goes through a rerun of the page.
"""

from typing import Any, Literal, TypedDict, get_args

from playground.analysis.examples import COMPARE_EXAMPLES
from playground.catalog.models import MODELS_DATE
from playground.core.tokenizer import Tokenizer
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


class ComparedModel(TypedDict):
    """A row: its name, the tokenizer with what its counts are, and dollars per million input tokens."""

    name: str
    detail: str
    input_price: float | None


class CompareData(LiveText):
    """The component's data: a colour and a model for each row."""

    colors: list[str]
    models: list[ComparedModel]
    prices_date: str


def compare_view(session: CompareSession, *, key: str) -> Any:
    """Mount the view; the page runs again a moment after typing stops.

    The result's trigger `lost` is set when the server no longer knew the session.
    """
    data: CompareData = {
        **live_text(session, COMPARE_EXAMPLES),
        "colors": tokenizer_css_colors(tokenizer.name for tokenizer in session.tokenizers),
        "models": [_compared(tokenizer) for tokenizer in session.tokenizers],
        "prices_date": MODELS_DATE,
    }
    return _component(key=key, data=data)


def _compared(tokenizer: Tokenizer) -> ComparedModel:
    model = picker.chosen_model(tokenizer, picker.SEVERAL)
    if model is None:
        return {"name": tokenizer.name, "detail": "", "input_price": None}
    is_reconstructed = model.fidelity == "reconstructed"
    detail = f"{tokenizer.name} · reconstructed" if is_reconstructed else tokenizer.name
    return {"name": model.name, "detail": detail, "input_price": model.input_price}
