"""The film of a training: a text and the forest of a word after any number of merges.

The browser holds all pictures, so a drag along the slider or the chart draws at once; see `film_data`.
"""

from pathlib import Path
from typing import Any

import streamlit as st

from playground.render.merge_tree import TREE_CSS
from playground.render.palette import TOKEN_COLORS

_WEB = Path(__file__).resolve().parents[2] / "web"
#: In the order in which they use each other; a component is one script.
_SCRIPTS = ("shared/forest_view.js", "film/chart_line.js", "film/film.js")
_STYLES = ("shared/tree_colors.css", "film/film.css")


def _token_css() -> str:
    pairs = zip(TOKEN_COLORS["light"], TOKEN_COLORS["dark"], strict=True)
    return "".join(
        f".tk{n} {{ background: light-dark({light}, {dark}); }}\n" for n, (light, dark) in enumerate(pairs)
    )


_component = st.components.v2.component(
    "tessera_merge_film",
    html=(_WEB / "film/film.html").read_text(),
    css=TREE_CSS + "".join((_WEB / name).read_text() for name in _STYLES) + _token_css(),
    js="\n".join((_WEB / name).read_text() for name in _SCRIPTS),
)


def merge_film(*, key: str, data: dict[str, Any]) -> Any:
    """Mount the film; the result has `word`, what is typed into its field."""
    return _component(key=key, data=data, on_word_change=lambda: None)
