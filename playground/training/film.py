"""MergeFilm: the tokens of a short text after every merge of a training.

Merges are applied in the order in which they were learned, so a token exists from the merge that makes it
until a later merge uses it: one list of tokens describes all frames. `web/train/film.js` draws them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate

from playground.bpe.merging import merge_parts
from playground.bpe.split_pattern import SplitPattern, iter_pretokens
from playground.core.building import MergeNode
from playground.core.tokenizer import replace_lone_surrogates

#: Token colours of the palette; neighbours never share one.
N_COLORS = 4
#: Ids of text that became the unknown token, and of text that the tokenizer drops.
UNKNOWN_TEXT, LOST_TEXT = -1, -2


@dataclass(slots=True)
class FilmToken:
    """A token over the bytes `start:end` of a film's text from step `made_at` until `gone_at`, half-open.

    `gone_at` is None until a step replaces the token. `parts` are indexes in the film's `tokens`.
    """

    start: int
    end: int
    id: int
    made_at: int
    color: int
    parts: tuple[int, ...] = ()
    gone_at: int | None = None


class MergeFilm:
    """A text and its tokens after 0, 1, 2, … merges; `advance` adds merges as they are learned.

    `leaves` returns the tokens before the first merge, each with its number of bytes; None: a token per byte.

    >>> film = MergeFilm("aaabdaaabac", SplitPattern.named("none"))
    >>> film.advance([(97, 97, 256), (256, 97, 257), (257, 98, 258)])
    >>> [[token.id for token in film.tokens_at(k)] for k in (0, 1, 3)]
    [[97, 97, 97, 98, 100, 97, 97, 97, 98, 97, 99],
     [256, 97, 98, 100, 256, 97, 98, 97, 99],
     [258, 100, 258, 97, 99]]
    """

    def __init__(
        self, text: str, pattern: SplitPattern, leaves: Callable[[str], list[tuple[int, int]]] | None = None
    ) -> None:
        self.text = replace_lone_surrogates(text)
        self.raw = self.text.encode()
        self.n_merges = 0
        n_bytes = len(self.raw)
        first = leaves(self.text) if leaves else [(byte, 1) for byte in self.raw]
        starts = [0, *accumulate(size for _id, size in first)]
        self.tokens = [
            FilmToken(starts[n], starts[n + 1], token_id, 0, n % N_COLORS)
            for n, (token_id, _size) in enumerate(first)
        ]
        self.cuts = {0, n_bytes}  # byte offsets of the pretokens' boundaries
        end = 0
        for pretoken, _ in iter_pretokens(self.text, pattern):
            end += len(pretoken.encode())
            self.cuts.add(end)
        self._starting = [-1] * (n_bytes + 1)  # the current token that starts at a byte; -1 inside a token
        self._ending = [-1] * (n_bytes + 1)  # the current token that ends before a byte
        for place, token in enumerate(self.tokens):
            self._starting[token.start] = self._ending[token.end] = place

    def advance(self, merges: Iterable[tuple[int, int, int]]) -> None:
        """Apply the next merges, each `(left, right, new id)`, in the order in which they were learned.

        Later merges never create pairs for earlier ones, so this equals merging by lowest rank.
        """
        ranks: dict[tuple[int, ...], int] = {}
        made: dict[int, tuple[int, ...]] = {}
        for rank, (left, right, new_id) in enumerate(merges, start=self.n_merges):
            ranks[left, right] = rank
            made[rank] = (new_id,)
        self.n_merges += len(made)
        for rank, left_start, right_start in self.find_merges(ranks, made):
            self._merge_at(left_start, right_start, made[rank][0], made_at=rank + 1)

    def find_merges(
        self, ranks: Mapping[tuple[int, ...], int], made: Mapping[int, tuple[int, ...]]
    ) -> list[tuple[int, int, int]]:
        """Return merges inside pretokens in order: the rank, and the bytes at which the two tokens start."""
        parts, starts = self.parts_now()
        steps, _parts, _ends = merge_parts(parts, ranks.get, made)
        return [(rank, starts[left], starts[right]) for rank, left, right, _end in steps]

    def parts_now(self) -> tuple[list[tuple[int, ...]], list[int]]:
        """Return the tokens as parts to merge, with an empty one at each cut, and the byte of each."""
        parts: list[tuple[int, ...]] = []
        starts: list[int] = []
        for start, place in enumerate(self._starting):
            if start in self.cuts:  # an empty token, which merges with nothing
                parts.append(())
                starts.append(start)
            if place >= 0:
                parts.append((self.tokens[place].id,))
                starts.append(start)
        return parts, starts

    def tokens_at(self, n_merges: int) -> list[FilmToken]:
        """Return the tokens after `n_merges`, in text order."""
        return sorted(
            (
                token
                for token in self.tokens
                if token.made_at <= n_merges and (token.gone_at is None or token.gone_at > n_merges)
            ),
            key=lambda token: token.start,
        )

    def tree(self, place: int) -> MergeNode:
        """Return the merges inside `tokens[place]` as a tree."""
        below = [self.tokens[part] for part in self._iter_below(place)]
        moments = sorted({(token.made_at, token.start) for token in below if token.parts})
        steps = {moment: step for step, moment in enumerate(moments, start=1)}
        nodes: dict[int, MergeNode] = {}
        for part in sorted(self._iter_below(place)):  # parts have lower indexes than what they become
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

    def _merge_at(self, start: int, middle: int, new_id: int, *, made_at: int) -> None:
        """Replace the two tokens that start at these bytes by one."""
        left, right = self._starting[start], self._starting[middle]
        first, second = self.tokens[left], self.tokens[right]
        token = FilmToken(start, second.end, new_id, made_at, self._color(first, second), (left, right))
        first.gone_at = second.gone_at = made_at
        self.tokens.append(token)
        self._ending[middle] = self._starting[middle] = -1
        self._starting[start] = self._ending[second.end] = len(self.tokens) - 1

    def _color(self, first: FilmToken, second: FilmToken) -> int:
        """Return the left part's colour unless the next token has it, so that a merge changes few colours."""
        before = self._ending[first.start] if first.start else -1
        after = self._starting[second.end]
        taken = {self.tokens[place].color for place in (before, after) if place >= 0}
        colors: list[int] = [first.color, second.color, *range(N_COLORS)]
        return next(color for color in colors if color not in taken)


class FollowingFilm(MergeFilm):
    """A `MergeFilm` of a training; `merges` gives its merges from a step on, and each step is one merge."""

    def __init__(
        self,
        text: str,
        pattern: SplitPattern,
        merges: Callable[[int], Iterable[tuple[int, int, int]]],
        leaves: Callable[[str], list[tuple[int, int]]] | None = None,
    ) -> None:
        super().__init__(text, pattern, leaves)
        self.n_steps = 0
        self._merges_from = merges
        self.follow()

    def follow(self) -> None:
        """Add the merges that the training has made since the last call."""
        self.advance(self._merges_from(self.n_merges))
        self.n_steps = self.n_merges
