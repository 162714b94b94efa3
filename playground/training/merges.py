"""Merge: one step of BPE training.

`algorithms.bpe` chooses merges; `core.building` builds the tree of a token's merges.
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


#: The rules for pairs with equal counts, which `algorithms.bpe` explains.
TIE_RULES = ("first-seen", "lowest-pair", "hugging-face")
