"""The data of the Formats page, which is a live component, and the settings below it."""

from dataclasses import dataclass
from typing import Literal, get_args

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from playground.analysis.examples import Example
from playground.catalog.models import MODELS_DATE
from playground.catalog.registry import get_tokenizer
from playground.core.tokenizer import Tokenizer
from playground.formats.detection import Detection
from playground.formats.example_data import EXAMPLE_DATA
from playground.formats.limits import MAX_INPUT_BYTES
from playground.formats.reading import INPUT_FORMATS
from playground.formats.values import WriteOptions
from playground.render.token_html import note_html
from playground.server.compare_session import MAX_TOKENIZERS
from playground.server.formats.session import FormatSession
from playground.ui import component, picker, state
from playground.ui.live_text import LiveText, live_text

#: Typing has paused, and the server has the text; the server no longer knows the session.
FormatsEvent = Literal["settled", "lost"]
_EXAMPLES = [Example(title, make(), notice="") for title, make in EXAMPLE_DATA.items()]
_DETECT = "Detect"
#: The parameter of older addresses, in which one choice held for every text.
_OLD_READ_AS = "formats.input"
_DEFAULT = ["gpt-5", "deepseek-chat"]
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
    """How to write the data, and the price in dollars of a million input tokens."""

    options: WriteOptions
    price: float


def data_field(session: FormatSession) -> None:
    """Mount the text field; the page runs again a moment after typing stops."""
    data: FormatsData = {**live_text(session, _EXAMPLES), "max_bytes": MAX_INPUT_BYTES}
    _component(key="formats-data", data=data)


def choose_tokenizers(messages: DeltaGenerator) -> list[Tokenizer]:
    """Return the tokenizers that count; the first is drawn as bars. With none chosen it is o200k_base."""
    chosen = picker.choose_tokenizers(default=picker.chosen_first(_DEFAULT), n_min=0, n_max=MAX_TOKENIZERS)
    if not chosen:
        messages.caption("No tokenizer is chosen; o200k_base is used.")
    return chosen or [get_tokenizer("o200k_base")]


def choose_settings(tokenizer: Tokenizer) -> Settings:
    """Draw the settings below the data; the price is the visitor's own, or else the tokenizer's model's."""
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
    return Settings(options, usual if price is None else price)


def read_as(detected: str) -> state.Field[str]:
    """Return the field with the format to read, for texts that are detected as `detected`.

    Each detected format has its own field, so a choice does not affect texts of another format.
    """
    is_linked = state.get("formats.linked", "") == detected
    default = state.query_parameter(_OLD_READ_AS) or _DETECT if is_linked else _DETECT
    name = f"formats.read.{detected.lower().replace(' ', '_')}"
    return state.Field(name, default if default in INPUT_FORMATS else _DETECT)


def chosen_readings(session: FormatSession) -> dict[str, str]:
    """Return the formats that the visitor chose, by the detected format."""
    linked = state.query_parameter(_OLD_READ_AS)
    is_new = linked in INPUT_FORMATS and session.version > 0 and not state.get("formats.linked", "")
    if linked is not None and is_new:  # the choice of an older address holds for the text of that address
        return dict.fromkeys(INPUT_FORMATS, linked)
    chosen = {detected: read_as(detected).value for detected in INPUT_FORMATS}
    return {detected: name for detected, name in chosen.items() if name != _DETECT}


def choose_reading(session: FormatSession, detected: str, detection: Detection | None) -> None:
    """Draw the detected format with the reason, and the choice of another format."""
    if session.version > 0 and not state.get("formats.linked", ""):
        state.put("formats.linked", detected)
    inputs = [_DETECT, *INPUT_FORMATS]
    st.selectbox(
        "Read as",
        inputs,
        format_func=lambda name: f"{detected} (detected)" if name == _DETECT else name,
        **read_as(detected).one_of(inputs),
    )
    if detection is not None:
        st.html(note_html(f"{_CERTAINTY[detection.certainty]}: {detection.why}."))


_CERTAINTY = {"certain": "Certain", "likely": "Likely", "guess": "A guess"}


def _checkbox(label: str, name: str) -> bool:
    return st.checkbox(label, **state.Field(name, False).shown())
