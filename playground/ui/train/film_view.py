"""The film of a training: a text and the forest of a word after any number of merges.

The browser holds all pictures, so a drag along the slider or the chart draws at once; see `film_data`.
"""

from collections.abc import Mapping
from typing import Any, Literal, TypedDict, get_args

from playground.render.merge_tree import TREE_CSS
from playground.render.palette import token_css
from playground.ui import component
from playground.ui.train.film_data import FilmText, ForestColumns, ToldMerges

#: What is typed into its field.
FilmEvent = Literal["word"]

_component = component.define(
    "merge_film",
    html="film/film.html",
    module="film/film.js",
    styles=("shared/tree_colors.css", "shared/token_strip.css", "film/film.css"),
    css=TREE_CSS + token_css(),
    events=get_args(FilmEvent),
)


class ToldFilm(TypedDict):
    """The merges in words, the most frequent pairs now with their counts, and the ids that are named."""

    told: ToldMerges
    pairs: list[tuple[int, int, int]]
    spelled: Mapping[int, str]


class FilmData(FilmText, ToldFilm):
    """What the page gives the film; `n` is the newest merge, `last` where the chart ends.

    `wished` is a merge that was chosen elsewhere on the page, with the number of the choice.
    """

    revision: str
    run: int
    n: int
    is_live: bool
    is_over: bool
    last: int
    chart: str | None
    wished: tuple[int, int] | None
    limit: str
    word: str
    forest: ForestColumns


def merge_film(*, key: str, data: FilmData) -> Any:
    """Mount the film; the result has `word`, what is typed into its field."""
    return _component(key=key, data=data)
