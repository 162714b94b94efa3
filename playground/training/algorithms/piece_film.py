"""PieceFilm: a short text cut anew after each step of a learner whose tokens come and go."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from playground.bpe.split_pattern import SplitPattern, iter_pretokens
from playground.core.building import MergeNode
from playground.core.tokenizer import replace_lone_surrogates
from playground.training.film import N_COLORS, FilmToken

#: A token as its id, and its number of characters or bytes.
Piece = tuple[int, int]
#: Return the pieces of a pretoken after a step.
Cut = Callable[[str, int], Sequence[Piece]]


class PieceFilm:
    """A text and its tokens after each step; tokens that a step leaves as they are keep their colour.

    `cut` gives the tokens' lengths in characters, or in bytes with `in_bytes`. With `can_return` a pretoken
    may get pieces again that it had before; then each step is cut, else only as many as find the changes.
    """

    def __init__(
        self,
        text: str,
        pattern: SplitPattern,
        cut: Cut,
        n_made: Callable[[], int],
        *,
        in_bytes: bool = False,
        can_return: bool = False,
    ) -> None:
        self._in_bytes, self._can_return = in_bytes, can_return
        self.text = replace_lone_surrogates(text)
        self.raw = self.text.encode()
        self.n_steps = -1
        self.tokens: list[FilmToken] = []
        self.pretokens = [pretoken for pretoken, _is_match in iter_pretokens(self.text, pattern)]
        self._starts = [0]
        for pretoken in self.pretokens:
            self._starts.append(self._starts[-1] + len(pretoken.encode()))
        self.cuts = {*self._starts}
        self._cut, self._n_made = cut, n_made
        self._last: dict[str, Sequence[Piece]] = {}  # the newest cut of each pretoken
        self._now: list[list[int]] = [[] for _ in self.pretokens]  # places in `tokens`
        self.follow()

    def follow(self) -> None:
        """Add the steps that the learner has made since the last call."""
        n_made = self._n_made()
        if n_made == self.n_steps:
            return
        found = {pretoken: self._changes(pretoken, n_made) for pretoken in dict.fromkeys(self.pretokens)}
        of_step: defaultdict[int, list[int]] = defaultdict(list)
        for place, pretoken in enumerate(self.pretokens):
            for step in found[pretoken]:
                of_step[step].append(place)
        for step in sorted(of_step):
            for place in of_step[step]:
                self._replace(place, step, found[self.pretokens[place]][step])
        self.n_steps = n_made

    def tree(self, place: int) -> MergeNode | None:  # noqa: ARG002
        """Return None: pieces are chosen by their scores, and nothing is built."""
        return None

    def _changes(self, pretoken: str, n_made: int) -> dict[int, Sequence[Piece]]:
        """Return the new steps that change a pretoken, with its pieces after each."""
        changes: dict[int, Sequence[Piece]] = {}
        first = self.n_steps
        if first < 0:
            first = 0
            changes[0] = self._last[pretoken] = tuple(self._cut(pretoken, 0))

        def find(low: int, before: Sequence[Piece], high: int, after: Sequence[Piece]) -> None:
            """Find the changes in the steps `low + 1` to `high`."""
            if high - low > 1 and (before != after or self._can_return):
                middle = (low + high) // 2
                between = tuple(self._cut(pretoken, middle))
                find(low, before, middle, between)
                find(middle, between, high, after)
            elif before != after:
                changes[high] = after

        if n_made > first:
            newest = tuple(self._cut(pretoken, n_made))
            find(first, self._last[pretoken], n_made, newest)
            self._last[pretoken] = newest
        return changes

    def _replace(self, nth: int, step: int, pieces: Sequence[Piece]) -> None:
        """Give a pretoken its pieces after a step; those that it had already stay."""
        before = {(token.start, token.end, token.id): place for place, token in self._tokens_of(nth)}
        pretoken, end, at = self.pretokens[nth], self._starts[nth], 0
        spans: list[tuple[int, int, int]] = []
        for token_id, length in pieces:
            start, at = end, at + length
            end += length if self._in_bytes else len(pretoken[at - length : at].encode())
            spans.append((start, end, token_id))
        now: list[int] = []
        for place, span in enumerate(spans):
            if span in before:
                now.append(before.pop(span))
                continue
            left = now[-1:] or (self._now[nth - 1][-1:] if nth else [])
            if place + 1 < len(spans):
                right = [before[spans[place + 1]]] if spans[place + 1] in before else []
            else:
                right = self._now[nth + 1][:1] if nth + 1 < len(self._now) else []
            near = {self.tokens[each].color for each in (*left, *right)}
            now.append(len(self.tokens))
            color = next(color for color in range(N_COLORS) if color not in near)
            self.tokens.append(FilmToken(*span, made_at=step, color=color))
        for place in before.values():
            self.tokens[place].gone_at = step
        self._now[nth] = now

    def _tokens_of(self, nth: int) -> list[tuple[int, FilmToken]]:
        return [(place, self.tokens[place]) for place in self._now[nth]]


class MergedPieces:
    """Pieces after each of some merges, each of which replaces the pairs that exist when it is made.

    >>> pieces = MergedPieces()
    >>> pieces.add([(97, 98, 256), (256, 99, 257)])
    >>> [pieces.after(((97, 1), (98, 1), (99, 1)), step) for step in (0, 1, 2)]
    [((97, 1), (98, 1), (99, 1)), ((256, 2), (99, 1)), ((257, 3),)]
    """

    def __init__(self) -> None:
        self._made: list[int] = []
        self._steps: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
        self._states: dict[tuple[Piece, ...], tuple[int, list[int], list[tuple[Piece, ...]]]] = {}

    @property
    def n_merges(self) -> int:
        """The number of merges so far."""
        return len(self._made)

    def add(self, merges: Iterable[tuple[int, int, int]]) -> None:
        """Add the next merges: left, right, new id."""
        for left, right, new_id in merges:
            self._steps[left, right].append(len(self._made))
            self._made.append(new_id)

    def after(self, pieces: tuple[Piece, ...], n_merges: int) -> tuple[Piece, ...]:
        """Return what pieces become by the first `n_merges`."""
        n_known, starts, states = self._states.get(pieces, (0, [0], [pieces]))
        if n_known < self.n_merges:
            while (found := self._next(states[-1], n_known)) is not None:
                merge, pair = found
                states.append(_joined(states[-1], pair, self._made[merge]))
                n_known = merge + 1
                starts.append(n_known)
            self._states[pieces] = self.n_merges, starts, states
        return states[bisect_right(starts, n_merges) - 1]

    def _next(self, pieces: tuple[Piece, ...], first: int) -> tuple[int, tuple[int, int]] | None:
        """Return the first merge from `first` on that joins a pair of these pieces, and the pair."""
        found = []
        for (left, _), (right, _) in pairwise(pieces):
            steps = self._steps.get((left, right), [])
            if (place := bisect_left(steps, first)) < len(steps):
                found.append((steps[place], (left, right)))
        return min(found, default=None)


def _joined(pieces: tuple[Piece, ...], pair: tuple[int, int], new_id: int) -> tuple[Piece, ...]:
    """Return pieces with each occurrence of a pair joined, from the left."""
    joined: list[Piece] = []
    place = 0
    while place < len(pieces):
        if tuple(token_id for token_id, _size in pieces[place : place + 2]) == pair:
            joined.append((new_id, pieces[place][1] + pieces[place + 1][1]))
            place += 2
        else:
            joined.append(pieces[place])
            place += 1
    return tuple(joined)
