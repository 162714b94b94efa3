"""Skip-gram embeddings: a row for each token of a vocabulary, before and after training on a text."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

N_DIMS, N_WINDOW, N_NEGATIVES, RATE = 32, 2, 3, 0.05
_N_NOISE, _NOISE_POWER, _SEED = 65_536, 0.75, 1
#: Places that are read at once, and how often a row may move for them: more would overshoot.
_BATCH, _MOST_TIMES = 256, 16


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
    ids = np.asarray(ids, np.int64)
    counts = np.bincount(ids, minlength=n_vocab)
    weights = np.cumsum(counts**_NOISE_POWER)
    drawn = (np.arange(_N_NOISE) + 0.5) / _N_NOISE * weights[-1]
    noise = np.searchsorted(weights, drawn).astype(np.int64)
    # Output vectors are random, too: from zeros, a token read once near the start would hardly move.
    both = np.random.default_rng(_SEED).normal(0, 1 / N_DIMS, (2, n_vocab, N_DIMS)).astype(np.float32)
    start, contexts = both
    rows = start.copy()
    skip_gram_pass(ids, rows, contexts, noise)
    return Embeddings(start, rows, counts)


def skip_gram_pass(ids: Any, rows: Any, contexts: Any, noise: Any) -> None:
    """Move each token's row towards its contexts, and away from contexts that are drawn from `noise`.

    After Mikolov et al. 2013, in small batches of places. The learning rate falls to a tenth within the pass.
    """
    draw = np.random.default_rng(_SEED)
    around = np.array([n for n in range(-N_WINDOW, N_WINDOW + 1) if n])
    labels = np.array([1.0] + N_NEGATIVES * [0.0], np.float32)
    for first in range(0, len(ids), _BATCH):
        step = RATE * (1 - 0.9 * first / len(ids))
        at = np.arange(first, min(first + _BATCH, len(ids)))
        places = at[:, None] + around
        near = ids[places % len(ids)]
        others = noise[draw.integers(len(noise), size=(*near.shape, N_NEGATIVES))]
        targets = np.concatenate([near[..., None], others], axis=2)
        is_other = (targets != near[..., None]) | (labels > 0)  # a token is no noise beside itself
        counts = ((places >= 0) & (places < len(ids)))[..., None] & is_other
        vectors, own = contexts[targets], rows[ids[at]]
        chances = 1 / (1 + np.exp(-np.einsum("bd,bnkd->bnk", own, vectors)))
        pulls = (step * (labels - chances) * counts).astype(np.float32)
        _add_rows(rows, ids[at], np.einsum("bnk,bnkd->bd", pulls, vectors))
        moves = pulls[..., None] * own[:, None, None, :]
        _add_rows(contexts, targets.ravel(), moves.reshape(-1, N_DIMS))


def _add_rows(matrix: Any, numbers: Any, rows: Any) -> None:
    """Add rows to the rows of a matrix; of a number that comes often, the mean counts as a few."""
    order = np.argsort(numbers, kind="stable")
    first = np.flatnonzero(np.diff(numbers[order], prepend=-1))
    n_times = np.diff(first, append=len(numbers))
    shares = np.minimum(1, _MOST_TIMES / n_times).astype(np.float32)
    matrix[numbers[order][first]] += shares[:, None] * np.add.reduceat(rows[order], first)
