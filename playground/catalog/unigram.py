"""Unigram: of all ways to spell a word with pieces, the one whose scores have the best sum.

After Kudo (2018). `sentencepiece` and `tokenizers` encode; this shows how they arrive at their ids.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from playground.core.building import Edge, Given, Lattice

#: An unknown character scores this much less than the worst piece.
UNKNOWN_PENALTY = 10.0
#: A lattice is made for words of up to this length.
MAX_LATTICE_CHARS = 80

_Sum = Callable[[float], Any]


@dataclass(frozen=True)
class Unigram:
    """Pieces with their ids and scores. `is_single` sums them in single precision, as `sentencepiece` does.

    `unknown_ids` returns the tokens of adjacent characters that no piece spells.

    >>> pieces = {"a": (0, -3.0), "b": (1, -3.0), "ab": (2, -5.0)}
    >>> unigram = Unigram(pieces, unknown_score=-20.0, unknown_ids=lambda characters: (3,))
    >>> lattice = unigram.build("ab?!", library_ids=[2, 3])
    >>> [lattice.edges[place] for place in lattice.best]
    [Edge(start=0, end=2, score=-5.0, ids=(2,), is_known=True),
     Edge(start=2, end=3, score=-20.0, ids=(3,), is_known=False),
     Edge(start=3, end=4, score=-20.0, ids=(3,), is_known=False)]
    >>> lattice.score_of(lattice.best), lattice.score_of(lattice.second)
    (-45.0, -46.0)
    """

    pieces: Mapping[str, tuple[int, float]]
    unknown_score: float
    unknown_ids: Callable[[str], tuple[int, ...]]
    is_single: bool = False

    def build(self, word: str, library_ids: Iterable[int]) -> Lattice | Given:
        """Return how a word gets the ids that the library gives it.

        `Given` for a long word, and if the library took another of two equally good paths.
        """
        ids = tuple(library_ids)
        if len(word) > MAX_LATTICE_CHARS:
            return Given(ids, f"Paths are drawn for pretokens of up to {MAX_LATTICE_CHARS} characters.")
        if not word:
            return Given(ids)
        edges = tuple(self._iter_edges(word))
        best, second = _two_best(len(word), edges, np.float32 if self.is_single else float)
        if self._ids_of(word, [edges[place] for place in best]) != ids:
            return Given(ids, "Its library takes another path than the best one found here.")
        return Lattice(word, edges, best, second, ids)

    def _iter_edges(self, word: str) -> Iterator[Edge]:
        """Yield edges sorted by start and then by length."""
        for start in range(len(word)):
            for end in range(start + 1, min(len(word), start + self._n_longest) + 1):
                piece = self.pieces.get(word[start:end])
                if piece is not None:
                    yield Edge(start, end, piece[1], piece[:1])
                elif end == start + 1:
                    unknown = self.unknown_ids(word[start])
                    yield Edge(start, end, self.unknown_score, unknown, is_known=False)

    def _ids_of(self, word: str, path: Iterable[Edge]) -> tuple[int, ...]:
        ids: list[int] = []
        for is_known, run in groupby(path, lambda edge: edge.is_known):
            edges = list(run)
            unknown = word[edges[0].start : edges[-1].end]
            ids += (
                [token_id for edge in edges for token_id in edge.ids]
                if is_known
                else self.unknown_ids(unknown)
            )
        return tuple(ids)

    @cached_property
    def _n_longest(self) -> int:
        return max(map(len, self.pieces), default=1)


class _Path(NamedTuple):
    """A path to a position in a word: its sum, its last edge, and the index of the path it continues."""

    total: Any
    edge: int
    nth: int


def _two_best(n_chars: int, edges: tuple[Edge, ...], as_sum: _Sum) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the two paths with the best sums, as indexes into `edges`; ties go to the earlier edge."""
    paths: list[list[_Path]] = [[] for _ in range(n_chars + 1)]
    paths[0] = [_Path(as_sum(0.0), -1, 0)]
    for place, edge in enumerate(edges):  # sorted by start, so all paths to the edge's start are known
        score = as_sum(edge.score)
        found = [_Path(before.total + score, place, nth) for nth, before in enumerate(paths[edge.start])]
        paths[edge.end] = sorted([*paths[edge.end], *found], key=lambda path: -path.total)[:2]

    def walk(nth: int) -> tuple[int, ...]:
        walked: list[int] = []
        at = n_chars
        while at:
            _total, edge, nth = paths[at][nth]
            walked.append(edge)
            at = edges[edge].start
        return tuple(reversed(walked))

    return walk(0), walk(1) if len(paths[n_chars]) > 1 else ()
