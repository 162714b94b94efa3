"""Unigram: begin with every frequent substring, and keep removing the pieces that the text needs least.

After Kudo 2018 (arXiv 1804.10959), as in SentencePiece's trainer: twice EM, then pruning, until the
vocabulary has its size. All ways to spell the text are one lattice, in NumPy arrays with a row for each edge.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from playground.catalog.opened import OpenedTokenizer
from playground.core.errors import InvalidInputError
from playground.training.algorithms.cutters import BestPathCutter
from playground.training.algorithms.learned_document import learned_tokenizer
from playground.training.algorithms.learner import (
    Algorithm,
    Candidate,
    Change,
    Option,
    OptionValue,
    Removals,
    TrainingTexts,
)
from playground.training.pretoken_counts import PretokenCounts

Floats = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]

SPACE = "▁"  # stands for a space in pieces, as in SentencePiece
MAX_PIECE = 16  # characters of a piece, as in SentencePiece
MAX_SEEDS = 1_000_000
#: Characters of a pretoken: each place in it is a round of NumPy calls over all pretokens.
MAX_WORD = 2_000
_RARE = 0.5  # pieces that EM expects less often are dropped
_GONE = -1e4  # the score of a piece that is gone
_N_BYTES = 256


def seeds_of(words: Mapping[str, int]) -> dict[str, int]:
    """Return substrings that different characters follow, with their counts, the weightiest first.

    One that the same character follows everywhere is worth less than the longer one. A word that occurs twice
    is a seed, too.

    >>> seeds_of({"hug": 2, "hut": 1})
    {'hu': 3, 'hug': 2}
    """
    text = "".join(words)
    sizes = np.array([len(word) for word in words], np.int64)
    ends = np.repeat(np.cumsum(sizes), sizes)
    weights = np.repeat(np.array(list(words.values()), np.int64), sizes)
    kinds = np.unique(np.array([ord(character) for character in text], np.int64), return_inverse=True)[1]
    found = {word: count for word, count in words.items() if count > 1 and 1 < len(word) <= MAX_PIECE}
    places, ids = np.arange(len(text)), kinds  # the substrings of a length: where each begins, and its number
    for length in range(1, MAX_PIECE + 1):
        n_places = np.bincount(ids)
        is_always_longer = np.zeros(len(n_places), bool)
        goes_on = (places + length < ends[places]) & (n_places[ids] > 1) & (length < MAX_PIECE)
        longer, numbers = np.unique(
            ids[goes_on] * len(text) + kinds[(places + length)[goes_on]], return_inverse=True
        )
        shorter = longer // len(text)
        is_always_longer[shorter[np.bincount(numbers, minlength=len(longer)) == n_places[shorter]]] = True
        if length > 1:
            counts = np.bincount(ids, weights[places]).astype(np.int64)
            first = np.zeros(len(n_places), np.int64)
            first[ids[::-1]] = places[::-1]
            for number in np.flatnonzero((n_places > 1) & (counts > 1) & ~is_always_longer).tolist():
                found[text[first[number] : first[number] + length]] = int(counts[number])
        places, ids = places[goes_on], numbers
    best = sorted(found, key=lambda piece: (-found[piece] * len(piece), piece))[:MAX_SEEDS]
    return {piece: found[piece] for piece in best}


class Lattice:
    """All spellings of words: an edge for each piece in a word, from the node before it to that behind it."""

    def __init__(self, words: Sequence[str], id_of: Mapping[str, int], *, has_whole: bool = True) -> None:
        """Find the edges. Without `has_whole`, word n is piece n, which is no edge of its own."""
        edges: list[tuple[int, int, int, int]] = []
        starts = [0]
        for number, word in enumerate(words):
            start, size = starts[-1], len(word)
            for end in range(1, size + 1):
                for at in range(max(end - MAX_PIECE, 0), end):
                    piece = id_of.get(word[at:end])
                    if piece is not None and (has_whole or piece != number):
                        edges.append((end, start + at, start + end, piece))
            starts.append(start + size + 1)
        self.n_nodes = starts[-1]
        self.starts, self.ends = np.array(starts[:-1], np.int64), np.array(starts[1:], np.int64) - 1
        self.word_of = np.repeat(np.arange(len(words)), np.diff(starts))  # of each node
        table = np.array(edges, np.int64).reshape(-1, 4)
        self._set(*table[np.argsort(table[:, 0], kind="stable")].T)

    def _set(self, level: Longs, source: Longs, target: Longs, piece: Longs) -> None:
        """Take edges by level, which is the place in the word behind the edge: paths go level by level."""
        self.level, self.source, self.target, self.piece = level, source, target, piece
        bounds = np.searchsorted(level, np.arange(level.max(initial=0) + 2)).tolist()
        self.levels = [slice(*pair) for pair in pairwise(bounds)]
        #: For each level, the first of the edges to each node.
        self.firsts = [np.flatnonzero(np.diff(target[level], prepend=-1)) for level in self.levels]

    def keep(self, is_live: npt.NDArray[np.bool_]) -> None:
        """Forget the edges of pieces that are gone."""
        stays = is_live[self.piece]
        self._set(self.level[stays], self.source[stays], self.target[stays], self.piece[stays])

    def expected(self, scores: Floats, counts: Longs) -> tuple[Floats, float]:
        """Return how often each piece is expected over all paths, and the log-likelihood: the E-step.

        >>> lattice = Lattice(["ab"], {"a": 0, "b": 1, "ab": 2})
        >>> lattice.expected(np.array([-1.0, -1.0, -2.0]), np.array([1]))[0].round(3).tolist()
        [0.5, 0.5, 0.5]
        """
        before, after = np.full((2, self.n_nodes), -np.inf)
        before[self.starts] = after[self.ends] = 0
        score = scores[self.piece]
        for level, first in zip(self.levels, self.firsts, strict=True):
            if len(first):
                paths = before[self.source[level]] + score[level]
                before[self.target[level][first]] = np.logaddexp.reduceat(paths, first)
        for level in reversed(self.levels):
            np.logaddexp.at(after, self.source[level], after[self.target[level]] + score[level])
        totals = before[self.ends]
        words = self.word_of[self.source]
        chance = np.exp(before[self.source] + score + after[self.target] - totals[words])
        expected = np.zeros(len(scores))
        expected += np.bincount(self.piece, chance * counts[words], len(scores))
        return expected, float(counts @ np.where(counts > 0, totals, 0))

    def best(self, scores: Floats) -> tuple[Floats, Longs]:
        """Return the best score up to each node, and the edge by which it is reached (-1: none)."""
        best = np.full(self.n_nodes, -np.inf)
        best[self.starts] = 0
        came = np.full(self.n_nodes, -1)
        score = scores[self.piece]
        for level, first in zip(self.levels, self.firsts, strict=True):
            if not len(first):
                continue
            target, paths = self.target[level], best[self.source[level]] + score[level]
            best[target[first]] = np.maximum.reduceat(paths, first)
            is_best = np.flatnonzero(paths == best[target])[::-1]
            came[target[is_best]] = level.start + is_best  # of equal ones the longest, written last
        return best, came

    def walk(self, came: Longs) -> Iterator[tuple[Longs, Longs]]:
        """Yield the best paths of all words from their ends: the numbers of words, and a piece of each."""
        numbers, nodes = np.arange(len(self.ends)), self.ends
        while len(numbers := numbers[is_on := came[nodes] >= 0]):
            edges = came[nodes[is_on]]
            yield numbers, self.piece[edges]
            nodes = self.source[edges]

    def count_best(self, scores: Floats, *counts: Longs) -> list[Longs]:
        """Return how often each piece is on best paths, for each kind of counts."""
        used = [np.zeros(len(scores), np.int64) for _ in counts]
        for numbers, pieces in self.walk(self.best(scores)[1]):
            for total, count in zip(used, counts, strict=True):
                np.add.at(total, pieces, count[numbers])
        return used


class Removed(NamedTuple):
    """A piece that was removed, its count and loss, and the pieces in its place, if they are known."""

    piece: int
    n_uses: int
    loss: float
    parts: tuple[int, ...]


class Pruning(NamedTuple):
    """A step: the pieces that EM and pruning removed, the tokens of both texts, and the log-likelihood."""

    removed: list[Removed]
    n_tokens: int
    n_held_out: int
    likelihood: float


class Unigram:
    """Pieces with their scores, which are logarithms of probabilities, learned from counted words.

    >>> unigram = Unigram({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, {})
    >>> _prunings = list(unigram.learn(9, 0.75))
    >>> [unigram.pieces[n] for n in np.flatnonzero(unigram.is_live)]
    ['b', 'g', 'h', 'n', 'p', 's', 'u', 'hug', 'pun']
    """

    def __init__(self, words: Mapping[str, int], held_out: Mapping[str, int]) -> None:
        every = [*words, *(word for word in held_out if word not in words)]
        self.counts = np.array([words.get(word, 0) for word in every], np.int64)
        self.held_out = np.array([held_out.get(word, 0) for word in every], np.int64)
        n_of: dict[str, int] = dict.fromkeys(sorted(set("".join(every))), 0)
        for word, count in words.items():
            for character in word:
                n_of[character] += count
        seeds = seeds_of(words)
        self.n_single, self.n_seeds = len(n_of), len(seeds)
        self.pieces = [*n_of, *seeds]
        id_of = {piece: n for n, piece in enumerate(self.pieces)}
        self.lattice = Lattice(every, id_of)
        self.inside = Lattice(self.pieces, id_of, has_whole=False)  # the other spellings of each piece
        seen = np.array([*n_of.values(), *(count * len(seed) for seed, count in seeds.items())], np.float64)
        self.is_live = np.ones(len(self.pieces), bool)
        self.is_live[: self.n_single] = seen[: self.n_single] > 0
        self.scores: Floats = np.log(np.maximum(seen, _RARE) / max(seen.sum(), 1))

    def learn(self, n_wanted: int, shrink: float) -> Iterator[Pruning]:
        """Run EM twice and prune, again and again, until at most `n_wanted` pieces are left."""
        is_last = False
        while not is_last:
            removed = [*self.maximize(), *self.maximize()]
            n_now = int(self.is_live.sum())
            is_last = n_now <= int(1.1 * n_wanted)
            n_kept = n_wanted if is_last else max(int(1.1 * n_wanted), int(shrink * n_now))
            losses, used, parts = self.losses()
            values = self.scores if is_last else losses
            others = np.flatnonzero(self.is_live[self.n_single :]) + self.n_single
            n_others = max(n_kept - int(self.is_live[: self.n_single].sum()), 0)
            going = others[np.argsort(-values[others], kind="stable")][n_others:]
            removed += [
                Removed(n, int(used[n]), float(losses[n]), tuple(parts[n][parts[n] >= 0][::-1].tolist()))
                for n in going.tolist()
            ]
            self.remove(going)
            yield self.state(removed)

    def maximize(self) -> list[Removed]:
        """Set the scores from expected counts, and drop rare pieces; characters stay: the M-step."""
        expected, _likelihood = self.lattice.expected(self.scores, self.counts)
        singles = expected[: self.n_single]
        singles[self.is_live[: self.n_single]] = np.maximum(singles[self.is_live[: self.n_single]], _RARE)
        stays = self.is_live & (expected >= _RARE)
        total = expected[self.is_live].sum()
        self.scores[stays] = digamma(expected[stays]) - digamma(np.array([total]))
        rare = np.flatnonzero(self.is_live & ~stays)
        self.remove(rare)
        return [Removed(n, int(expected[n]), 0.0, ()) for n in rare.tolist()]

    def remove(self, pieces: Longs) -> None:
        """Remove pieces, but keep the paths of characters that only the held-out text has."""
        self.is_live[pieces] = False
        self.scores[pieces] = _GONE
        stays = self.is_live.copy()
        stays[: self.n_single] = True
        self.lattice.keep(stays)
        self.inside.keep(stays)

    def losses(self) -> tuple[Floats, Longs, Longs]:
        """Return by how much the log-likelihood of the best paths falls without each piece.

        Also returns the count of each piece, and the pieces that replace it, the last one first.
        """
        (used,) = self.lattice.count_best(self.scores, self.counts)
        best, came = self.inside.best(self.scores)
        total = max(int(used.sum()), 1)
        parts = np.full((len(self.pieces), MAX_PIECE), -1)
        for depth, (numbers, pieces) in enumerate(self.inside.walk(came)):
            parts[numbers, depth] = pieces
        log_total = np.log(total + used * np.maximum((parts >= 0).sum(axis=1) - 1, 0))
        each = np.log(np.maximum(used[parts] + used[:, None], 1)) - log_total[:, None]
        without = np.where(parts >= 0, each, 0.0).sum(axis=1)
        loss = used / max(int(self.counts.sum()), 1) * (np.log(np.maximum(used, 1)) - np.log(total) - without)
        loss[best[self.inside.ends] > self.scores] = 0.0  # its best path is split already
        return loss, used, parts

    def state(self, removed: list[Removed]) -> Pruning:
        """Return what the text is now."""
        used, used_held_out = self.lattice.count_best(self.scores, self.counts, self.held_out)
        _expected, total = self.lattice.expected(self.scores, self.counts)
        likelihood = total / max(int(self.counts.sum()), 1)
        return Pruning(removed, int(used.sum()), int(used_held_out.sum()), likelihood)


def digamma(values: Floats) -> Floats:
    """Return the digamma function, by its recurrence and its asymptotic series.

    >>> float(digamma(np.array([1.0]))[0].round(6))  # minus Euler's constant
    -0.577216
    """
    result = np.zeros(len(values))
    shifted = values.astype(np.float64).copy()
    while (small := shifted < 7).any():
        result[small] -= 1 / shifted[small]
        shifted[small] += 1
    inverse = 1 / shifted**2
    series = inverse * (1 / 12 - inverse * (1 / 120 - inverse / 252))
    return result + np.log(shifted) - 0.5 / shifted - series


def best_path(word: str, scores: Mapping[str, float]) -> list[str]:
    """Return the pieces of a word whose scores have the best sum; an unknown character is a piece.

    >>> best_path("abab", {"a": -3.0, "b": -3.0, "ab": -4.0, "bab": -8.5})
    ['ab', 'ab']
    """
    unknown = min(scores.values(), default=0.0) - 10
    best: list[tuple[float, int]] = [(0.0, 0)]
    for end in range(1, len(word) + 1):
        starts = range(max(0, end - 16), end)
        found = [
            (best[start][0] + scores.get(word[start:end], unknown), start)
            for start in starts
            if word[start:end] in scores or start == end - 1
        ]
        best.append(max(found))
    return list(_walk(word, best))[::-1]


def _walk(word: str, best: Sequence[tuple[float, int]]) -> Iterator[str]:
    end = len(word)
    while end:
        start = best[end][1]
        yield word[start:end]
        end = start


class UnigramLearner:
    """A training of pieces; ids count the characters of the text, then the seeds."""

    score_name = "loss of log-likelihood"

    def __init__(self, texts: TrainingTexts, vocab_size: int, options: Mapping[str, OptionValue]) -> None:
        self._pattern = texts.pattern
        self._shrink = float(options.get("shrink", 0.75))
        self._has_bytes = bool(options.get("byte_fallback", True))
        words = _words_in(texts.pretokens)
        held_out = _words_in(texts.held_out) if texts.held_out else {}
        longest = max(map(len, [*words, *held_out]), default=0)
        if longest > MAX_WORD:
            raise InvalidInputError(
                f"a pretoken has {longest:,} characters, and Unigram learns from pretokens of up to "
                f"{MAX_WORD:,}; choose a split pattern that cuts the text into words"
            )
        self._n_fixed = 1 + (_N_BYTES if self._has_bytes else 0)
        n_least = self._n_fixed + len({character for word in words for character in word})
        if vocab_size < n_least:
            raise InvalidInputError(
                f"the text has {n_least - self._n_fixed:,} different characters, so the vocabulary needs at "
                f"least {n_least:,} tokens; choose a larger vocabulary"
            )
        self._n_wanted = vocab_size - self._n_fixed
        self._unigram = unigram = Unigram(words, held_out)
        if not unigram.n_seeds:
            raise InvalidInputError(
                "no sequence of two or more characters occurs twice in the text; choose a longer text"
            )
        singles = np.arange(unigram.n_single)
        n_bytes = np.array([len(piece.encode()) for piece in unigram.pieces[: unigram.n_single]])
        #: The further tokens of a character that only the held-out text has: its bytes, or none.
        self._more = np.where(unigram.is_live[singles] | (not self._has_bytes), 0, n_bytes - 1)
        self._prunings = unigram.learn(self._n_wanted, self._shrink)
        self._states: list[tuple[npt.NDArray[np.int32], Floats]] = []
        self._rows: list[tuple[int, int, int]] = []
        self._made: list[Pruning] = []
        self._likelihoods: list[float] = []
        self._add(unigram.state([]))
        self.stop_reason = ""

    @property
    def n_steps(self) -> int:
        """The number of steps so far."""
        return len(self._made)

    @property
    def n_steps_wanted(self) -> int:
        """The number of steps as far as it is known: EM drops pieces too, so fewer may be needed."""
        if self.stop_reason:
            return self.n_steps
        left = max(float(np.count_nonzero(self._unigram.is_live)) / (1.1 * self._n_wanted), 1.0)
        return self.n_steps + int(np.ceil(np.log(left) / -np.log(self._shrink))) + 1

    def advance(self, n_steps: int | None = None) -> int:
        """Make up to `n_steps` steps, or all; return their number."""
        n_made = 0
        while not self.stop_reason and (n_steps is None or n_made < n_steps):
            pruning = next(self._prunings)
            self._made.append(pruning)
            self._add(pruning)
            n_made += 1
            n_now = len(self._states[-1][0])
            if n_now <= self._n_wanted:
                self.stop_reason = (
                    "The vocabulary has its size."
                    if n_now == self._n_wanted
                    else f"The text holds only {n_now + self._n_fixed:,} tokens that are worth keeping."
                )
        return n_made

    def _add(self, pruning: Pruning) -> None:
        unigram = self._unigram
        live = np.flatnonzero(unigram.is_live).astype(np.int32)
        self._states.append((live, unigram.scores[live].copy()))
        (used,) = unigram.lattice.count_best(unigram.scores, unigram.held_out)
        n_held_out = pruning.n_held_out + int(self._more @ used[: unigram.n_single])
        self._rows.append((len(live) + self._n_fixed, pruning.n_tokens, n_held_out))
        self._likelihoods.append(pruning.likelihood)

    def curve(self) -> Longs:
        """Return vocabulary size, tokens, and held-out tokens of each state."""
        return np.array(self._rows, np.int64)

    def changes(self, first: int = 0, last: int | None = None) -> Sequence[Change]:
        """Return the tokens that the steps `first:last` removed."""
        return [
            Change(step, "removed", n, self._raw_of(n), parts, count, loss)
            for step, pruning in enumerate(self._made[first:last], first)
            for n, count, loss, parts in pruning.removed
        ]

    def candidates(self, n_candidates: int = 8) -> Sequence[Candidate]:
        """Return the pieces whose removal costs least."""
        if self.stop_reason:
            return []
        losses, used, _parts = self._unigram.losses()
        others = np.flatnonzero(self._unigram.is_live)
        others = others[others >= self._unigram.n_single]
        least = others[np.argsort(losses[others], kind="stable")[:n_candidates]].tolist()
        return [Candidate(self._raw_of(n), int(used[n]), float(losses[n])) for n in least]

    def token_bytes(self) -> Sequence[bytes]:
        """Return the bytes of each piece that ever existed."""
        return [self._raw_of(piece) for piece in range(len(self._unigram.pieces))]

    def _raw_of(self, piece: int) -> bytes:
        return self._unigram.pieces[piece].replace(SPACE, " ").encode()

    def cutter(self) -> BestPathCutter:
        """Return how a short text is cut: into the pieces with the best scores."""
        pieces = [piece.replace(SPACE, " ") for piece in self._unigram.pieces]
        return BestPathCutter(self._pattern, pieces, tuple(self._states))

    def lines(self) -> Mapping[str, Floats]:
        """Return the mean log-likelihood of a pretoken at each state."""
        return {"log-likelihood": np.array(self._likelihoods)}

    def removals(self) -> Removals:
        """Return the pieces removed so far, and the tokens that the text has more than with all seeds."""
        return Removals(self._rows[0][0] - self._rows[-1][0], self._rows[-1][1] - self._rows[0][1])

    def pieces(self) -> list[tuple[str, float]]:
        """Return the pieces learned so far with their scores, the best first."""
        live, scores = self._states[-1]
        best = np.argsort(-scores, kind="stable")
        return [(self._unigram.pieces[int(live[n])], float(scores[n])) for n in best]

    def tokenizer(self, name: str, special_tokens: tuple[str, ...] = ()) -> OpenedTokenizer:
        """Return the tokenizer as a `tokenizer.json`. Raises InvalidInputError for invalid special tokens."""
        rest = [(f"<0x{byte:02X}>", -1e4) for byte in range(_N_BYTES)] if self._has_bytes else []
        vocabulary = [("<unk>", 0.0), *rest, *self.pieces()]
        return learned_tokenizer(
            name,
            {"type": "Unigram", "unk_id": 0, "vocab": vocabulary, "byte_fallback": self._has_bytes},
            len(vocabulary),
            self._pattern,
            special_tokens,
            space=SPACE,
        )


def _words_in(pretokens: PretokenCounts) -> dict[str, int]:
    return {raw.decode(errors="replace").replace(" ", SPACE): count for raw, count in pretokens.items()}


UNIGRAM = Algorithm(
    "unigram", "Unigram",
    "Begin with every frequent substring, and keep removing the pieces that the text needs least.",
    "Kudo 2018, arXiv 1804.10959; SentencePiece’s trainer",
    (
        Option("shrink", "Share kept by each pruning", "SentencePiece keeps 0.75.", 0.75, None, 0.5, 0.98),
        Option(
            "byte_fallback", "Bytes for unknown characters",
            "Adds 256 byte tokens, which spell characters that the text does not contain.", default=True,
        ),
    ),
    UnigramLearner,
    code=(Unigram, Lattice, seeds_of, digamma),
    step="pruning",
    begins_with_bytes=False,
)  # fmt: skip
