"""What every page shares: the frame, the bar with title and picker, and the code behind the page."""

import inspect
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import Literal, TypedDict, get_args
from urllib.parse import unquote, urlsplit

import regex
import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.navigation.page import StreamlitPage

from playground.core.assets import ASSETS
from playground.core.errors import AssetError, VocabularyFileError
from playground.core.home import HOME, VERSION
from playground.render.palette import Theme
from playground.render.visible_text import markdown_escape
from playground.server.web_files import WEB, look_css
from playground.ui import component, run_queue, state

NAME = "Tessera"
#: The folder of the pages.
PAGES = HOME / "pages"
_LOGGER = logging.getLogger(__name__)
#: Larger type, for a projector: this many times the browser's own size.
_LARGE_SCALE = 1.37
#: `theme.baseFontSize` as a share of the browser's own 16 pixels.
_BASE_PERCENT = 93.75
#: What the header's menu opens as *About*.
_ABOUT = f"""**{NAME} {VERSION}** runs on this machine and sends nothing elsewhere.

Paste text and tokenizer files, drop them anywhere, or choose *Open file*. *Share* copies an address that
restores the page. Each page ends with the code behind it."""


_FRAME_CSS = look_css() + (WEB / "frame/frame.css").read_text(encoding="utf-8")


#: The browser's theme, or the size of type that it keeps, is not the one that the page was drawn for.
BarEvent = Literal["themed", "resized"]
_bar_end = component.define(
    "bar", html="frame/bar.html", module="frame/bar.js", styles=("frame/bar.css",), events=get_args(BarEvent)
)


class BarData(TypedDict):
    """The page's name in its address, and the theme and the size of type that it is drawn for."""

    page: str
    theme: Theme
    is_large: bool


@dataclass(frozen=True, slots=True)
class Bar:
    """The containers of the bar: `picker` in it, and `messages` below it; an empty one takes no room."""

    picker: DeltaGenerator
    messages: DeltaGenerator


def run(pages: Sequence[StreamlitPage]) -> None:
    """Draw the frame and run the requested page, one run of the server at a time."""
    with run_queue.turn():
        _run(pages)


def _run(pages: Sequence[StreamlitPage]) -> None:
    # Set before `st.navigation`, which would make the browser load a page's icon from another host.
    st.set_page_config(page_icon=str(ASSETS / "favicon.svg"), layout="wide", menu_items={"About": _ABOUT})
    st.logo(str(ASSETS / "logo.svg"), size="medium")
    st.html(f"<style>{_FRAME_CSS}</style>")
    shown = st.navigation(list(pages), position="top")
    title = f"{shown.title} · {NAME}"  # tells the browser's tabs apart
    st.set_page_config(page_title=title)
    if (asked := asked_path(st.context.url)) not in {"", shown.url_path}:
        st.info(f"There is no page “{markdown_escape(asked)}”, so you are on {shown.title}.")
    try:
        shown.run()
    except (AssetError, VocabularyFileError) as error:
        _LOGGER.error("%s", error)
        st.error(markdown_escape(str(error)))


def asked_path(url: str | None) -> str:
    """Return the path of the requested page, without `server.baseUrlPath`.

    >>> asked_path("http://localhost:8501/merge_tree"), asked_path("http://localhost:8501/")
    ('merge_tree', '')
    """
    base = (st.get_option("server.baseUrlPath") or "").strip("/")
    return unquote(urlsplit(url or "").path).strip("/").removeprefix(base).strip("/")


def open_page(title: str, *, claim: str) -> Bar:
    """Draw the bar with title, claim, *Large type* and *Share*, and return its containers.

    The bar is the same on every page; except on a phone, it stays in view. A page draws its tokenizer picker
    in `bar.picker`.
    """
    with st.container(key="bar"):
        st.html(f'<h1 class="claim">{escape(title)}<span>{escape(claim)}</span></h1>')
        picker, share = (st.container(key=f"bar-{place}") for place in ("picker", "share"))
    with share:
        data: BarData = {"page": title.lower().replace(" ", "_"), "theme": theme(), "is_large": _is_large()}
        _bar_end(key="bar-end", data=data, resized=_resize)
    st.html(f"<style>html {{ font-size: {_BASE_PERCENT * type_scale():g}%; }}</style>")
    return Bar(picker, messages=st.container(key="bar-messages"))


def settings_and_figure(widths: tuple[float, float]) -> tuple[DeltaGenerator, DeltaGenerator]:
    """Return two columns, for settings and for results; on a phone they are stacked.

    With larger type the settings get a larger share of the width, so that no label is cut.
    """
    settings, figure = st.columns((widths[0] * type_scale() ** 1.5, widths[1]), gap="medium")
    return settings, figure


def type_scale() -> float:
    """Return the factor by which type is larger than normal; charts must be scaled by it."""
    return _LARGE_SCALE if _is_large() else 1.0


def _is_large() -> bool:
    return state.get("large_type", False)


def _resize() -> None:
    """Draw the page in the size of type that the browser keeps."""
    state.put("large_type", bool(state.component_value("bar-end", "resized")))


def theme() -> Theme:
    """Return the theme that the browser shows."""
    return "dark" if st.context.theme.type == "dark" else "light"


def show_source(*objects: Callable[..., object] | type) -> None:
    """End the page with a button that shows the source code of its main functions."""
    if st.button("Code behind this page", key="source", type="tertiary", icon=":material/code:"):
        _show_code(objects)


@st.dialog("Code behind this page", width="large")
def _show_code(objects: Sequence[Callable[..., object] | type]) -> None:
    for item in objects:
        st.code(_source(item), language="python", wrap_lines=True)


@cache
def _source(item: Callable[..., object] | type) -> str:
    """Return the source of a function or of a module's top-level class.

    `inspect.getsource` of a class parses its whole module; in Python 3.11 that sometimes raises SystemError
    while another thread runs.
    """
    if not inspect.isclass(item):
        return inspect.getsource(item)
    lines, _ = inspect.getsourcelines(inspect.getmodule(item) or item)
    begins = regex.compile(rf"class {item.__name__}\b")
    first = next(number for number, line in enumerate(lines) if begins.match(line))
    while first and lines[first - 1].startswith("@"):
        first -= 1
    return "".join(inspect.getblock(lines[first:]))
