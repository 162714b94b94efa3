"""Unigram: a vocabulary that begins with every frequent substring and loses the least useful ones.

After Kudo (2018), as in SentencePiece's trainer: two sub-iterations of EM, then pruning, until the vocabulary
has its size. MinGram (arXiv 2606.27019) shares the code: tokens of a BPE are the seeds, only best paths
count, fewer tokens come before a better score, and pruning happens once.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
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
from playground.training.warm_up import PIECES

Floats = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]

SPACE = "▁"  # stands for a space in pieces, as in SentencePiece
MAX_SEEDS = 1_000_000
#: Subtracted from the score of each token in MinGram, so that fewer tokens always win.
TOKEN_COST = 1000.0
_RARE = 0.5  # pieces that EM expects less often are dropped
_N_BYTES = 256


class _Removed(NamedTuple):
    """Pieces that were removed together: ids, counts, losses, and the pieces in their place (-1: none)."""

    pieces: Longs
    counts: Longs
    losses: Floats
    parts: npt.NDArray[np.int32]


class UnigramLearner:
    """A training of pieces; ids count the characters of the text, then the seeds."""

    score_name = "loss of log-likelihood"

    def __init__(self, texts: TrainingTexts, vocab_size: int, options: Mapping[str, OptionValue]) -> None:
        from playground.training.kernel import piece_lattice as kernel

        self._kernel = kernel
        self._pattern = texts.pattern
        self.is_minimal = bool(options.get("is_minimal", False))
        self._shrink = float(options.get("shrink", 0.75))
        self._has_bytes = bool(options.get("byte_fallback", True))
        parts = [texts.pretokens, *([texts.held_out] if texts.held_out else [])]
        text = b"".join(part.pool.tobytes() for part in parts).decode(errors="replace").replace(" ", SPACE)
        codes = np.frombuffer(text.encode("utf-32-le"), np.uint32)
        sizes = np.concatenate([_n_characters(part.pool, part.starts) for part in parts])
        self._starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        zeros = [np.zeros(len(part), np.int64) for part in parts]
        self._counts = np.concatenate([parts[0].counts, *zeros[1:]])
        self._held_out = np.concatenate([zeros[0], *(part.counts for part in parts[1:])])
        self._text = text
        characters, symbols = np.unique(codes, return_inverse=True)
        symbols = symbols.astype(np.int64) + 1
        self._n_single = len(characters)
        ends = np.repeat(self._starts[1:], sizes)
        weights = np.repeat(self._counts, sizes)
        self._single_counts = np.bincount(symbols - 1, weights, len(characters)).astype(np.int64)
        n_fixed = 1 + (_N_BYTES if self._has_bytes else 0)
        n_alphabet = int(np.count_nonzero(self._single_counts))
        if vocab_size < n_fixed + n_alphabet:
            raise InvalidInputError(
                f"the text has {n_alphabet:,} different characters, so the vocabulary needs at least "
                f"{n_fixed + n_alphabet:,} tokens; choose a larger vocabulary"
            )
        self._n_fixed, self._n_wanted = n_fixed, vocab_size - n_fixed
        order = kernel.suffix_order(symbols, ends) if len(symbols) else np.zeros(0, np.int64)
        rows = self._seeds(texts, options, order, symbols, ends, weights)
        if not len(rows):
            raise InvalidInputError(
                "no sequence of two or more characters occurs twice in the text; choose a longer text"
            )
        self._rows, self._order = rows, order
        singles = np.ones(self._n_single, np.int64)
        self._sizes = np.concatenate([singles, rows[:, 2]]).astype(np.int32)
        by_size = np.argsort(rows[:, 2], kind="stable")
        self._first, self._edges = kernel.list_edges(symbols, order, rows, by_size, self._n_single)
        self._stop = self._first[1:].copy()
        self._first = self._first[:-1]
        self._places = np.concatenate([np.full(self._n_single, -1, np.int64), order[rows[:, 0]]])
        seen = np.concatenate([self._single_counts, rows[:, 3] * (1 if self.is_minimal else rows[:, 2])])
        self._live = np.ones(len(self._sizes), bool)
        self._live[: self._n_single] = self._single_counts > 0
        self._scores = np.log(np.maximum(seen, _RARE) / max(seen.sum(), 1)) - self._cost
        self._states: list[tuple[npt.NDArray[np.int32], Floats]] = []
        self._rows_of_curve: list[tuple[int, int, int]] = []
        self._likelihoods: list[float] = []
        self._changes: list[list[_Removed]] = []
        self._losses: tuple[int, Floats, Longs, npt.NDArray[np.int32]] | None = None
        self._stopped = ""
        self._add_state()

    @property
    def _cost(self) -> float:
        return TOKEN_COST if self.is_minimal else 0.0

    def _seeds(
        self, texts: TrainingTexts, options: Mapping[str, OptionValue],
        order: Longs, symbols: Longs, ends: Longs, weights: Longs,
    ) -> Longs:  # fmt: skip
        totals = np.concatenate([[0], np.cumsum(weights[order])])
        if self.is_minimal:
            return self._bpe_seeds(texts, float(options.get("seeds", 2.0)), order, symbols, ends, totals)
        shared = self._kernel.common_prefixes(order, symbols, ends)
        rows = self._kernel.repeated_substrings(shared, totals)
        # A pretoken is a seed even if it always ends the same way.
        row_of = np.empty(len(order), np.int64)
        row_of[order] = np.arange(len(order))
        sizes = np.diff(self._starts)
        is_seed = (self._counts > 1) & (sizes > 1) & (sizes <= self._kernel.MAX_PIECE)
        at = row_of[self._starts[:-1][is_seed]]
        is_alone = np.maximum(shared[at], shared[at + 1]) < sizes[is_seed]
        at = at[is_alone]
        whole = np.column_stack([at, at + 1, sizes[is_seed][is_alone], self._counts[is_seed][is_alone]])
        rows = np.concatenate([rows, whole])
        best = np.argsort(-rows[:, 3] * rows[:, 2], kind="stable")[:MAX_SEEDS]
        return rows[best]

    def _bpe_seeds(
        self, texts: TrainingTexts, ratio: float, order: Longs, symbols: Longs, ends: Longs, totals: Longs
    ) -> Longs:
        from playground.training.algorithms.bpe import BpeLearner

        trainer = BpeLearner(
            texts.pretokens, vocab_size=max(int(self._n_wanted * ratio), 256) + 256, min_count=2
        )
        trainer.advance()
        known = {character: nth for nth, character in enumerate(sorted(set(self._text)), start=1)}
        words = []
        for raw in trainer.token_bytes()[256:]:
            try:
                piece = raw.decode().replace(" ", SPACE)
            except UnicodeDecodeError:
                continue  # a part of a character
            if 1 < len(piece) <= self._kernel.MAX_PIECE:
                words.append([known[character] for character in piece])
        starts = np.cumsum([0, *map(len, words)])
        wanted = np.array([symbol for word in words for symbol in word], np.int64)
        found = self._kernel.find_suffixes(order, symbols, ends, wanted, starts)
        counts = totals[found[:, 1]] - totals[found[:, 0]]
        rows = np.column_stack([found, np.diff(starts), counts])
        return rows[counts > 0]

    @property
    def n_steps(self) -> int:
        """The number of steps so far."""
        return len(self._changes)

    @property
    def n_steps_wanted(self) -> int:
        """The number of steps as far as it is known: EM drops pieces too, so fewer may be needed."""
        if self._stopped:
            return self.n_steps
        if self.is_minimal:
            return 1
        left = max(float(np.count_nonzero(self._live)) / (1.1 * self._n_wanted), 1.0)
        return self.n_steps + int(np.ceil(np.log(left) / -np.log(self._shrink))) + 1

    @property
    def stop_reason(self) -> str:
        """Why the training ended; "" before its end."""
        return self._stopped

    def advance(self, n_steps: int | None = None) -> int:
        """Make up to `n_steps` steps, or all; return their number."""
        n_made = 0
        while not self._stopped and (n_steps is None or n_made < n_steps):
            self._step()
            n_made += 1
        return n_made

    def _step(self) -> None:
        removed: list[_Removed] = []
        for _ in range(2):
            removed += self._maximize(*self._expect())
        n_now = int(np.count_nonzero(self._live))
        is_last = self.is_minimal or n_now <= int(1.1 * self._n_wanted)
        n_kept = self._n_wanted if is_last else max(int(1.1 * self._n_wanted), int(self._shrink * n_now))
        losses, used, parts = self._loss()
        others = np.flatnonzero(self._live)
        others = others[others >= self._n_single]
        values = self._scores if is_last else losses
        n_others = max(n_kept - int(np.count_nonzero(self._live[: self._n_single])), 0)
        going = others[np.argsort(-values[others], kind="stable")][n_others:]
        removed.append(self._remove(going, losses, used, parts))
        if is_last:
            if self.is_minimal:
                self._maximize(*self._expect(), removes=False)
            n_now = int(np.count_nonzero(self._live))
            self._stopped = (
                "The vocabulary has its size."
                if n_now >= self._n_wanted
                else f"The text holds only {n_now + self._n_fixed:,} tokens that are worth keeping."
            )
        self._changes.append(removed)
        self._losses = None
        self._add_state()

    def _expect(self) -> tuple[Floats, float]:
        if self.is_minimal:
            return self._count_best(self._counts).astype(np.float64), 0.0
        expected = np.zeros(len(self._scores))
        total = self._kernel.add_expected(
            self._first, self._stop, self._edges, self._sizes, self._scores, self._starts, self._counts,
            expected,
        )  # fmt: skip
        return expected, total

    def _maximize(self, expected: Floats, _total: float, *, removes: bool = True) -> "list[_Removed]":
        """Set the scores from expected counts and drop rare pieces; characters stay."""
        singles = self._live[: self._n_single]
        expected[: self._n_single][singles] = np.maximum(expected[: self._n_single][singles], _RARE)
        rare = np.flatnonzero(self._live & (expected < _RARE))
        counts = np.maximum(expected, 1e-300)
        total = float(expected[self._live].sum())
        logarithm = np.log if self.is_minimal else digamma
        scores = logarithm(np.maximum(counts, 1e-3)) - logarithm(np.array([total]))[0]
        is_set = self._live & (expected >= _RARE)
        self._scores[is_set] = scores[is_set] - self._cost
        if not removes or self.is_minimal:
            return []
        return [self._remove(rare, np.zeros(len(expected)), expected.astype(np.int64), None)]

    def _remove(
        self, pieces: Longs, losses: Floats, used: Longs, parts: npt.NDArray[np.int32] | None
    ) -> "_Removed":
        self._live[pieces] = False
        self._scores[pieces] = -1e4
        self._kernel.keep_edges(self._first, self._stop, self._edges, self._live)
        replaced_by = np.full((len(pieces), 1), -1, np.int32) if parts is None else parts[pieces]
        return _Removed(pieces, used[pieces], losses[pieces], replaced_by)

    def _count_best(self, counts: Longs) -> Longs:
        used = np.zeros(len(self._scores), np.int64)
        self._kernel.count_best(
            self._first, self._stop, self._edges, self._sizes, self._scores, self._starts, counts, used
        )
        return used

    def _loss(self) -> tuple[Floats, Longs, npt.NDArray[np.int32]]:
        """Return for each piece its loss of likelihood if removed, its count, and its replacement."""
        if self._losses is not None and self._losses[0] == self.n_steps:
            return self._losses[1:]
        used = self._count_best(self._counts)
        places = np.where(self._live, self._places, -1)
        totals, parts = self._kernel.other_paths(
            self._first, self._stop, self._edges, self._sizes, self._scores, places
        )
        total = max(int(used.sum()), 1)
        n_parts = np.count_nonzero(parts >= 0, axis=1)
        with_it = np.log(np.maximum(used, 1)) - np.log(total)
        log_total = np.log(total + used * np.maximum(n_parts - 1, 0))
        each = np.log(np.maximum(used[parts] + used[:, None], 1)) - log_total[:, None]
        without = np.where(parts >= 0, each, 0.0).sum(axis=1)
        losses = used / max(int(self._counts.sum()), 1) * (with_it - without)
        losses[totals > self._scores] = 0.0  # its best path is split already
        self._losses = (self.n_steps, losses, used, parts)
        return losses, used, parts

    def _add_state(self) -> None:
        used = self._count_best(self._counts + self._held_out)
        n_unknown = int(np.dot(self._n_bytes_unknown, used[: self._n_single]))
        n_all = int(used.sum()) + n_unknown
        n_training = int(self._count_best(self._counts).sum()) if self._held_out.any() else n_all
        live = np.flatnonzero(self._live).astype(np.int32)
        self._states.append((live, self._scores[live].copy()))
        self._rows_of_curve.append((len(live) + self._n_fixed, n_training, n_all - n_training))
        scores = self._scores + self._cost
        total = self._kernel.add_expected(
            self._first, self._stop, self._edges, self._sizes, scores, self._starts, self._counts,
            np.zeros(len(scores)),
        )  # fmt: skip
        self._likelihoods.append(total / max(int(self._counts.sum()), 1))

    @cached_property
    def _n_bytes_unknown(self) -> Longs:
        """The further tokens of a character that is only in the held-out text: its bytes, or none."""
        n_bytes = [len(character.encode()) - 1 for character in sorted(set(self._text))]
        is_unknown = (self._single_counts == 0) & self._has_bytes
        return np.where(is_unknown, n_bytes, 0).astype(np.int64)

    def curve(self) -> Longs:
        """Return vocabulary size, tokens, and held-out tokens of each state."""
        return np.array(self._rows_of_curve, np.int64)

    def changes(self, first: int = 0, last: int | None = None) -> Sequence[Change]:
        """Return the tokens that the steps `first:last` removed."""
        last = self.n_steps if last is None else last
        return [change for step in range(first, last) for change in self._iter_changes(step)]

    def _iter_changes(self, step: int) -> Iterator[Change]:
        for removed in self._changes[step]:
            rows = zip(*(column.tolist() for column in removed), strict=True)
            for piece, count, loss, parts in rows:
                replaced_by = tuple(part for part in parts if part >= 0)
                yield Change(step, "removed", piece, self._raw_of(piece), replaced_by, count, loss)

    def candidates(self, n_candidates: int = 8) -> Sequence[Candidate]:
        """Return the pieces whose removal costs least."""
        if self._stopped:
            return []
        losses, used, _parts = self._loss()
        others = np.flatnonzero(self._live)
        others = others[others >= self._n_single]
        least = others[np.argsort(losses[others], kind="stable")[:n_candidates]].tolist()
        return [Candidate(self._raw_of(n), int(used[n]), float(losses[n])) for n in least]

    def token_bytes(self) -> Sequence[bytes]:
        """Return the bytes of each piece that ever existed."""
        return self._all_bytes

    @cached_property
    def _all_bytes(self) -> list[bytes]:
        return [self._raw_of(piece) for piece in range(len(self._sizes))]

    def _spelled(self, piece: int) -> str:
        if piece < self._n_single:
            return self._characters[piece]
        place = int(self._places[piece])
        return self._text[place : place + int(self._sizes[piece])]

    @cached_property
    def _characters(self) -> list[str]:
        return sorted(set(self._text))

    def _raw_of(self, piece: int) -> bytes:
        return self._spelled(piece).replace(SPACE, " ").encode()

    def cutter(self) -> BestPathCutter:
        """Return how a short text is cut: into the pieces with the best scores."""
        pieces = [self._spelled(piece).replace(SPACE, " ") for piece in range(len(self._sizes))]
        return BestPathCutter(self._pattern, pieces, tuple(self._states))

    def lines(self) -> Mapping[str, Floats]:
        """Return the mean log-likelihood of a pretoken at each state."""
        return {"log-likelihood": np.array(self._likelihoods)}

    def removals(self) -> Removals:
        """Return the pieces removed so far, and the tokens that the text has more than with all seeds."""
        first, last = self._rows_of_curve[0], self._rows_of_curve[-1]
        return Removals(first[0] - last[0], last[1] - first[1])

    def pieces(self) -> list[tuple[str, float]]:
        """Return the pieces learned so far with their scores, the best first."""
        live, scores = self._states[-1]
        best = np.argsort(-scores, kind="stable")
        return [(self._spelled(int(live[n])), float(scores[n])) for n in best]

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


def expected_counts(word: str, scores: Mapping[str, float]) -> dict[str, float]:
    """Return how often each piece is expected in a word over all ways to spell it: one E-step.

    >>> {piece: round(n, 2) for piece, n in expected_counts("ab", {"a": -1, "b": -1, "ab": -2}).items()}
    {'a': 0.5, 'ab': 0.5, 'b': 0.5}
    """
    spans = [(start, end) for start in range(len(word)) for end in range(start + 1, len(word) + 1)]
    spans = [(start, end) for start, end in spans if word[start:end] in scores]
    before, after = [1.0] + [0.0] * len(word), [0.0] * len(word) + [1.0]
    for start, end in spans:
        before[end] += before[start] * np.exp(scores[word[start:end]])
    for start, end in reversed(spans):
        after[start] += after[end] * np.exp(scores[word[start:end]])
    expected: dict[str, float] = {}
    for start, end in spans:
        piece = word[start:end]
        path = before[start] * np.exp(scores[piece]) * after[end] / before[-1]
        expected[piece] = expected.get(piece, 0.0) + float(path)
    return expected


def _n_characters(pool: npt.NDArray[np.uint8], starts: Longs) -> Longs:
    """Return the number of characters of each pretoken in UTF-8."""
    totals = np.concatenate([[0], np.cumsum(pool & 0xC0 != 0x80)])
    return np.diff(totals[starts]).astype(np.int64)


_BYTES = Option(
    "byte_fallback", "Bytes for unknown characters",
    "Adds 256 byte tokens, which spell characters that the text does not contain.", default=True,
)  # fmt: skip
_CODE: tuple[Callable[..., object], ...] = (expected_counts, best_path, digamma)

UNIGRAM = Algorithm(
    "unigram", "Unigram",
    "Begin with every frequent substring, and keep removing the pieces that the text needs least.",
    "Kudo 2018, arXiv 1804.10959; SentencePiece’s trainer",
    (
        Option("shrink", "Share kept by each pruning", "SentencePiece keeps 0.75.", 0.75, None, 0.5, 0.98),
        _BYTES,
    ),
    UnigramLearner,
    kernels=PIECES,
    code=_CODE,
    step="pruning",
    begins_with_bytes=False,
)  # fmt: skip

MINGRAM = Algorithm(
    "mingram", "MinGram",
    "Begin with the tokens of a larger BPE, spell each word with as few as possible, and prune once.",
    "arXiv 2606.27019",
    (
        Option("seeds", "Seeds", "BPE tokens for each token of the vocabulary.", 2.0, None, 1.1, 10.0),
        _BYTES,
    ),
    lambda texts, size, options: UnigramLearner(texts, size, {**options, "is_minimal": True}),
    kernels=PIECES,
    code=(best_path,),
    step="pruning",
    begins_with_bytes=False,
)  # fmt: skip
