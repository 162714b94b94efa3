"""Skip-gram with negative samples: one pass over a text, which moves the rows of its tokens."""

import math
from typing import Any

from playground.training.kernel.compiled import compiled
from playground.training.kernel.intrinsics import borrowed


@compiled
def skip_gram_pass(
    ids: Any, rows: Any, contexts: Any, noise: Any, n_window: int, n_negatives: int, rate: float, seed: int
) -> None:
    """Move each token's row towards its contexts, and away from contexts that are drawn from `noise`.

    The learning rate falls to a tenth within the pass.
    """
    ids, rows, contexts, noise = borrowed((ids, rows, contexts, noise))
    n_ids, n_dims, state = len(ids), rows.shape[1], seed
    for at in range(n_ids):
        row = ids[at]
        step = rate * (1.0 - 0.9 * at / n_ids)
        for place in range(max(0, at - n_window), min(n_ids, at + n_window + 1)):
            if place == at:
                continue
            for n in range(n_negatives + 1):
                target, label = ids[place], 1.0
                if n > 0:
                    state = (state * 1_103_515_245 + 12_345) & 0x7FFFFFFF
                    target, label = noise[(state >> 8) % len(noise)], 0.0
                    if target == ids[place]:
                        continue
                dot = 0.0
                for k in range(n_dims):
                    dot += rows[row, k] * contexts[target, k]
                pull = step * (label - 1.0 / (1.0 + math.exp(-dot)))
                for k in range(n_dims):
                    before = rows[row, k]
                    rows[row, k] += pull * contexts[target, k]
                    contexts[target, k] += pull * before
