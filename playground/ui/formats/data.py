"""The data of the Formats page, which is a live component, and the settings below it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from playground.analysis.examples import Example
from playground.catalog.models import MODELS_DATE
from playground.catalog.registry import get_tokenizer
from playground.core.tokenizer import Tokenizer
from playground.formats.example_data import EXAMPLE_DATA
from playground.formats.limits import MAX_INPUT_BYTES
from playground.formats.reading import INPUT_FORMATS
from playground.formats.values import WriteOptions
from playground.server.compare_session import MAX_TOKENIZERS
from playground.server.formats.session import FormatSession
from playground.ui import component, picker, state
from playground.ui.live_text import LiveText, live_text

#: The data stands still, and the server has it; the server no longer knows the session.
FormatsEvent = Literal["settled", "lost"]
_EXAMPLES = [Example(title, make(), notice="") for title, make in EXAMPLE_DATA.items()]
_DETECT = "Detect"
READ_AS = state.Field("formats.input", _DETECT)
_DEFAULT = ["gpt-5", "gpt2"]
#: The visitor's own price; None for the model's, or `USUAL_PRICE` without a model.
PRICE: state.Field[float | None] = state.Field("formats.price", None)
USUAL_PRICE = 2.5
_component = component.define(
    "formats",
    html="formats/formats.html",
    module="formats/formats.js",
    styles=("shared/text_field.css", "formats/formats.css"),
    events=get_args(FormatsEvent),
)


class FormatsData(LiveText):
    """Data of the component."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings for reading and writing the data; the format is detected if `input_format` is None.

    `price` is in dollars for a million input tokens.
    """

    input_format: str | None
    options: WriteOptions
    price: float


def data_field(session: FormatSession) -> None:
    """Mount the text field; the page runs again a moment after typing stops."""
    data: FormatsData = {**live_text(session, _EXAMPLES), "max_bytes": MAX_INPUT_BYTES}
    _component(key="formats-data", data=data)


def choose_tokenizers(told: DeltaGenerator) -> list[Tokenizer]:
    """Return the tokenizers that count; the first is drawn as bars. With none chosen it is o200k_base."""
    chosen = picker.choose_tokenizers(default=picker.chosen_first(_DEFAULT), n_min=0, n_max=MAX_TOKENIZERS)
    if not chosen:
        told.caption("No tokenizer is chosen; o200k_base is used.")
    return chosen or [get_tokenizer("o200k_base")]


def choose_settings(tokenizer: Tokenizer) -> Settings:
    """Draw the settings below the data; the price is the visitor's own, or else the tokenizer's model's."""
    inputs: Sequence[str] = [_DETECT, *INPUT_FORMATS]
    input_format = st.selectbox("Read as", inputs, **READ_AS.one_of(inputs))
    model = picker.chosen_model(tokenizer, picker.SEVERAL)
    known = model.input_price if model else None
    usual = USUAL_PRICE if known is None else known
    price: float | None = st.number_input(
        "Price of a million input tokens, $",
        step=0.5,
        format="%g",  # cheap models cost less than a cent
        placeholder=f"{usual:g}, {model.name} on {MODELS_DATE}" if model and known else f"{usual:g}",
        **PRICE.shown(),
    )
    with st.popover("Options"):
        options = WriteOptions(
            is_sorted=_checkbox("Sort keys", "formats.sorted"),
            is_ascii=_checkbox("Escape é as \\u00e9, where a format can", "formats.ascii"),
            is_minified=_checkbox("Minify XML, HTML, Markdown and properties", "formats.minified"),
            has_trailing_newline=_checkbox("End with a line feed", "formats.newline"),
            indent=st.radio(
                "Indent of YAML, TOML, XML and HTML",
                [2, 4],
                horizontal=True,
                **state.Field("formats.indent", 2).one_of([2, 4]),
            ),
        )
    return Settings(
        None if input_format == _DETECT else input_format, options, usual if price is None else price
    )


def _checkbox(label: str, name: str) -> bool:
    return st.checkbox(label, **state.Field(name, False).shown())
