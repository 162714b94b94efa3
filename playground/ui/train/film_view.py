"""The film of a training: a text and the forest of a word after any number of merges.

The browser holds all pictures, so a drag along the slider or the chart draws at once; see `film_data`.
"""

from typing import Any

from playground.render.merge_tree import TREE_CSS
from playground.render.palette import token_css
from playground.ui import component

_component = component.define(
    "merge_film",
    html="film/film.html",
    module="film/film.js",
    styles=("shared/tree_colors.css", "shared/token_strip.css", "film/film.css"),
    css=TREE_CSS + token_css(),
    events=("word",),
)


def merge_film(*, key: str, data: dict[str, Any]) -> Any:
    """Mount the film; the result has `word`, what is typed into its field."""
    return _component(key=key, data=data)
