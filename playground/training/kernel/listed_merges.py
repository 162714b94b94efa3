"""Which of the listed pairs makes each token, if neighbours merge by rank; for `corpora.file_ranks`."""

import numpy as np

from playground.training.kernel.compiled import compiled, inlined
from playground.training.kernel.memory_pages import zero_pages
from playground.training.kernel.pretoken_table import Longs, Words
from playground.training.kernel.rank_table import NO_RANK, hash_of

LEFT, RIGHT, JOINED = 0, 1, 2  # columns of listed pairs
_NO_PART = -1
_PAIR_BITS = np.uint64(32)
_ZERO, _ONE = np.uint64(0), np.uint64(1)


def find_parts(pairs: Longs, n_bytes: int, n_tokens: int) -> Longs:
    """Return the two parts of each token, shape (tokens, 2); -1 for a token that no listed pair makes.

    A pair makes a token if the token's bytes, merged with lower ranks only, become these two parts. `pairs`
    has the ranks of both parts and of the joined token, in the order of the latter; a part without a rank is
    -1. The ranks below `n_bytes` are single bytes.

    >>> find_parts(np.array([[0, 1, 2], [0, 2, 3], [2, 1, 3]]), 2, 4).tolist()  # b"ab", b"aab"
    [[-1, -1], [-1, -1], [0, 1], [0, 2]]
    """
    parts = np.full((n_tokens, 2), _NO_PART, np.int64)
    n_bits = int(2 * n_tokens).bit_length()
    _find_parts(pairs, n_bytes, parts, zero_pages(1 << n_bits, np.uint64), 64 - n_bits)
    return parts


@compiled
def _find_parts(pairs: Longs, n_bytes: int, parts: Longs, rows: Words, shift: int) -> None:
    """Fill `parts`; `rows` holds the pairs found so far, in a hash table of key and rank."""
    ranks = np.zeros(len(rows), np.int64)
    for n in range(len(pairs)):
        left, right, joined = pairs[n, LEFT], pairs[n, RIGHT], pairs[n, JOINED]
        is_known = (0 <= left < n_bytes or parts[left, LEFT] >= 0) and (
            0 <= right < n_bytes or parts[right, LEFT] >= 0
        )
        if left < 0 or right < 0 or parts[joined, LEFT] >= 0 or not is_known:
            continue
        if _stay_apart(parts, rows, ranks, shift, left, right):
            parts[joined, LEFT], parts[joined, RIGHT] = left, right
            row = _row_of(rows, shift, left, right)
            rows[row], ranks[row] = _key_of(left, right), joined


@inlined
def _stay_apart(parts: Longs, rows: Words, ranks: Longs, shift: int, left: np.int64, right: np.int64) -> bool:
    """Whether merging the joined bytes of two tokens gives these two, as in `bpe.model`."""
    limit = np.int64(NO_RANK)
    while True:
        row = _row_of(rows, shift, left, right)
        if rows[row] != _ZERO and ranks[row] < limit:
            return False
        left_rank = left if parts[left, LEFT] >= 0 else np.int64(_NO_PART)
        right_rank = right if parts[right, LEFT] >= 0 else np.int64(_NO_PART)
        if left_rank > right_rank:
            limit, left = left_rank, parts[left, RIGHT]
        elif right_rank >= 0:
            limit, right = right_rank + 1, parts[right, LEFT]
        else:
            return True


@inlined
def _key_of(left: np.int64, right: np.int64) -> np.uint64:
    return (np.uint64(left) << _PAIR_BITS | np.uint64(right)) + _ONE


@inlined
def _row_of(rows: Words, shift: int, left: np.int64, right: np.int64) -> np.int64:
    """Return the row of a pair, or the free row where it would be."""
    key = _key_of(left, right)
    row = np.int64(hash_of(key) >> np.uint64(shift))
    while rows[row] != _ZERO and rows[row] != key:
        row = (row + 1) & (len(rows) - 1)
    return row


def use_find_parts() -> None:
    """Find the parts of one token, with the types of arguments that `corpora.file_ranks` passes."""
    find_parts(np.array([[0, 1, 2]]), 2, 3)
