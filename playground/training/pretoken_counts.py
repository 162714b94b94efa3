"""Distinct pretokens of a corpus and their counts, which is all that training needs of a text.

`count_pretokens` counts texts, `PretokenCounter` texts that arrive one after another, and `merge_counts`
joins the counts of parts of a corpus. Memory grows only with the number of distinct pretokens.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

import regex

from playground.bpe.character_categories import with_stand_ins
from playground.bpe.safe_cuts import SafeCuts, iter_safe_blocks, safe_cut_of
from playground.bpe.split_pattern import SplitPattern, iter_pretokens
from playground.core.tokenizer import replace_lone_surrogates

BLOCK_CHARACTERS = 1 << 18
#: Distinct chunks that are kept before their pretokens are counted.
_MAX_CHUNKS = 200_000
#: White space of Unicode, as the split patterns have it; Python's own \s has four control characters more.
_SPACE = r"\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_VISIBLE = rf"[{_SPACE}]*[^{_SPACE}]+"
#: Chunks that no pretoken of a pattern crosses: white space with the visible characters behind it, and except
#: for GPT-2's pattern the line ends behind these, or all white space at the end of the text. In a pretoken of
#: o200k a slash may follow line ends.
_CHUNKS = {
    "gpt2": rf"{_VISIBLE}|[{_SPACE}]+",
    **dict.fromkeys(
        ("cl100k", "o200k", "llama3"),
        rf"{_VISIBLE}(?:[{_SPACE}]*[\r\n]/[^{_SPACE}]*)*(?:[{_SPACE}]+\Z|[{_SPACE}]*[\r\n])?|[{_SPACE}]+",
    ),
}


@dataclass(frozen=True, slots=True)
class PretokenCounts:
    """Distinct pretokens with their counts, first seen first."""

    counts: Mapping[bytes, int] = field(hash=False)
    n_bytes: int
    n_unmatched_bytes: int = 0

    def __len__(self) -> int:
        return len(self.counts)

    def items(self) -> Iterable[tuple[bytes, int]]:
        """Return each pretoken with its count."""
        return self.counts.items()


class PretokenCounter:
    """Counts the pretokens of texts that arrive one after another; no pretoken spans two texts.

    >>> counter = PretokenCounter(SplitPattern.named("gpt2"))
    >>> counter.add("to be or not to be")
    >>> list(counter.result().items())
    [(b'to', 1), (b' be', 2), (b' or', 1), (b' not', 1), (b' to', 1)]
    """

    def __init__(self, pattern: SplitPattern) -> None:
        self._pattern = pattern
        self._counts: dict[str, int] = {}
        self._chunks = Counter[str]()  # their pretokens are not counted yet
        self._n_bytes = self._n_unmatched = 0

    @property
    def n_pretokens(self) -> int:
        """Number of distinct pretokens so far."""
        self._count_chunks()
        return len(self._counts)

    def add(self, text: str) -> None:
        """Count a text. Raises InvalidInputError for a typed pattern that takes too long."""
        text = replace_lone_surrogates(text)
        self._n_bytes += len(text) if text.isascii() else len(text.encode())
        chunks = _CHUNKS.get(self._pattern.name)
        if chunks is not None and (text.isascii() or with_stand_ins(text) == text):
            # Most chunks occur often, and the costly pattern cuts each distinct one once.
            self._chunks.update(re.findall(chunks, text))
            if len(self._chunks) > _MAX_CHUNKS:
                self._count_chunks()
            return
        self._count_chunks()
        for pretoken, is_match in iter_pretokens(text, self._pattern):
            self._counts[pretoken] = self._counts.get(pretoken, 0) + 1
            self._n_unmatched += 0 if is_match else len(pretoken.encode())

    def add_counts(self, other: PretokenCounts) -> None:
        """Add the counts of the text that follows."""
        self._count_chunks()
        for raw, count in other.items():
            pretoken = raw.decode()
            self._counts[pretoken] = self._counts.get(pretoken, 0) + count
        self._n_bytes += other.n_bytes
        self._n_unmatched += other.n_unmatched_bytes

    def result(self) -> PretokenCounts:
        """Return the counts so far."""
        self._count_chunks()
        counts = {pretoken.encode(): count for pretoken, count in self._counts.items()}
        return PretokenCounts(counts, self._n_bytes, self._n_unmatched)

    def _count_chunks(self) -> None:
        counts, find = self._counts, regex.compile(self._pattern.expression).findall
        for chunk, n in self._chunks.items():
            for pretoken in find(chunk):
                counts[pretoken] = counts.get(pretoken, 0) + n
        self._chunks.clear()


def count_pretokens(texts: Iterable[Iterable[str]], pattern: SplitPattern) -> PretokenCounts:
    """Count the pretokens of texts, each of which may come in pieces; no pretoken spans two texts.

    >>> list(count_pretokens(["aa", "aab"], SplitPattern.named("none")).items())
    [(b'aa', 1), (b'aab', 1)]
    >>> list(count_pretokens([["a", "aa"], "aab"], SplitPattern.named("none")).items())
    [(b'aaa', 1), (b'aab', 1)]
    """
    counter, cuts = PretokenCounter(pattern), SafeCuts(safe_cut_of(pattern.name))
    for text in texts:
        for block in _iter_parts(text, cuts):
            counter.add(block)
    return counter.result()


def _iter_parts(text: Iterable[str], cuts: SafeCuts) -> Iterator[str]:
    """Yield a text in blocks that end at safe cuts; a text of one piece is one block."""
    pieces = _iter_pieces(text) if isinstance(text, str) else iter(text)
    first, second = next(pieces, ""), next(pieces, None)
    if second is not None:
        yield from iter_safe_blocks(chain([first, second], pieces), cuts)
    elif first:
        yield first


def _iter_pieces(text: str) -> Iterator[str]:
    for start in range(0, len(text), BLOCK_CHARACTERS):
        yield text[start : start + BLOCK_CHARACTERS]


def merge_counts(
    tables: Sequence[PretokenCounts], *, on_table: Callable[[int], None] = lambda _n_pretokens: None
) -> PretokenCounts:
    """Return the counts of a corpus from those of its parts, which are in the order of the corpus.

    The result does not depend on how the corpus is divided. `on_table` is called with the number of distinct
    pretokens so far, and may raise.

    >>> from playground.bpe.split_pattern import SplitPattern
    >>> parts = [count_pretokens([text], SplitPattern.named("gpt2")) for text in ("to be", "be or to")]
    >>> list(merge_counts(parts).items())
    [(b'to', 1), (b' be', 1), (b'be', 1), (b' or', 1), (b' to', 1)]
    """
    total: dict[bytes, int] = {}
    for table in tables:
        for pretoken, count in table.items():
            total[pretoken] = total.get(pretoken, 0) + count
        on_table(len(total))
    return PretokenCounts(
        total, sum(table.n_bytes for table in tables), sum(table.n_unmatched_bytes for table in tables)
    )
