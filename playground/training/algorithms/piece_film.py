"""PieceFilm: a short text cut anew after each step of a learner whose tokens come and go."""

from collections.abc import Callable, Sequence

from playground.bpe.split_pattern import SplitPattern, iter_pretokens
from playground.core.building import MergeNode
from playground.core.tokenizer import replace_lone_surrogates
from playground.training.film import N_COLORS, FilmToken

#: Return the (id, number of characters or bytes) of each token of a pretoken after a step.
Cut = Callable[[str, int], Sequence[tuple[int, int]]]


class PieceFilm:
    """A text and its tokens after each step; tokens that a step leaves as they are keep their colour.

    `cut` gives the tokens' lengths in characters, or in bytes with `in_bytes`.
    """

    def __init__(
        self,
        text: str,
        pattern: SplitPattern,
        cut: Cut,
        n_made: Callable[[], int],
        *,
        in_bytes: bool = False,
    ) -> None:
        self._in_bytes = in_bytes
        self.text = replace_lone_surrogates(text)
        self.raw = self.text.encode()
        self.n_steps = -1
        self.tokens: list[FilmToken] = []
        self.pretokens = [pretoken for pretoken, _is_match in iter_pretokens(self.text, pattern)]
        self.cuts = {0}
        for pretoken in self.pretokens:
            self.cuts.add(max(self.cuts) + len(pretoken.encode()))
        self._cut, self._n_made = cut, n_made
        self._now: dict[tuple[int, int, int], int] = {}
        self.follow()

    def follow(self) -> None:
        """Add the steps that the learner has made since the last call."""
        while self.n_steps < self._n_made():
            self.n_steps += 1
            self._add_step()

    def tree(self, place: int) -> MergeNode | None:  # noqa: ARG002
        """Return None: pieces are chosen by their scores, and nothing is built."""
        return None

    def _add_step(self) -> None:
        spans: list[tuple[int, int, int]] = []
        end = 0
        for pretoken in self.pretokens:
            at = 0
            for token_id, length in self._cut(pretoken, self.n_steps):
                start, at = end, at + length
                end += length if self._in_bytes else len(pretoken[at - length : at].encode())
                spans.append((start, end, token_id))
        now: dict[tuple[int, int, int], int] = {}
        for nth, span in enumerate(spans):
            if span in self._now:
                now[span] = self._now[span]
                continue
            near = {self.tokens[now[spans[nth - 1]]].color} if nth else set()
            if nth + 1 < len(spans) and spans[nth + 1] in self._now:
                near.add(self.tokens[self._now[spans[nth + 1]]].color)
            color = next(color for color in range(N_COLORS) if color not in near)
            now[span] = len(self.tokens)
            self.tokens.append(FilmToken(*span, made_at=self.n_steps, color=color))
        for span, place in self._now.items():
            if span not in now:
                self.tokens[place].gone_at = self.n_steps
        self._now = now
