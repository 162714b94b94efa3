"""The controls of the formats page: its data, its tokenizers, and how to write."""

from dataclasses import dataclass

import streamlit as st

from playground.catalog.registry import TOKENIZERS, get_tokenizer
from playground.core.errors import PlaygroundError
from playground.core.tokenizer import Tokenizer
from playground.formats.examples import EXAMPLES
from playground.formats.reading import INPUT_FORMATS
from playground.formats.values import WriteOptions
from playground.render.format_tokens import note_html
from playground.render.plain_text import markdown_escape
from playground.server.formats_link import FORMATS_LINK
from playground.ui import share, state

_DETECT, _OWN = "Detect", "My own"
_FIRST = next(iter(EXAMPLES))


@dataclass(frozen=True, slots=True)
class Chosen:
    """What the controls say; `price` is of 1 million tokens, and `input_format` None when detected."""

    source: str | bytes
    input_format: str | None
    tokenizers: list[Tokenizer]
    options: WriteOptions
    price: float


def take_share_link() -> None:
    """Data that came in the address replaces what is there."""
    shared = share.take_link(FORMATS_LINK)
    if shared is not None:
        state.put_widget("formats.text", shared["text"])
        state.put_widget("formats.example", _OWN)


def choose_input() -> Chosen:
    """Draw the controls, top to bottom in the order of a visit."""
    one, two = st.columns([3, 2])
    with one:
        examples = [*EXAMPLES, _OWN]
        arguments = state.kept_choice("formats.example", examples, _FIRST)
        st.selectbox("Data", examples, on_change=_take_example, **arguments)
    with two:
        inputs = [_DETECT, *INPUT_FORMATS]
        input_format = st.selectbox("Read as", inputs, **state.kept_choice("formats.input", inputs, _DETECT))
    instead = st.empty()
    text = st.text_area(
        "JSON, YAML, TOML, XML or CSV",
        height=215,
        on_change=lambda: state.put_widget("formats.example", _OWN),
        **state.kept("formats.text", EXAMPLES[_FIRST]),
    )
    trained = state.trained_tokenizers()
    names = st.multiselect(
        "Tokenizers, the first as bars",
        [*trained, *TOKENIZERS],
        **state.kept("formats.tokenizers", lambda: ["o200k_base", "gpt2"], "default"),
    )
    price = st.number_input(
        "Price of a million input tokens",
        min_value=0.0,
        step=0.5,
        format="%.2f",
        **state.kept("formats.price", lambda: 2.5),
    )
    with st.container(horizontal=True):
        with st.popover("Options"):
            options = _choose_options()
        with st.popover("Upload"):
            upload = st.file_uploader("A file of data; it is used for as long as it is here")
        if st.button("Share", help="Put the data into the address of this page"):
            _share(text)
    if upload:
        instead.html(
            note_html(f"The file {upload.name} is read ({upload.size:,} bytes); remove it to read this text.")
        )
    return Chosen(
        source=upload.getvalue() if upload else text,
        input_format=None if input_format == _DETECT else input_format,
        tokenizers=[
            trained[name] if name in trained else get_tokenizer(name) for name in names or ["o200k_base"]
        ],
        options=options,
        price=price,
    )


def _choose_options() -> WriteOptions:
    return WriteOptions(
        is_sorted=_checkbox("Sort keys", "formats.sorted"),
        is_ascii=_checkbox("Escape é as \\u00e9, where a format can", "formats.ascii"),
        is_minified=_checkbox("Minify XML, HTML, Markdown and properties", "formats.minified"),
        has_trailing_newline=_checkbox("End with a line feed", "formats.newline"),
        indent=st.radio(
            "Indent of YAML, TOML, XML and HTML",
            [2, 4],
            horizontal=True,
            **state.kept_choice("formats.indent", [2, 4], 2),
        ),
    )


def _checkbox(label: str, name: str) -> bool:
    return st.checkbox(label, **state.kept(name, lambda: False))


def _take_example() -> None:
    """Put the chosen example into the text area; "My own" leaves what is there."""
    name = state.widget_value("formats.example")
    if name in EXAMPLES:
        state.put_widget("formats.text", EXAMPLES[str(name)]())


def _share(text: str) -> None:
    try:
        share.give_link({"text": text})
    except PlaygroundError as error:
        st.toast(markdown_escape(str(error)))
        return
    st.toast("The address of this page is now a link to this data.")
