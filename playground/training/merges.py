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


#: Which of several pairs with the same count is merged first, as numbers for compiled code.
FIRST_SEEN, LOWEST_PAIR, HUGGING_FACE = 0, 1, 2

TIE_RULES = {
    "first-seen": FIRST_SEEN,  # the one that stands first in the text: karpathy/minbpe
    "lowest-pair": LOWEST_PAIR,  # the one with the lowest ids: rustbpe
    "hugging-face": HUGGING_FACE,  # the same in GPT-2's byte order; equal spellings would share an id
}
