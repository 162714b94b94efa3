"""Distinct pretokens of a corpus and their counts, which is all that training needs of a text.

`count_pretokens` counts texts, `PretokenCounter` texts that arrive one after another, and `merge_counts`
joins the counts of parts of a corpus. Memory grows only with the number of distinct pretokens.
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
from playground.core.errors import LimitExceededError
from playground.core.tokenizer import utf8_of
from playground.training.kernel.pretoken_table import (
    COUNT,
    COUNT_BITS,
    N_BYTES,
    N_PRETOKENS,
    PAD,
    absorb,
    counts_of,
    find_pretokens,
    new_table,
    tally_pretokens,
    with_room,
)
from playground.training.kernel.scanners import SCANNERS, character_classes
from playground.training.shared_iterator import SharedIterator

BLOCK_BYTES = 1 << 18
_WHOLE_TEXT = -1
#: Bytes that one NumPy call processes. A call blocks the interpreter and needs 16 bytes of memory for each
#: byte.
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
        """Return the bytes of a pretoken."""
        return self.pool[self.starts[number] : self.starts[number + 1]].tobytes()

    def items(self) -> Iterator[tuple[bytes, int]]:
        """Yield each pretoken with its count."""
        for number in range(len(self)):
            yield self.pretoken(number), int(self.counts[number])


class PretokenCounter:
    """Counts the pretokens of texts that arrive one after another; no pretoken spans two texts.

    >>> counter = PretokenCounter(SplitPattern.named("gpt2"))
    >>> counter.add("to be or not to be")
    >>> list(counter.result().items())
    [(b'to', 1), (b' be', 2), (b' or', 1), (b' not', 1), (b' to', 1)]
    """

    def __init__(self, pattern: SplitPattern) -> None:
        self._pattern = pattern
        self._scanner = _WHOLE_TEXT if pattern.is_none else SCANNERS.get(pattern.name)
        self._table = new_table()
        self._text = np.empty(PAD, np.uint8)
        self._n_bytes = 0
        self._n_unmatched = 0
        self._waiting: list[tuple[bytes, Longs]] = []  # consecutive texts, and their pieces
        self._n_waiting = self._waiting_offset = 0

    @property
    def n_pretokens(self) -> int:
        """Number of distinct pretokens so far."""
        self._count_waiting()
        return int(self._table.used[N_PRETOKENS])

    def add(self, text: str) -> None:
        """Count a text. Raises InvalidInputError for a typed pattern that takes too long."""
        self.add_utf8(utf8_of(text), offset=self._n_bytes + self._n_waiting)

    def add_utf8(self, raw: bytes, *, offset: int) -> None:
        """Count a text in UTF-8 that begins `offset` bytes into the corpus."""
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
        """Add the counts of another counter of the same corpus."""
        self._count_waiting()
        other._count_waiting()
        done = 0
        while (done := absorb(self._table, other._table, done)) < len(other._table.rows):
            self._table = with_room(self._table, n_more_bytes=int(other._table.used[N_BYTES]))
        self._n_bytes += other._n_bytes
        self._n_unmatched += other._n_unmatched

    def result(self) -> PretokenCounts:
        """Return the counts so far."""
        self._count_waiting()
        table = self._table
        n_pretokens = int(table.used[N_PRETOKENS])
        order = np.argsort(table.first_seen[:n_pretokens], kind="stable")
        pool, starts = _in_order(table.pool, table.starts[: n_pretokens + 1], order)
        return PretokenCounts(pool, starts, counts_of(table)[order], self._n_bytes, self._n_unmatched)

    def _count(self, raw: bytes, *, offset: int, scanner: int) -> None:
        n_bytes = len(raw)
        self._take(raw)
        classes = character_classes()
        position = 0
        room = 1 << 16
        while True:
            stopped = tally_pretokens(self._table, self._text, position, n_bytes, offset, classes, scanner)
            if stopped >= n_bytes:
                return
            room = room * 4 if stopped == position else 1 << 16  # the next pretoken may be longer still
            position = stopped
            self._table = with_room(self._table, n_more_bytes=room)

    def _count_waiting(self) -> None:
        """Count the waiting texts together, because each count goes through the whole table."""
        if not self._waiting:
            return
        raw = b"".join(raw for raw, _ in self._waiting)
        starts = np.concatenate([*(starts for _, starts in self._waiting), [len(raw)]])
        self._waiting, self._n_waiting = [], 0
        self._count_pieces(raw, starts, offset=self._waiting_offset)

    def _count_pieces(self, raw: bytes, starts: Longs, *, offset: int) -> None:
        """Count pieces of `raw` that start at `starts`; none is empty."""
        self._take(raw)
        n_before = self.n_pretokens
        numbers = np.empty(len(starts) - 1, np.int64)
        done = 0
        while (done := find_pretokens(self._table, self._text, starts, done, numbers)) < len(numbers):
            room = (1 << 16) + int(starts[done + 1] - starts[done])
            self._table = with_room(self._table, n_more_bytes=room)
        counts = np.bincount(numbers, minlength=self.n_pretokens)
        counts[n_before:] -= 1  # new pretokens have their first count
        rows = self._table.rows
        taken = rows[:, COUNT] > 0
        rows[taken, COUNT] += counts[(rows[taken, COUNT] >> COUNT_BITS).astype(np.int64)].astype(np.uint64)
        # Of positions with the same number, the first is written last and so remains.
        is_new = numbers[::-1] >= n_before
        self._table.first_seen[numbers[::-1][is_new]] = offset + starts[-2::-1][is_new]

    def _take(self, raw: bytes) -> None:
        """Copy the bytes to `_text`, with zeros behind."""
        n_bytes = len(raw)
        if len(self._text) < n_bytes + PAD:
            self._text = np.empty(n_bytes + n_bytes // 8 + PAD, np.uint8)
        self._text[:n_bytes] = np.frombuffer(raw, np.uint8)
        self._text[n_bytes : n_bytes + PAD] = 0
        self._n_bytes += n_bytes


def _typed_starts(raw: bytes, expression: str) -> tuple[Longs, int]:
    """Return where the pieces of a UTF-8 text begin, with its end, and the number of unmatched bytes.

    Places are in bytes. The text between two matches is one piece.

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
    """Count the pretokens of texts, each of which may come in pieces; no pretoken spans two texts.

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
    """Count blocks; each has its offset in the corpus, and its texts as UTF-8.

    Threads take blocks in turn; a typed pattern uses one thread. `on_block` is called with the number of
    distinct pretokens of a thread, and may raise.
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
    """Count a corpus in parts, such as training and held-out; a block has the number of its part in front."""
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
    """Yield a text in blocks that end at safe cuts; a text of one piece is one block."""
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
    """Return the pretokens of a pool in the given order, and where each starts."""
    lengths = np.diff(starts)[order]
    new_starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    new_pool = np.empty(new_starts[-1], np.uint8)
    first = 0
    while first < len(order):
        until = new_starts[first] + _BYTES_AT_ONCE
        last = max(int(np.searchsorted(new_starts, until, side="right")) - 1, first + 1)
        new = slice(new_starts[first], new_starts[last])
        if last == first + 1:  # may be a long pretoken
            new_pool[new] = pool[starts[order[first]] : starts[order[first] + 1]]
        else:
            moves = np.repeat(starts[order[first:last]] - new_starts[first:last], lengths[first:last])
            new_pool[new] = pool[np.arange(new.start, new.stop) + moves]
        first = last
    return new_pool, new_starts


