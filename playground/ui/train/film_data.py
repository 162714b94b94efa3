"""What the film of a training shows, as JSON: a text's tokens and a word's trees at every merge."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypedDict

from playground.render.merge_tree import leaf_characters, merge_tree_svg
from playground.render.visible_text import shown_bytes
from playground.training.film import FilmToken, MergeFilm
from playground.training.merges import Merge

#: Characters of a sample; all of it is drawn anew for each picture of the film.
MAX_CHARACTERS = 3_000
#: Characters of the word whose trees are drawn.
MAX_WORD_CHARACTERS = 40
#: Merges that are told in words; of a longer training the last ones.
MAX_TOLD = 20_000
#: The same while a training goes on: they are sent four times a second.
MAX_TOLD_LIVE = 40


class TokenColumns(TypedDict):
    """Tokens as columns: the bytes of each, and the merges at which it is made and gone; -1 for never."""

    start: list[int]
    end: list[int]
    id: list[int]
    made: list[int]
    gone: list[int]
    color: list[int]


class ForestColumns(TokenColumns):
    """The tokens of a word, each with its tree and the number of its pretoken."""

    svg: list[str]
    pretoken: list[int]


class FilmText(TypedDict):
    """A text and all tokens that it ever has."""

    text: str
    tokens: TokenColumns


class ToldMerges(TypedDict):
    """Merges in a row as `(left, right, new id, count, tokens left)`, and the rank of the first."""

    first: int
    rows: list[tuple[int, int, int, int, int]]


def film_data(film: MergeFilm, *, only_now: bool = False) -> FilmText:
    """A text and its tokens as columns; the browser groups those that share a character.

    `only_now` leaves out the tokens that are gone: enough while a training goes on.

    >>> from playground.bpe.split_pattern import SplitPattern
    >>> film = MergeFilm("aab", SplitPattern.named("none"))
    >>> film.advance([(97, 97, 256)])
    >>> film_data(film)["tokens"]["made"], film_data(film, only_now=True)["tokens"]["start"]
    ([0, 0, 0, 1], [2, 0])
    """
    return {
        "text": film.text,
        "tokens": _columns(token for _, token in _chosen(film, only_now)),
    }


def forest_columns(film: MergeFilm, *, only_now: bool = False) -> ForestColumns:
    """The same for a word, with the tree of each token and the pretoken it stands in."""
    places = _chosen(film, only_now)
    has_hex = not film.text.isascii()
    trees = []
    for place, token in places:
        characters = leaf_characters(film.raw, token.start, token.end)
        trees.append(merge_tree_svg(film.tree(place), characters=characters, has_hex=has_hex))
    columns = _columns(token for _, token in places)
    pretoken = [sum(cut <= token.start for cut in film.cuts) for _, token in places]
    return {**columns, "svg": trees, "pretoken": pretoken}


def told_merges(merges: Sequence[Merge]) -> ToldMerges:
    """Merges in a row as `(left, right, new id, count, tokens left)`, and the rank of the first."""
    return {
        "first": merges[0].rank if merges else 0,
        "rows": [(m.left, m.right, m.new_id, m.pair_count, m.n_tokens) for m in merges],
    }


def spelled_ids(ids: Iterable[int], raw_of: Sequence[bytes]) -> Mapping[int, str]:
    """Ids as a person can read them."""
    return {token_id: shown_bytes(raw_of[token_id]) for token_id in ids}


def _chosen(film: MergeFilm, only_now: bool) -> list[tuple[int, FilmToken]]:
    return [(n, token) for n, token in enumerate(film.tokens) if not only_now or token.gone_at is None]


def _columns(tokens: Iterable[FilmToken]) -> TokenColumns:
    chosen = list(tokens)
    return {
        "start": [token.start for token in chosen],
        "end": [token.end for token in chosen],
        "id": [token.id for token in chosen],
        "made": [token.made_at for token in chosen],
        "gone": [-1 if token.gone_at is None else token.gone_at for token in chosen],
        "color": [token.color for token in chosen],
    }
