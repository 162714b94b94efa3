"""Merge: one event of BPE training.

How a merge is chosen belongs to `training.trainer`; the tree of a token's merges to `core.building`.
"""

from typing import NamedTuple


class Merge(NamedTuple):
    """A pair of neighbouring tokens that became one new token.

    `rank` counts merges from 0. `pair_count` is how often the pair stood in the training text before the
    merge, overlaps included: "aaa" counts two pairs and merges one. `n_tokens` is what the training text
    has left after it, `n_held_out_tokens` what the held-out text has (0 where there is none).

    >>> Merge(rank=0, left=97, right=98, new_id=256, raw=b"ab", pair_count=4, n_tokens=7)
    Merge(rank=0, left=97, right=98, new_id=256, raw=b'ab', pair_count=4, n_tokens=7, n_held_out_tokens=0)
    """

    rank: int
    left: int
    right: int
    new_id: int
    raw: bytes
    pair_count: int
    n_tokens: int
    n_held_out_tokens: int = 0
