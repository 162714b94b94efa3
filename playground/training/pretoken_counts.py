"""Distinct pretokens of a corpus and how often each occurs: all that training needs to know of a text.

Time grows with the text, memory only with what is distinct: texts are counted in blocks. Merging
is `training.trainer`'s business.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt

from playground.bpe.safe_cuts import SafeCuts, iter_safe_blocks, safe_cut_of
from playground.bpe.split_pattern import SplitPattern
from playground.bpe.typed_patterns import find_spans
from playground.core.tokenizer import utf8_of
from playground.training.kernel.character_classes import character_classes
from playground.training.kernel.compiled import laid_out
from playground.training.kernel.pretoken_table import (
    COUNT,
    COUNT_BITS,
    N_BYTES,
    N_PRETOKENS,
    PAD,
    Table,
    absorb,
    counts_of,
    find_pretokens,
    new_table,
    tally_pretokens,
    with_room,
    words_of,
)
from playground.training.kernel.scanners import SCANNERS
from playground.training.shared_iterator import SharedIterator

BLOCK_BYTES = 1 << 18
_WHOLE_TEXT = -1
#: Moved by one call, which holds the interpreter: 0.5 s for a pretoken of 20 MB. Where each byte comes from
#: takes sixteen times the space of the byte.
_BYTES_AT_ONCE = 1 << 15

Bytes = npt.NDArray[np.uint8]
Longs = npt.NDArray[np.int64]


@dataclass(frozen=True)
class PretokenCounts:
    """Distinct pretokens, first seen first; number i is `pool[starts[i] : starts[i + 1]]`."""

    pool: Bytes
    starts: Longs
    counts: Longs
    n_bytes: int
    n_unmatched_bytes: int = 0

    def __len__(self) -> int:
        return len(self.counts)

    def pretoken(self, number: int) -> bytes:
        """The bytes of one pretoken."""
        return self.pool[self.starts[number] : self.starts[number + 1]].tobytes()

    def items(self) -> Iterator[tuple[bytes, int]]:
        """Each pretoken with its count, first seen first."""
        for number in range(len(self)):
            yield self.pretoken(number), int(self.counts[number])


class PretokenCounter:
    """Counts the pretokens of texts that arrive one after another; each text begins anew.

    >>> counter = PretokenCounter(SplitPattern.named("gpt2"))
    >>> counter.add("to be or not to be")
    >>> list(counter.result().items())
    [(b'to', 1), (b' be', 2), (b' or', 1), (b' not', 1), (b' to', 1)]
    """

    def __init__(self, pattern: SplitPattern) -> None:
        self._pattern = pattern
        self._scanner = _WHOLE_TEXT if pattern.is_none else SCANNERS.get(pattern.name)
        self._classes = laid_out(character_classes())
        self._use_table(new_table())
        self._use_space(PAD)
        self._n_bytes = 0
        self._n_unmatched = 0
        self._waiting: list[tuple[bytes, Longs]] = []  # texts that stand side by side, and their pieces
        self._n_waiting = self._waiting_offset = 0

    @property
    def n_pretokens(self) -> int:
        """How many distinct ones there are so far."""
        self._count_waiting()
        return int(self._table.used[N_PRETOKENS])

    def add(self, text: str) -> None:
        """Count a text. Raises InvalidInputError where a typed pattern matches nothing or never ends."""
        self.add_utf8(utf8_of(text), offset=self._n_bytes + self._n_waiting)

    def add_utf8(self, raw: bytes, *, offset: int) -> None:
        """Count a text that is UTF-8 already and begins `offset` bytes into the corpus."""
        if self._scanner is not None:
            self._count(raw, offset=offset, scanner=self._scanner)
            return
        starts, n_unmatched = _typed_starts(raw, self._pattern.expression)
        self._n_unmatched += n_unmatched
        if self._n_waiting >= BLOCK_BYTES or offset != self._waiting_offset + self._n_waiting:
            self._count_waiting()
        if not self._waiting:
            self._waiting_offset = offset
        self._waiting.append((raw, starts[:-1] + self._n_waiting))
        self._n_waiting += len(raw)

    def absorb(self, other: "PretokenCounter") -> None:
        """Add what another counter has counted in the same corpus."""
        self._count_waiting()
        other._count_waiting()
        done = 0
        while (done := absorb(self._table, other._table, done)) < len(other._table.rows):
            self._use_table(with_room(self._table, n_more_bytes=int(other._table.used[N_BYTES])))
        self._n_bytes += other._n_bytes
        self._n_unmatched += other._n_unmatched

    def result(self) -> PretokenCounts:
        """The distinct pretokens so far, first seen first."""
        self._count_waiting()
        table = self._table
        n_pretokens = int(table.used[N_PRETOKENS])
        order = np.argsort(table.first_seen[:n_pretokens], kind="stable")
        pool, starts = _in_order(table.pool, table.starts[: n_pretokens + 1], order)
        return PretokenCounts(pool, starts, counts_of(table)[order], self._n_bytes, self._n_unmatched)

    def _count(self, raw: bytes, *, offset: int, scanner: int) -> None:
        n_bytes = len(raw)
        self._take(raw)
        position = 0
        room = 1 << 16
        while True:
            stopped = tally_pretokens(
                self._laid_table, *self._laid_space, position, n_bytes, offset, self._classes, scanner
            )
            if stopped >= n_bytes:
                return
            room = room * 4 if stopped == position else 1 << 16  # the next pretoken may be longer still
            position = stopped
            self._use_table(with_room(self._table, n_more_bytes=room))

    def _count_waiting(self) -> None:
        """Count the texts that wait, for each count goes through the whole table."""
        if not self._waiting:
            return
        raw = b"".join(raw for raw, _ in self._waiting)
        starts = np.concatenate([*(starts for _, starts in self._waiting), [len(raw)]])
        self._waiting, self._n_waiting = [], 0
        self._count_pieces(raw, starts, offset=self._waiting_offset)

    def _count_pieces(self, raw: bytes, starts: Longs, *, offset: int) -> None:
        """Count pieces that are cut already; they stand one after the other, and none is empty."""
        self._take(raw)
        n_before = self.n_pretokens
        numbers = np.empty(len(starts) - 1, np.int64)
        done = 0
        while (done := find_pretokens(self._laid_table, *self._laid_space, starts, done, numbers)) < len(
            numbers
        ):
            room = (1 << 16) + int(starts[done + 1] - starts[done])
            self._use_table(with_room(self._table, n_more_bytes=room))
        counts = np.bincount(numbers, minlength=self.n_pretokens)
        counts[n_before:] -= 1  # what is new has its first count
        rows = self._table.rows
        taken = rows[:, COUNT] > 0
        rows[taken, COUNT] += counts[(rows[taken, COUNT] >> COUNT_BITS).astype(np.int64)].astype(np.uint64)
        # Of places with the same number the first is written last, and stays.
        is_new = numbers[::-1] >= n_before
        self._table.first_seen[numbers[::-1][is_new]] = offset + starts[-2::-1][is_new]

    def _take(self, raw: bytes) -> None:
        """Have these bytes in hand from now on, and zeros behind."""
        n_bytes = len(raw)
        if len(self._text) < n_bytes + PAD:
            self._use_space(n_bytes + n_bytes // 8 + PAD)
        self._text[:n_bytes] = np.frombuffer(raw, np.uint8)
        self._text[n_bytes : n_bytes + PAD] = 0
        self._n_bytes += n_bytes

    def _use_table(self, table: Table) -> None:
        """Of short texts, to lay it out for each took longer than to count them."""
        self._table, self._laid_table = table, laid_out(table)

    def _use_space(self, n_bytes: int) -> None:
        """For the bytes in hand, also seen as eight bytes at each place."""
        self._text = np.empty(n_bytes, np.uint8)
        self._laid_space = laid_out(self._text), laid_out(words_of(self._text))


def _typed_starts(raw: bytes, expression: str) -> tuple[Longs, int]:
    """Where the pieces of a UTF-8 text begin, and its end; and how many bytes no alternative matches.

    Both are in bytes. What stands between two matches is one piece.

    >>> starts, n_unmatched = _typed_starts("é-b".encode(), r"\\w")
    >>> starts.tolist(), n_unmatched
    ([0, 2, 3, 4], 1)
    """
    text = raw.decode()
    spans: Longs = np.frombuffer(find_spans(expression, text), np.int64)
    if len(text) != len(raw):  # spans are in characters
        is_first = np.frombuffer(raw, np.uint8) & 0xC0 != 0x80
        spans = np.append(np.flatnonzero(is_first), len(raw))[spans]
    n_matched = int((spans[1::2] - spans[::2]).sum())
    return np.unique(np.concatenate([[0], spans, [len(raw)]])), len(raw) - n_matched


def count_pretokens(
    texts: Iterable[Iterable[str]], pattern: SplitPattern, *, n_threads: int = 1
) -> PretokenCounts:
    """Count the pretokens of texts, which may come in pieces; none reaches from one text into the next.

    >>> list(count_pretokens(["aa", "aab"], SplitPattern.named("none")).items())
    [(b'aa', 1), (b'aab', 1)]
    >>> list(count_pretokens([["a", "aa"], "aab"], SplitPattern.named("none")).items())
    [(b'aaa', 1), (b'aab', 1)]
    """
    blocks = _iter_blocks(texts, SafeCuts(safe_cut_of(pattern.name)))
    return count_blocks(blocks, pattern, n_threads=n_threads)


def count_blocks(
    blocks: Iterable[tuple[int, Sequence[bytes]]],
    pattern: SplitPattern,
    *,
    n_threads: int,
    on_block: Callable[[int], None] = lambda _n_pretokens: None,
) -> PretokenCounts:
    """Count blocks: where in the corpus each begins, and its texts as UTF-8.

    Threads take turns at the iterator and count side by side; a typed pattern has one. `on_block` is told how
    many distinct pretokens a thread has; it may raise.
    """
    of_one_part = ((0, offset, raws) for offset, raws in blocks)
    return count_parts(of_one_part, 1, pattern, n_threads=n_threads, on_block=on_block)[0]


def count_parts(
    blocks: Iterable[tuple[int, int, Sequence[bytes]]],
    n_parts: int,
    pattern: SplitPattern,
    *,
    n_threads: int,
    on_block: Callable[[int], None] = lambda _n_pretokens: None,
) -> list[PretokenCounts]:
    """`count_blocks` of a corpus in parts, such as training and held-out: each block begins with its part."""
    shared = SharedIterator(iter(blocks))

    def work() -> list[PretokenCounter]:
        counters = [PretokenCounter(pattern) for _ in range(n_parts)]
        for part, offset, raws in shared:
            for raw in raws:
                counters[part].add_utf8(raw, offset=offset)
                offset += len(raw)
            on_block(sum(counter.n_pretokens for counter in counters))
        return counters

    if n_threads == 1 or not pattern.is_known:
        return [counter.result() for counter in work()]
    with ThreadPoolExecutor(n_threads) as pool:
        futures = [pool.submit(work) for _ in range(n_threads)]
        try:
            of_threads = [future.result() for future in futures]
        finally:
            shared.stop()
    totals = of_threads.pop()
    while of_threads:
        for total, counter in zip(totals, of_threads.pop(), strict=True):
            total.absorb(counter)
    return [total.result() for total in totals]


def _iter_blocks(texts: Iterable[Iterable[str]], cuts: SafeCuts) -> Iterator[tuple[int, list[bytes]]]:
    offset = n_bytes = 0
    together: list[bytes] = []
    for block in chain.from_iterable(_iter_parts(text, cuts) for text in texts):
        together.append(utf8_of(block))
        n_bytes += len(together[-1])
        if n_bytes >= BLOCK_BYTES:
            yield offset, together
            offset, n_bytes, together = offset + n_bytes, 0, []
    yield offset, together


def _iter_parts(text: Iterable[str], cuts: SafeCuts) -> Iterator[str]:
    """A text in blocks; one of a few words is one, for to cut it took as long as to count it."""
    pieces = _iter_pieces(text) if isinstance(text, str) else iter(text)
    first, second = next(pieces, ""), next(pieces, None)
    if second is not None:
        yield from iter_safe_blocks(chain([first, second], pieces), cuts)
    elif first:
        yield first


def _iter_pieces(text: str) -> Iterator[str]:
    for start in range(0, len(text), BLOCK_BYTES):
        yield text[start : start + BLOCK_BYTES]


def _in_order(pool: Bytes, starts: Longs, order: Longs) -> tuple[Bytes, Longs]:
    """The pretokens of a pool put in the given order, and where each then starts."""
    lengths = np.diff(starts)[order]
    new_starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    new_pool = np.empty(new_starts[-1], np.uint8)
    first = 0
    while first < len(order):
        until = new_starts[first] + _BYTES_AT_ONCE
        last = max(int(np.searchsorted(new_starts, until, side="right")) - 1, first + 1)
        new = slice(new_starts[first], new_starts[last])
        if last == first + 1:  # perhaps a long one
            new_pool[new] = pool[starts[order[first]] : starts[order[first] + 1]]
        else:
            moves = np.repeat(starts[order[first:last]] - new_starts[first:last], lengths[first:last])
            new_pool[new] = pool[np.arange(new.start, new.stop) + moves]
        first = last
    return new_pool, new_starts
