"""CountingTogether: several compiled encoders count the same texts, and look up once what all of them cut."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from playground.corpora.compiled_encoder import CompiledEncoder, joined_parts
from playground.training.kernel.character_classes import character_classes
from playground.training.kernel.compiled import laid_out
from playground.training.kernel.pretoken_table import Longs
from playground.training.kernel.segment_counts import (
    MAX_TOGETHER,
    SEGMENTS_DONE,
    Lists,
    find_segments,
    new_lists,
    new_segment_rows,
)

#: Of the cache of what they cut alike: 32 MB. With 8 MB, 100 MB of English and code took a third longer.
N_LINES = 1 << 19


class CountingTogether:
    """Counts for any encoders, those together of which the scanners are given the same bytes.

    The cache has `n_lines` of two places, a power of two up to 2 ** 20.

    >>> from playground.catalog.registry import get_tokenizer
    >>> from playground.corpora.rank_recipes import recipe_of
    >>> recipes = [recipe_of(get_tokenizer(name)) for name in ("gpt2", "cl100k_base")]
    >>> encoders = [CompiledEncoder.of(recipe, {}) for recipe in recipes]
    >>> CountingTogether().count(dict(enumerate(encoders)), [b"def f():", b"    return 1"])
    {0: 8, 1: 7}
    """

    def __init__(self, *, n_lines: int = N_LINES) -> None:
        self._n_lines = n_lines
        self._groups: dict[tuple[int, ...], _Group] = {}

    def count(self, encoders: Mapping[int, CompiledEncoder], raws: Sequence[bytes]) -> dict[int, int]:
        """How many ids the texts have for those that can count together; a number is always the same one."""
        alike = [number for number, encoder in encoders.items() if encoder.is_given(raws)]
        counted: dict[int, int] = {}
        for start in range(0, len(alike), MAX_TOGETHER):
            numbers = tuple(alike[start : start + MAX_TOGETHER])
            if len(numbers) > 1:
                # A count that breaks off leaves segments that wait for theirs: its group does not come back.
                group = self._groups.pop(numbers, None)
                if group is None:
                    group = _Group([encoders[number] for number in numbers], self._n_lines)
                counted |= zip(numbers, group.count(raws), strict=True)
                self._groups[numbers] = group
        return counted


class _Group:
    """Two to MAX_TOGETHER encoders, whose own tables it uses."""

    def __init__(self, encoders: Sequence[CompiledEncoder], n_lines: int) -> None:
        scanners = sorted({encoder.scanner for encoder in encoders})
        self._lists = new_lists(len(scanners))
        rows, numbers = new_segment_rows(n_lines), np.array(scanners, np.int64)
        self._fixed = laid_out(rows), laid_out(self._lists), laid_out(numbers)
        self._members = [_Member.of(encoder, self._lists, scanners) for encoder in encoders]
        self._segments = laid_out(self._lists.segments)

    def count(self, raws: Sequence[bytes]) -> list[int]:
        joined, parts = joined_parts(raws)
        text = np.frombuffer(joined, np.uint8)
        progress, totals = np.zeros(2 + MAX_TOGETHER, np.int64), np.zeros(MAX_TOGETHER, np.int64)
        while True:
            ended = find_segments(*self._fixed, text, parts, progress, totals, character_classes())
            for lane, member in enumerate(self._members):
                n_listed = int(self._lists.n_pretokens[member.scanner])
                totals[lane] += member.encoder.count_listed(
                    text, parts, member.listed, n_listed, self._segments, lane
                )
            if ended == SEGMENTS_DONE and not self._lists.n_pretokens.any():
                return [int(n_ids) for n_ids in totals[: len(self._members)]]


class _Member(NamedTuple):
    encoder: CompiledEncoder
    scanner: int  # its place among those of all
    listed: Longs

    @classmethod
    def of(cls, encoder: CompiledEncoder, lists: Lists, scanners: Sequence[int]) -> "_Member":
        scanner = scanners.index(encoder.scanner)
        return cls(encoder, scanner, laid_out(lists.pretokens[scanner]))
