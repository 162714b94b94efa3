"""Which tokens of a vocabulary are merged of which: the first merges of all, and the parents of one token."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from playground.analysis.vocabulary.index import VocabularyIndex
from playground.core.building import MergeRule


class TokenMerge(NamedTuple):
    """A token of the vocabulary, and what it was merged from."""

    rank: int
    raw: bytes
    parts: tuple[bytes, ...]


def is_merged(index: VocabularyIndex) -> NDArray[np.bool_]:
    """For each position whether its token is made by a merge: it has a rank, and is no single byte."""
    return (index.n_bytes > 1) & (index.ranks >= 0)


def first_merges(index: VocabularyIndex, merges: MergeRule[Any], n_merges: int) -> list[TokenMerge]:
    """The first tokens that are not single bytes, by rank.

    >>> from playground.catalog.registry import get_tokenizer
    >>> gpt2 = get_tokenizer("gpt2")
    >>> first_merges(VocabularyIndex(gpt2.vocabulary, special_ids={50256}), gpt2.merges, 1)
    [TokenMerge(rank=256, raw=b' t', parts=(b' ', b't'))]
    """
    found = []
    for position in np.flatnonzero(is_merged(index))[:n_merges].tolist():
        parts = merges.parts_of(int(index.ids[position]))
        raws = tuple(map(index.vocabulary.raw_of, parts))
        found.append(TokenMerge(int(index.ranks[position]), index.raws[position], raws))
    return found


def parents_of(index: VocabularyIndex, merges: MergeRule[Any], token_id: int) -> list[int]:
    """Positions of the tokens that are merged from this one and another, by rank. Raises UnknownTokenError.

    >>> from playground.catalog.registry import get_tokenizer
    >>> gpt2 = get_tokenizer("gpt2")
    >>> index = VocabularyIndex(gpt2.vocabulary, special_ids={50256})
    >>> [index.raws[position] for position in parents_of(index, gpt2.merges, 262)][:3]
    [b' they', b' their', b' them']
    """
    raw = index.vocabulary.raw_of(token_id)
    # Both parts have lower ranks: few tokens are left of which the merges must be recovered.
    candidates = [
        position
        for position in index.starting_or_ending_with(raw).tolist()
        if any(
            merges.rank_of(other) < index.ranks[position]
            for rest in _rests(index.raws[position], raw)
            for other in index.vocabulary.ids_of(rest)
            if other not in index.special_ids
        )
    ]
    return [position for position in candidates if token_id in merges.parts_of(int(index.ids[position]))]


def _rests(raw: bytes, part: bytes) -> Iterator[bytes]:
    """Yield what a token has beside a part at its start or its end."""
    if len(part) < len(raw):
        if raw.startswith(part):
            yield raw[len(part) :]
        if raw.endswith(part):
            yield raw[: -len(part)]
