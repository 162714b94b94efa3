"""What every page shares: the frame around it, its opening, and the code that made it."""

import base64
import inspect
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import Literal, TypedDict, get_args
from urllib.parse import unquote, urlsplit

import regex
import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.navigation.page import StreamlitPage

from playground.core.assets import ASSETS
from playground.core.errors import AssetError, VocabularyFileError
from playground.render.palette import Theme
from playground.render.visible_text import markdown_escape
from playground.server.browser_code import WEB
from playground.ui import component, state, turns

NAME = "Tessera"
#: The folder of the pages.
PAGES = Path(__file__).resolve().parents[2] / "pages"
_LOGGER = logging.getLogger(__name__)
#: Larger type, for a projector: this many times the browser's own size.
LARGE_TYPE = state.Field("large_type", False)
_LARGE_SCALE = 1.37


def _data_url(path: Path, kind: str) -> str:
    """A small file as an address that needs no request.

    >>> _data_url(ASSETS / "favicon.svg", "image/svg+xml")[:30]
    'data:image/svg+xml;base64,PHN2'
    """
    return f"data:{kind};base64,{base64.b64encode(path.read_bytes()).decode()}"


_WORDMARK = _data_url(ASSETS / "wordmark.svg", "image/svg+xml")
_MARKS = _data_url(ASSETS / "fonts/marks.woff2", "font/woff2")
_FRAME_CSS = f"""
:root {{ --wordmark: url("{_WORDMARK}"); }}
@font-face {{ font-family: "Tessera Marks"; src: url("{_MARKS}"); }}
{(WEB / "frame/frame.css").read_text(encoding="utf-8")}"""


#: The browser shows another theme than the one that the page was drawn for.
BarEvent = Literal["themed"]
_bar_end = component.define(
    "bar", html="frame/bar.html", module="frame/bar.js", styles=("frame/bar.css",), events=get_args(BarEvent)
)


class BarData(TypedDict):
    """The page's name in its address, and the theme that its charts are drawn for."""

    page: str
    theme: Theme


@dataclass(frozen=True, slots=True)
class Bar:
    """The picker's place in the bar, and the place below the bar for messages; an empty one takes no room."""

    picker: DeltaGenerator
    told: DeltaGenerator


def run(pages: Sequence[StreamlitPage]) -> None:
    """Frame the app and run the requested page, when it is the turn of this run."""
    with turns.turn():
        _run(pages)


def _run(pages: Sequence[StreamlitPage]) -> None:
    # Before the pages are named: a browser would ask another machine for a page's icon as the tab's picture.
    st.set_page_config(page_icon=str(ASSETS / "favicon.svg"), layout="wide")
    st.logo(str(ASSETS / "favicon.svg"), size="large")  # the style sheet draws the name beside it
    st.html(f"<style>{_FRAME_CSS}</style>")
    shown = st.navigation(list(pages), position="top")
    title = f"{shown.title} · {NAME}"  # which of a browser's tabs is which
    st.set_page_config(page_title=title)
    if (asked := asked_path(st.context.url)) not in {"", shown.url_path}:
        st.info(f"There is no page {markdown_escape(asked)}. This is {shown.title}.")
    try:
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


def open_page(title: str, *, claim: str) -> Bar:
    """Open an article with its bar: title, one-sentence claim, and places for what each page adds.

    The bar and its places are the same on every page, and stay in view. `with bar.picker:` is the
    home of the page's tokenizer, or of its several.
    """
    with st.container(key="bar"):
        st.html(f'<h1 class="claim">{escape(title)}<span>{escape(claim)}</span></h1>')
        picker, share, size = (st.container(key=f"bar-{place}") for place in ("picker", "share", "size"))
    with share:
        data: BarData = {"page": title.lower().replace(" ", "_"), "theme": theme()}
        _bar_end(key="bar-end", data=data)
    with size:
        st.toggle("Large type", help="Larger type, for a projector", **LARGE_TYPE.shown())
        st.html(f"<style>html {{ font-size: {100 * type_scale():g}%; }}</style>")
    return Bar(picker, told=st.container(key="bar-told"))


def settings_and_figure(widths: tuple[float, float]) -> tuple[DeltaGenerator, DeltaGenerator]:
    """Two columns: what is set, and beside it what comes of it; on a phone below it.

    What is set gets more of the width where type is larger, so that no name is cut.
    """
    settings, figure = st.columns((widths[0] * type_scale() ** 1.5, widths[1]), gap="medium")
    return settings, figure


def type_scale() -> float:
    """Return how many times larger type is than normal; charts do not grow with the page by themselves."""
    return _LARGE_SCALE if LARGE_TYPE.value else 1.0


def theme() -> Theme:
    """Whether the page is shown light or dark."""
    return "dark" if st.context.theme.type == "dark" else "light"


def show_source(*objects: Callable[..., object] | type) -> None:
    """Offer the code that made the page, as it runs.

    It is drawn when someone opens it: each word of it is an element, a fifth of the work of opening a page.
    The whole page runs then. A fragment would not: Streamlit joins what a fragment and the page ask for at
    once into a run of the fragment alone.
    """
    section = st.expander("The code that made this page", key="source", on_change="rerun")
    if section.open:
        with section:
            for item in objects:
                st.code(_source(item), language="python", wrap_lines=True)


@cache
def _source(item: Callable[..., object] | type) -> str:
    """The code of a function, or of a class at the top of its module.

    For a class `inspect.getsource` parses all of its module in one call, which holds the interpreter; in
    Python 3.11 that call now and then raises SystemError where another thread runs meanwhile.
    """
    if not inspect.isclass(item):
        return inspect.getsource(item)
    lines, _ = inspect.getsourcelines(inspect.getmodule(item) or item)
    begins = regex.compile(rf"class {item.__name__}\b")
    first = next(number for number, line in enumerate(lines) if begins.match(line))
    while first and lines[first - 1].startswith("@"):
        first -= 1
    return "".join(inspect.getblock(lines[first:]))
