"""Merge: one step of BPE training.

`training.trainer` chooses merges; `core.building` builds the tree of a token's merges.
"""

from typing import NamedTuple


class Merge(NamedTuple):
    """A pair of neighbouring tokens that became a new token.

    `rank` counts merges from 0. `pair_count` is the number of times the pair occurred in the training text
    before the merge, overlaps included: "aaa" counts two pairs and merges one. `n_tokens` and
    `n_held_out_tokens` are the tokens of the training and held-out text after the merge (0 without held-out
    text).

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


#: The rule for pairs with equal counts, as numbers for compiled code.
FIRST_SEEN, LOWEST_PAIR, HUGGING_FACE = 0, 1, 2

TIE_RULES = {
    "first-seen": FIRST_SEEN,  # the pair that occurs first in the text: karpathy/minbpe
    "lowest-pair": LOWEST_PAIR,  # the pair with the lowest ids: rustbpe
    "hugging-face": HUGGING_FACE,  # the lowest ids in GPT-2's byte order; equal spellings share an id
}
