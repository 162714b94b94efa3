"""Skip-gram embeddings: a row for each token of a vocabulary, before and after training on a text."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from playground.training.warm_up import TRAINER, compile_once

N_DIMS, N_WINDOW, N_NEGATIVES, RATE = 32, 2, 3, 0.05
_N_NOISE, _NOISE_POWER, _SEED = 65_536, 0.75, 1


@dataclass(frozen=True, eq=False)
class Embeddings:
    """The rows before and after training, and the number of times each token was read."""

    start: NDArray[np.float32]
    rows: NDArray[np.float32]
    counts: NDArray[np.int64]

    def moved(self) -> Any:
        """Return the distance that each row moved; exactly 0 for tokens that were never read."""
        return np.linalg.norm(self.rows - self.start, axis=1)

    def nearest(self, token_id: int, n: int) -> list[int]:
        """Return the rows with the highest cosine to a row, without the row itself."""
        lengths = np.linalg.norm(self.rows, axis=1)
        cosines = self.rows @ self.rows[token_id] / (lengths * lengths[token_id])
        cosines[token_id] = -np.inf
        best: list[int] = np.argsort(-cosines, kind="stable")[:n].tolist()
        return best


def learn_embeddings(ids: Any, n_vocab: int) -> Embeddings:
    """Train from random rows on one pass over the ids.

    >>> learned = learn_embeddings([0, 1, 0, 1, 0, 1], n_vocab=3)
    >>> (learned.moved() > 0).tolist()
    [True, True, False]
    """
    compile_once(TRAINER)
    return _learn(np.asarray(ids, np.int64), n_vocab)


def use_skip_gram() -> None:
    """Train on a few ids, which compiles the kernels."""
    _learn(np.arange(3), 3)


def _learn(ids: NDArray[np.int64], n_vocab: int) -> Embeddings:
    from playground.training.kernel.skip_gram import skip_gram_pass  # loads Numba

    counts = np.bincount(ids, minlength=n_vocab)
    weights = np.cumsum(counts**_NOISE_POWER)
    drawn = (np.arange(_N_NOISE) + 0.5) / _N_NOISE * weights[-1]
    noise = np.searchsorted(weights, drawn).astype(np.int64)
    # Output vectors are random, too: from zeros, a token read once near the start would hardly move.
    both = np.random.default_rng(_SEED).normal(0, 1 / N_DIMS, (2, n_vocab, N_DIMS)).astype(np.float32)
    start, contexts = both
    rows = start.copy()
    skip_gram_pass(ids, rows, contexts, noise, N_WINDOW, N_NEGATIVES, RATE, _SEED)
    return Embeddings(start, rows, counts)
