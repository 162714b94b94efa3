"""The controls of the formats page: its data, its tokenizers, and how to write."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from playground.catalog.registry import get_tokenizer
from playground.core.errors import InvalidInputError
from playground.core.tokenizer import Tokenizer
from playground.core.wording import counted
from playground.formats.example_data import EXAMPLE_DATA
from playground.formats.limits import MAX_INPUT_BYTES, MAX_INPUT_MB
from playground.formats.reading import INPUT_FORMATS, detect_format, encoding_of
from playground.formats.values import WriteOptions
from playground.render.token_html import note_html
from playground.render.visible_text import markdown_escape
from playground.server.formats_link import FORMATS_LINK, packed_file, unpacked_file
from playground.ui import one_tokenizer, share, state
from playground.ui.controls import choose_several
from playground.ui.field_head import show_field_head
from playground.ui.live_field import send_while_typing

_DETECT = "Detect"
_MAX_TEXT_BYTES = 1_000_000
_SHOWN_BYTES = 3_000  # of a file, in the place of the field
_LIVE, _UPLOADER = "formats-live", "formats-uploader"
_EXAMPLE_KEY, _UPLOAD_KEY, _REPLACED = "formats-example", "formats.uploaded", "formats.replaced"
READ_AS = state.Field("formats.input", _DETECT)
_TABLES = {".csv": "CSV", ".tsv": "TSV"}
_TEXTS = {name: make() for name, make in EXAMPLE_DATA.items()}
TEXT = state.Field("formats.text", next(iter(_TEXTS.values())))
CHOSEN_TOKENIZERS = state.Field("formats.tokenizers", ["o200k_base", "gpt2"])
PRICE = state.Field("formats.price", 2.5)


@dataclass(frozen=True, slots=True)
class Chosen:
    """What the controls say; `price` is of 1 million tokens, and `input_format` None when detected.

    `name` is the file's, "" of the text.
    """

    source: str | bytes
    name: str
    input_format: str | None
    tokenizers: list[Tokenizer]
    options: WriteOptions
    price: float

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to read."""
        return not self.source.strip()


def shared_data(_shown: Mapping[str, Any]) -> share.Shared:
    """What a link has of the data: the file that is read, or else the text."""
    file = _held_file()
    if file is None:
        return share.Shared({"text": TEXT.value}, {"text": FORMATS_LINK.large["text"]})
    return share.Shared({"upload": packed_file(*file)}, {"upload": f"the data of {file[0]}"})


def take_share_link() -> None:
    """Data that came in the address replaces what is there."""
    shared = share.take_link("formats", FORMATS_LINK)
    if shared is None:
        return
    if shared["text"] is not None:
        TEXT.put(shared["text"])
    if shared["upload"] is not None:
        try:
            hold_file(unpacked_file(shared["upload"]))
        except InvalidInputError as error:
            st.error(markdown_escape(str(error)))


def hold_file(file: tuple[str, bytes] | None) -> None:
    """Read this file, of this name, and not the text; None reads the text again."""
    state.put("formats.file", file)


def read_again(text: str) -> None:
    """Read this text in the place of what stands there now, a file too."""
    hold_file(None)
    TEXT.put(text)


def text_of(source: str | bytes) -> str | None:
    """Data as the field can have it; None of a file that is no text, or longer than a field is quick with."""
    if isinstance(source, str):
        return source
    if len(source) > _MAX_TEXT_BYTES:
        return None
    try:
        return source.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


def _held_file() -> tuple[str, bytes] | None:
    return state.keep("formats.file", lambda: None)


def _take_upload() -> None:
    """Read the file that came; while one takes another's place there is none for a moment."""
    for file in state.uploaded_files(_UPLOAD_KEY):
        hold_file((file.name, file.getvalue()))


def _take_example(title: str) -> None:
    """Show an example, and hold what is lost by it, a file too, until another takes its place."""
    lost, file = TEXT.value, _held_file()
    TEXT.put(_TEXTS[title])
    hold_file(None)
    _offer_back(lost, file)


def _offer_back(lost: str, file: tuple[str, bytes] | None = None) -> None:
    """Hold data of one's own of which what stands there has taken the place, as long as that stands.

    What took its place before is not held instead: one's own stays so for any number of examples.
    """
    before = state.kept(_REPLACED, None)
    is_own = file or (lost.strip() and lost not in (TEXT.value, *_TEXTS.values()))
    if before and not file and lost == before[2]:
        state.put(_REPLACED, (*before[:2], TEXT.value))
    else:
        state.put(_REPLACED, (lost, file, TEXT.value) if is_own else None)


def _bring_back(lost: str, file: tuple[str, bytes] | None) -> None:
    TEXT.put(lost)
    hold_file(file)
    state.put(_REPLACED, None)


