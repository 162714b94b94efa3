"""Embeddings learned by skip-gram: a row for each token of a vocabulary, before and after a text is read."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from playground.training.warm_up import TRAINER, compile_once

N_DIMS, N_WINDOW, N_NEGATIVES, RATE = 32, 2, 3, 0.05
_N_NOISE, _NOISE_POWER, _SEED = 65_536, 0.75, 1


@dataclass(frozen=True, eq=False)
class Embeddings:
    """Rows at the start and in the end, and how often each token was read."""

    start: NDArray[np.float32]
    rows: NDArray[np.float32]
    counts: NDArray[np.int64]

    def moved(self) -> Any:
        """How far each row came; exactly 0 where its token was never read."""
        return np.linalg.norm(self.rows - self.start, axis=1)

    def nearest(self, token_id: int, n: int) -> list[int]:
        """The rows of the highest cosine with a row, itself aside."""
        lengths = np.linalg.norm(self.rows, axis=1)
        cosines = self.rows @ self.rows[token_id] / (lengths * lengths[token_id])
        cosines[token_id] = -np.inf
        best: list[int] = np.argsort(-cosines, kind="stable")[:n].tolist()
        return best


def learn_embeddings(ids: Any, n_vocab: int) -> Embeddings:
    """Start from random rows and read the ids once.

    >>> learned = learn_embeddings([0, 1, 0, 1, 0, 1], n_vocab=3)
    >>> (learned.moved() > 0).tolist()
    [True, True, False]
    """
    compile_once(TRAINER)
    return _learn(np.asarray(ids, np.int64), n_vocab)


def use_skip_gram() -> None:
    """Learn a little."""
    _learn(np.arange(3), 3)


def _learn(ids: NDArray[np.int64], n_vocab: int) -> Embeddings:
    from playground.training.kernel.skip_gram import skip_gram_pass  # only here: it loads Numba

    counts = np.bincount(ids, minlength=n_vocab)
    weights = np.cumsum(counts**_NOISE_POWER)
    drawn = (np.arange(_N_NOISE) + 0.5) / _N_NOISE * weights[-1]
    noise = np.searchsorted(weights, drawn).astype(np.int64)
    # Contexts are random too: from zeros, a token that is read once at the beginning would hardly move.
    both = np.random.default_rng(_SEED).normal(0, 1 / N_DIMS, (2, n_vocab, N_DIMS)).astype(np.float32)
    start, contexts = both
    rows = start.copy()
    skip_gram_pass(ids, rows, contexts, noise, N_WINDOW, N_NEGATIVES, RATE, _SEED)
    return Embeddings(start, rows, counts)
