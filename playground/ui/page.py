"""What every page shares: the frame around it, its opening, and the code that made it."""

import inspect
import logging
from collections.abc import Callable, Sequence
from html import escape
from urllib.parse import unquote, urlsplit

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.navigation.page import StreamlitPage

from playground.core.assets import ASSETS
from playground.core.errors import AssetError, VocabularyFileError
from playground.render.palette import Theme
from playground.render.plain_text import markdown_escape
from playground.ui import state, turns
from playground.ui.leave_field import leave_field_on_press

NAME = "Tessera"
_LOGGER = logging.getLogger(__name__)
#: Percent of the browser's own type size; a projector wants the larger one.
_TYPE_SIZES = {"normal": 100, "large": 137}

_FRAME_CSS = """
<style>
  html { font-size: %d%%; }
  .stMainBlockContainer { padding: 4.1rem 2rem 3rem; max-width: 110rem; }
  .claim { margin: 0; padding: 0; font-size: 1.45rem; font-weight: 650; line-height: 1.3; }
  .token-heading { margin: 0; padding: 0; font-size: 1.2rem; font-weight: 650; }
  .claim span { margin-left: 0.6rem; font-size: 1rem; font-weight: 400; letter-spacing: 0; opacity: 0.78; }
  .stMainBlockContainer .stVerticalBlock { gap: 0.7rem; }
  .stTextArea textarea { font-family: monospace; font-size: 0.9rem; }
  [data-testid="stCaptionContainer"] { opacity: 0.78; }
  [data-testid="stBaseButton-primary"], [data-tag], [data-tag] * { color: light-dark(#fff, #14191b); }
  @media (max-width: 760px) { .stMainBlockContainer { padding: 4rem 0.8rem 2rem; } }
  @media (prefers-reduced-motion: reduce) { * { transition: none !important; animation: none !important; } }
</style>
"""


def run(pages: Sequence[StreamlitPage]) -> None:
    """Frame the app and run the page that was asked for."""
    st.logo(str(ASSETS / "logo.svg"), size="large")
    st.html(_FRAME_CSS % _TYPE_SIZES[_type_size()])
    state.set_query_parameter(
        "type", "large" if _type_size() == "large" else None
    )  # so that a reload keeps it
    shown = st.navigation(list(pages), position="top")
    title = f"{shown.title} · {NAME}"  # which of a browser's tabs is which
    st.set_page_config(page_title=title, page_icon=str(ASSETS / "favicon.svg"), layout="wide")
    if (asked := asked_path(st.context.url)) not in {"", shown.url_path}:
        st.info(f"There is no page {markdown_escape(asked)}. This is {shown.title}.")
    try:
        with turns.turn(), state.whole_run():
            shown.run()
    except (AssetError, VocabularyFileError) as error:
        _LOGGER.error("%s", error)
        st.error(markdown_escape(str(error)))


def asked_path(url: str | None) -> str:
    """The path of the page that an address asks for, below `server.baseUrlPath`.

    >>> asked_path("http://localhost:8501/merge_tree"), asked_path("http://localhost:8501/")
    ('merge_tree', '')
    """
    base = (st.get_option("server.baseUrlPath") or "").strip("/")
    return unquote(urlsplit(url or "").path).strip("/").removeprefix(base).strip("/")


def open_page(title: str, *, claim: str, controls: Sequence[float] = ()) -> Sequence[DeltaGenerator]:
    """Open an article: its title and one-sentence claim, and the type size for a projector.

    `controls` are widths of columns beside the title, against its 4; the columns are returned.
    """
    heading, *columns, size = st.columns([4, *controls, 1.3], vertical_alignment="bottom")
    with heading:
        st.html(f'<h1 class="claim">{escape(title)}<span>{escape(claim)}</span></h1>')
    with size, st.container(horizontal_alignment="right"):
        is_large = _type_size() == "large"
        label = "Normal type" if is_large else "Large type"
        st.button(
            label,
            icon=":material/text_fields:",
            type="tertiary",
            help="For a projector",
            on_click=lambda: state.put("type_size", "normal" if is_large else "large"),
        )
        leave_field_on_press()
    return columns


def _type_size() -> str:
    return state.keep("type_size", lambda: "large" if state.query_parameter("type") == "large" else "normal")


def type_scale() -> float:
    """How much larger type is than normal: charts do not grow with the page by themselves."""
    return _TYPE_SIZES[_type_size()] / 100


def theme() -> Theme:
    """Whether the page is shown light or dark."""
    return "dark" if st.context.theme.type == "dark" else "light"


def show_source(*objects: Callable[..., object] | type) -> None:
    """Offer the code that made the page, as it runs."""
    with st.expander("The code that made this page"):
        for item in objects:
            st.code(inspect.getsource(item), language="python")