def choose_tokenizers(told: DeltaGenerator) -> list[Tokenizer]:
    """The tokenizers that count; the first is drawn as bars. With none chosen it is o200k_base.

    What is wrong with a choice is told in `told`.
    """
    opening = one_tokenizer.latest_first(CHOSEN_TOKENIZERS.default)
    field = state.Field(CHOSEN_TOKENIZERS.name, opening).following()
    chosen = choose_several(field, told=told, help="The first is drawn as bars.")
    if not chosen:
        told.caption("None is chosen: o200k_base counts.")
    return chosen or [get_tokenizer("o200k_base")]


def choose_input(tokenizers: list[Tokenizer]) -> Chosen:
    """Draw the controls, top to bottom in the order of a visit."""
    about_files = f"Open a file of data of up to {MAX_INPUT_MB} MB; or drop one on the field"
    show_field_head(
        "Data",
        [*_TEXTS],
        uploader=_UPLOADER,
        field=_LIVE,
        about_files=about_files,
        max_bytes=MAX_INPUT_BYTES,
        key=_EXAMPLE_KEY,
        on_choice=_take_example,
    )
    with st.container(key=_UPLOADER):  # is not seen: the head gives it files
        st.file_uploader(
            about_files,
            max_upload_size=MAX_INPUT_MB + 1,  # of millions; the head keeps the limit, and says it
            label_visibility="collapsed",
            key=_UPLOAD_KEY,
            on_change=_take_upload,
        )
    file = _held_file()
    instead = st.container()
    with st.container(key=_LIVE):
        with st.empty():  # what follows has its place, with and without
            if file:
                with st.container(key="formats-file"):
                    _show_file(*file)
        # The style sheet hides it while a file is read; the text is kept.
        with st.container(key="formats-aside" if file else "formats-field"):
            text = st.text_area(
                "JSON, YAML, TOML, XML or CSV",
                height=215,
                label_visibility="collapsed",
                placeholder="Type or paste JSON, YAML, TOML, XML or CSV.",
                **TEXT.shown(),
            )
        inputs = [_DETECT, *INPUT_FORMATS]
        input_format = st.selectbox("Read as", inputs, **READ_AS.one_of(inputs))
        price = st.number_input(
            "Price of a million input tokens, $",
            step=0.5,
            format="%g",  # cheap models cost less than a cent
            **PRICE.shown(),
        )
    send_while_typing(_LIVE, kept_as=TEXT.name)
    with st.popover("Options"):
        options = _choose_options()
    if lost_to_link := state.take("formats.lost", None):
        _offer_back(lost_to_link)
    lost, lost_file, by = state.keep(_REPLACED, lambda: None) or ("", None, None)
    if text == by and not file:
        with instead:
            what = "The example" if text in _TEXTS.values() else "The link"
            st.html(note_html(f"{what} replaced your data."))
            st.button("Bring it back", key="formats.bring_back", on_click=_bring_back, args=(lost, lost_file))
    named = _named_format(*file) if file else None
    return Chosen(
        source=file[1] if file else text,
        name=file[0] if file else "",
        input_format=named if input_format == _DETECT else input_format,
        tokenizers=tokenizers,
        options=options,
        price=price,
    )


def _named_format(name: str, raw: bytes) -> str | None:
    """What a table's file says by its name, where its lines do not: then what is wrong with it is told.

    >>> _named_format("a.csv", b"id,name\\n1,Ann,x\\n2"), _named_format("a.csv", b"[1]")
    ('CSV', None)
    """
    named = _TABLES.get(Path(name).suffix.lower())
    if named and detect_format(raw.decode(encoding_of(raw), errors="replace")) == "YAML":
        return named
    return None


def _show_file(name: str, raw: bytes) -> None:
    """What is read in the place of the field: its name and its beginning, and the way back to the field."""
    how_long, encoding = counted(len(raw), "byte"), encoding_of(raw)
    try:
        raw.decode(encoding)
    except UnicodeDecodeError:  # the answer says where
        st.html(note_html(f"The file {name} cannot be read ({how_long})."))
    else:
        more = ". It begins so:" if len(raw) > _SHOWN_BYTES else ":"
        st.html(note_html(f"The file {name} is read ({how_long}){more}"))
        beginning = raw[:_SHOWN_BYTES].decode(encoding, errors="ignore")
        st.code(beginning, language=None, height=215, wrap_lines=True)
    st.button("Remove the file", help="The text that stood here comes back", on_click=hold_file, args=(None,))


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
            **state.Field("formats.indent", 2).one_of([2, 4]),
        ),
    )


def _checkbox(label: str, name: str) -> bool:
    return st.checkbox(label, **state.Field(name, False).shown())
