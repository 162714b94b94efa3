"""The film of a run as JSON: the tokens of a short text and the merge trees of a word after every merge."""

from collections.abc import Iterable, Mapping, Sequence
from heapq import nlargest
from typing import Literal, TypedDict

import regex

from playground.render.merge_tree import leaf_characters, merge_tree_svg
from playground.render.visible_text import shown_bytes
from playground.training.algorithms.learner import Candidate, Change, Film
from playground.training.film import FilmToken

#: Characters of the text: the browser draws the whole text for each picture.
MAX_CHARACTERS = 3_000
#: Characters of the word whose merge trees are drawn.
MAX_WORD_CHARACTERS = 40
#: Rows of the list of changes; of a longer run the last ones are listed.
MAX_LISTED = 20_000
#: Most rows of the list during a run, because they are sent several times a second.
MAX_LISTED_LIVE = 40
#: Rows for one step: a pruning removes thousands of tokens.
MAX_OF_A_STEP = 100
#: Characters of a token in a label; a run without a split pattern learns tokens of thousands of letters.
MAX_LABEL = 60
_SAMPLE_CHARACTERS = 2_000
_WORD = regex.compile(r" ?\p{L}[\p{L}\p{M}]{3,}")


class TokenColumns(TypedDict):
    """Tokens as columns: byte offsets, id, and the merges that make and take each token (-1 for never)."""

    start: list[int]
    end: list[int]
    id: list[int]
    made: list[int]
    gone: list[int]
    color: list[int]


class ForestColumns(TokenColumns):
    """The tokens of a word, with the tree of each ("" for none) and the number of its pretoken."""

    svg: list[str]
    pretoken: list[int]


#: A token that a step added or removed: the step, counted from 1, kind, id, parts, count and score, and the
#: tokens of the training text and the vocabulary after the step.
ListedChange = tuple[int, Literal["added", "removed"], int, tuple[int, ...], int, float, int, int]
#: A possible next change: the ids of a pair, or -1, count, score, and the label of a token that is no pair.
ListedCandidate = tuple[int, int, int, float, str]


def token_columns(film: Film, *, only_now: bool = False) -> TokenColumns:
    """Return all tokens that a text ever has; with `only_now` those that it has after the latest merge.

    >>> from playground.bpe.split_pattern import SplitPattern
    >>> from playground.training.film import MergeFilm
    >>> film = MergeFilm("aab", SplitPattern.named("none"))
    >>> film.advance([(97, 97, 256)])
    >>> token_columns(film)["made"], token_columns(film, only_now=True)["start"]
    ([0, 0, 0, 1], [2, 0])
    """
    return _columns(token for _, token in _chosen(film, only_now))


def forest_columns(film: Film, *, only_now: bool = False) -> ForestColumns:
    """Return the tokens of a word as `token_columns` does, each with its merge tree as SVG."""
    places = _chosen(film, only_now)
    has_hex = not film.text.isascii()
    trees = []
    for place, token in places:
        characters = leaf_characters(film.raw, token.start, token.end)
        tree = film.tree(place)
        trees.append(merge_tree_svg(tree, characters=characters, has_hex=has_hex) if tree else "")
    columns = _columns(token for _, token in places)
    pretoken = [sum(cut <= token.start for cut in film.cuts) for _, token in places]
    return {**columns, "svg": trees, "pretoken": pretoken}


def listed_changes(
    changes: Sequence[Change], states: Sequence[Sequence[int]], first: int
) -> list[ListedChange]:
    """Return changes as rows of the list, at most `MAX_OF_A_STEP` of each step, the most frequent ones.

    `states` are the rows of the learner's curve after the steps from `first` on.
    """
    by_step: dict[int, list[Change]] = {}
    for change in changes:
        by_step.setdefault(change.step, []).append(change)
    rows: list[ListedChange] = []
    for step, group in by_step.items():
        n_vocab, n_tokens, _held_out = states[step - first]
        for c in nlargest(MAX_OF_A_STEP, group, key=lambda change: change.count):
            rows.append((step + 1, c.kind, c.id, c.parts, c.count, c.score, n_tokens, n_vocab))
    return rows


def listed_candidates(candidates: Sequence[Candidate]) -> list[ListedCandidate]:
    """Return candidates as bars."""
    return [(c.left, c.right, c.count, c.score, "" if c.left >= 0 else _label(c.raw)) for c in candidates]


def labels_of(ids: Iterable[int], raw_of: Sequence[bytes]) -> Mapping[int, str]:
    """Return readable labels of token ids; a long token is shortened to its two ends.

    >>> labels_of([0], [b"a" * 5_000])[0]
    'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…aaaaaaaaaaaa (5,000 bytes)'
    """
    return {token_id: _label(raw_of[token_id]) for token_id in ids}


def passages(texts: Sequence[str]) -> str:
    """Return the beginning of a corpus and of its middle text, which may be in another language."""
    texts = [text.lstrip("\n") for text in texts if text.strip()]
    chosen = [texts[0], texts[len(texts) // 2]] if len(texts) > 1 else texts
    return "\n".join(_beginning(text, _SAMPLE_CHARACTERS // len(chosen)) for text in chosen)


def longest_word(text: str) -> str:
    """Return the longest word of a text with the space before it, or the text's beginning without one."""
    return max(_WORD.findall(text), key=len, default=text)[:MAX_WORD_CHARACTERS]


def _beginning(text: str, n_characters: int) -> str:
    """Cut a text, at the end of a word where words are separated by spaces."""
    cut = text[:n_characters]
    return cut if cut == text else regex.sub(r"\s?\S{0,30}$", "", cut)


def _label(raw: bytes) -> str:
    if len(raw) <= MAX_LABEL:
        return shown_bytes(raw)
    shown = shown_bytes(raw)
    if len(shown) <= MAX_LABEL:
        return shown
    return f"{shown[: MAX_LABEL - 20]}…{shown[-12:]} ({len(raw):,} bytes)"


def _chosen(film: Film, only_now: bool) -> list[tuple[int, FilmToken]]:
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