#: A table has 28 bits for the number of a pretoken.
MAX_PRETOKENS = 1 << 28


def merge_counts(
    tables: Sequence[PretokenCounts], *, on_table: Callable[[int], None] = lambda _n_pretokens: None
) -> PretokenCounts:
    """Return the counts of a corpus from those of its parts, which are in the order of the corpus.

    The result does not depend on how the corpus is divided. `on_table` is called with the number of distinct
    pretokens so far, and may raise. Raises LimitExceededError for more than 268 million pretokens.

    >>> from playground.bpe.split_pattern import SplitPattern
    >>> from playground.training.pretoken_counts import count_pretokens
    >>> parts = [count_pretokens([text], SplitPattern.named("gpt2")) for text in ("to be", "be or to")]
    >>> list(merge_counts(parts).items())
    [(b'to', 1), (b' be', 1), (b'be', 1), (b' or', 1), (b' to', 1)]
    """
    if len(tables) == 1:
        return tables[0]
    table = new_table()
    totals: Longs = np.zeros(0, np.int64)
    for counts in tables:
        pool = np.concatenate([counts.pool, np.zeros(PAD, np.uint8)])
        numbers = np.empty(len(counts), np.int64)
        done = 0
        while (done := find_pretokens(table, pool, counts.starts, done, numbers)) < len(counts):
            table = with_room(table, n_more_bytes=_n_bytes_left(counts, done))
        n_pretokens = int(table.used[N_PRETOKENS])
        if n_pretokens > MAX_PRETOKENS:
            raise LimitExceededError(
                f"the corpus has {n_pretokens:,} distinct pretokens; {MAX_PRETOKENS:,} can be counted",
                limit="memory",
            )
        on_table(n_pretokens)
        totals = np.concatenate([totals, np.zeros(n_pretokens - len(totals), np.int64)])
        totals[numbers] += counts.counts  # each pretoken is in a table once
    return PretokenCounts(
        table.pool[: int(table.used[N_BYTES])].copy(),  # copy without unused space, because it may be pickled
        table.starts[: len(totals) + 1].copy(),
        totals,
        sum(counts.n_bytes for counts in tables),
        sum(counts.n_unmatched_bytes for counts in tables),
    )


def _n_bytes_left(counts: PretokenCounts, done: int) -> int:
    """Return the space that all remaining pretokens need."""
    return int(counts.starts[-1] - counts.starts[done])
