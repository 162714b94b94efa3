"""MergeFilm: a short text as it is after every merge of a training, each token with when it comes and goes.

Merges are applied in the order in which they were learned, so a token that is made stays until a later merge
takes it: one list of tokens holds all the pictures. Drawing them is `web/film`'s business.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from playground.bpe.split_pattern import SplitPattern, iter_pretokens
from playground.core.merge_nodes import MergeNode
from playground.core.tokenizer import replace_lone_surrogates

#: Token colours of the palette; neighbours never share one.
N_COLORS = 5


@dataclass(slots=True)
class FilmToken:
    """A token over the bytes `start:end`, there from merge `made_at` until `gone_at`, half-open.

    A byte is there from 0; `gone_at` is None while no merge has taken the token. `parts` are the places of
    the two it was made of in `MergeFilm.tokens`.
    """

    start: int
    end: int
    id: int
    made_at: int
    color: int
    parts: tuple[int, ...] = ()
    gone_at: int | None = None


class MergeFilm:
    """A text and the tokens it has after 0, 1, 2, … merges; `advance` takes the merges as they are learned.

    >>> film = MergeFilm("aaabdaaabac", SplitPattern.named("none"))
    >>> film.advance([(97, 97, 256), (256, 97, 257), (257, 98, 258)])
    >>> [[token.id for token in film.tokens_at(k)] for k in (0, 1, 3)]
    [[97, 97, 97, 98, 100, 97, 97, 97, 98, 97, 99],
     [256, 97, 98, 100, 256, 97, 98, 97, 99],
     [258, 100, 258, 97, 99]]
    """

    def __init__(self, text: str, pattern: SplitPattern) -> None:
        self.text = replace_lone_surrogates(text)
        self.raw = self.text.encode()
        self.n_merges = 0
        self.tokens = [FilmToken(n, n + 1, byte, 0, n % N_COLORS) for n, byte in enumerate(self.raw)]
        n_bytes = len(self.raw)
        self.cuts = {0, n_bytes}  # byte offsets at which pretokens begin and end
        end = 0
        for pretoken, _ in iter_pretokens(self.text, pattern):
            end += len(pretoken.encode())
            self.cuts.add(end)
        self._starting = [*range(n_bytes), -1]  # the token that starts at a byte now, -1 inside one
        self._ending = [-1, *range(n_bytes)]  # the token that ends before a byte now
        self._places: dict[tuple[int, int], list[int]] = defaultdict(list)
        for place in range(1, n_bytes):
            self._note_pair(place)

    def advance(self, merges: Iterable[tuple[int, int, int]]) -> None:
        """Apply the next merges, `(left, right, new id)` each, in the order in which they were learned."""
        for left, right, new_id in merges:
            self.n_merges += 1
            for place in sorted(self._places.pop((left, right), ())):
                self._merge_at(place, left, right, new_id)

    def tokens_at(self, n_merges: int) -> list[FilmToken]:
        """The tokens after so many merges, in text order."""
        return sorted(
            (
                token
                for token in self.tokens
                if token.made_at <= n_merges and (token.gone_at is None or token.gone_at > n_merges)
            ),
            key=lambda token: token.start,
        )

    def tree(self, place: int) -> MergeNode:
        """The merges inside `tokens[place]` as a tree."""
        below = [self.tokens[part] for part in self._iter_below(place)]
        moments = sorted({(token.made_at, token.start) for token in below if token.parts})
        steps = {moment: step for step, moment in enumerate(moments, start=1)}
        nodes: dict[int, MergeNode] = {}
        for part in sorted(self._iter_below(place)):  # parts were made before what they are part of
            token = self.tokens[part]
            nodes[part] = MergeNode(
                self.raw[token.start : token.end],
                token.id,
                token.id,
                tuple(nodes[child] for child in token.parts),
                steps[token.made_at, token.start] if token.parts else 0,
            )
        return nodes[place]

    def _iter_below(self, place: int) -> Iterator[int]:
        waiting = [place]
        while waiting:
            part = waiting.pop()
            yield part
            waiting.extend(self.tokens[part].parts)

    def _note_pair(self, place: int) -> None:
        """Remember the pair of tokens that meet before a byte, unless the text is cut there."""
        if place not in self.cuts:
            left, right = self._ending[place], self._starting[place]
            self._places[self.tokens[left].id, self.tokens[right].id].append(place)

    def _merge_at(self, place: int, left_id: int, right_id: int, new_id: int) -> None:
        left, right = self._ending[place], self._starting[place]
        if left < 0 or right < 0 or (self.tokens[left].id, self.tokens[right].id) != (left_id, right_id):
            return  # one of the two went into another token meanwhile, as in "aaa"
        first, second = self.tokens[left], self.tokens[right]
        start, end = first.start, second.end
        token = FilmToken(start, end, new_id, self.n_merges, self._color(first, second), (left, right))
        first.gone_at = second.gone_at = self.n_merges
        self.tokens.append(token)
        self._ending[place] = self._starting[place] = -1
        self._starting[start] = self._ending[end] = len(self.tokens) - 1
        for border in (start, end):
            self._note_pair(border)

    def _color(self, first: FilmToken, second: FilmToken) -> int:
        """The left part's colour where the token after has another, so that little changes at a merge."""
        before = self._ending[first.start] if first.start else -1
        after = self._starting[second.end]
        taken = {self.tokens[place].color for place in (before, after) if place >= 0}
        colors: list[int] = [first.color, second.color, *range(N_COLORS)]
        return next(color for color in colors if color not in taken)
