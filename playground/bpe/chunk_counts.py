"""Distinct pretokens of a corpus and how often each occurs: all that training needs to know of a text.

Time grows with the text, memory only with what is distinct: files are read in blocks. Merging is
`bpe.train`'s business.
"""

import codecs
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from playground.bpe.character_classes import LETTER, NUMBER, character_classes
from playground.bpe.chunk_table import (
    N_CHUNKS,
    absorb,
    chunk_counts,
    count_pretokens,
    grown,
    new_table,
    padded,
    words_of,
)
from playground.bpe.scanners import SCANNERS
from playground.bpe.split_pattern import SplitPattern, iter_pretokens
from playground.core.errors import InvalidInputError
from playground.core.tokenizer import replace_lone_surrogates

BLOCK_BYTES = 1 << 22
_WHOLE_TEXT = -1


@dataclass(frozen=True)
class ChunkCounts:
    """Distinct chunks in the order they were first seen; chunk i is `pool[starts[i] : starts[i + 1]]`."""

    pool: npt.NDArray[np.uint8]
    starts: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]
    n_bytes: int
    n_unmatched_bytes: int = 0

    def __len__(self) -> int:
        return len(self.counts)

    def chunk(self, number: int) -> bytes:
        """The bytes of one chunk."""
        return self.pool[self.starts[number] : self.starts[number + 1]].tobytes()

    def items(self) -> Iterator[tuple[bytes, int]]:
        """Each chunk with its count, first seen first."""
        for number in range(len(self)):
            yield self.chunk(number), int(self.counts[number])


class ChunkCounter:
    """Counts the pretokens of texts that arrive one after another; each text begins anew.

    >>> counter = ChunkCounter(SplitPattern.named("gpt2"))
    >>> counter.add("to be or not to be")
    >>> list(counter.result().items())
    [(b'to', 1), (b' be', 2), (b' or', 1), (b' not', 1), (b' to', 1)]
    """

    def __init__(self, pattern: SplitPattern) -> None:
        self._pattern = pattern
        self._scanner = _WHOLE_TEXT if pattern.is_none else SCANNERS.get(pattern.name)
        self._classes = character_classes()
        self._table = new_table()
        self._n_bytes = 0
        self._n_unmatched = 0

    def add(self, text: str) -> None:
        """Count a text. Raises InvalidInputError where a typed pattern matches nothing or never ends."""
        text = replace_lone_surrogates(text)
        if self._scanner is not None:
            self.add_utf8(text.encode(), offset=self._n_bytes)
            return
        for pretoken, is_match in iter_pretokens(text, self._pattern):
            raw = pretoken.encode()
            self._count(raw, offset=self._n_bytes, scanner=_WHOLE_TEXT)
            self._n_unmatched += 0 if is_match else len(raw)
            self._n_bytes += len(raw)

    def add_utf8(self, raw: bytes, *, offset: int) -> None:
        """Count valid UTF-8 that a scanner reads; `offset` is where in the corpus it begins."""
        assert self._scanner is not None
        self._count(raw, offset=offset, scanner=self._scanner)
        self._n_bytes += len(raw)

    def absorb(self, other: "ChunkCounter") -> None:
        """Add what another counter has counted, in the order of the corpus."""
        counts = chunk_counts(other._table)
        done = 0
        while True:
            done = absorb(self._table, other._table, counts, done)
            if done == len(counts):
                break
            lacking = int(np.diff(other._table.starts)[done])
            self._table = grown(self._table, n_more_bytes=lacking)
        self._n_bytes += other._n_bytes
        self._n_unmatched += other._n_unmatched

    def result(self) -> ChunkCounts:
        """The distinct chunks so far, first seen first."""
        table = self._table
        n_chunks = int(table.used[N_CHUNKS])
        order = np.argsort(table.first_seen[:n_chunks], kind="stable")
        pool, starts = _in_order(table.pool, table.starts[: n_chunks + 1], order)
        return ChunkCounts(pool, starts, chunk_counts(table)[order], self._n_bytes, self._n_unmatched)

    def _count(self, raw: bytes, *, offset: int, scanner: int) -> None:
        text = padded(raw)
        words = words_of(text)
        position = 0
        room = 1 << 16
        while True:
            stopped = count_pretokens(self._table, text, words, position, offset, self._classes, scanner)
            if stopped >= len(raw):
                return
            room = room * 4 if stopped == position else 1 << 16  # the next chunk may be longer still
            position = stopped
            self._table = grown(self._table, n_more_bytes=room)


def count_chunks(texts: Iterable[str], pattern: SplitPattern) -> ChunkCounts:
    """Count the pretokens of texts; none reaches from one text into the next.

    >>> list(count_chunks(["aa", "aab"], SplitPattern.named("none")).items())
    [(b'aa', 1), (b'aab', 1)]
    """
    counter = ChunkCounter(pattern)
    for text in texts:
        counter.add(text)
    return counter.result()


def count_file_chunks(paths: Iterable[Path], pattern: SplitPattern, *, n_threads: int = 2) -> ChunkCounts:
    """Count the pretokens of UTF-8 files, read in blocks by several threads.

    Blocks end between a letter or number and white space, where every known pattern cuts. Typed
    patterns and `none` know no such place: then each file is read whole.

    Raises: InvalidInputError with the file and the position of the first byte that is not UTF-8.
    """
    counters: list[ChunkCounter] = []
    blocks = _Locked(_iter_file_blocks(paths, in_blocks=pattern.name in SCANNERS))

    def work() -> None:
        counter = ChunkCounter(pattern)
        counters.append(counter)
        for offset, raw in blocks:
            if counter._scanner is None:
                counter.add(raw.decode())
            else:
                counter.add_utf8(raw, offset=offset)

    n_threads = n_threads if pattern.name in SCANNERS else 1
    with ThreadPoolExecutor(n_threads) as pool:
        for future in [pool.submit(work) for _ in range(n_threads)]:
            future.result()
    total, *others = counters
    for other in others:
        total.absorb(other)
    return total.result()


def read_text(stream: BinaryIO, name: str) -> str:
    """The whole of a UTF-8 file, without its byte order mark. Raises InvalidInputError."""
    return _checked(stream.read(), name, 0).decode()


class _Locked:
    """An iterator that several threads share."""

    def __init__(self, iterator: Iterator[tuple[int, bytes]]) -> None:
        self._iterator = iterator
        self._lock = threading.Lock()

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        while True:
            with self._lock:
                item = next(self._iterator, None)
            if item is None:
                return
            yield item


def _iter_file_blocks(paths: Iterable[Path], *, in_blocks: bool) -> Iterator[tuple[int, bytes]]:
    """Yield `(offset in the corpus, valid UTF-8)`."""
    offset = 0
    for path in paths:
        try:
            stream = path.open("rb")
        except OSError as error:
            raise InvalidInputError(f"cannot read {path}: {error.strerror}") from error
        with stream:
            position = 0
            rest = b""
            while True:
                block = stream.read(BLOCK_BYTES if in_blocks else -1)
                data = rest + block
                cut = _last_safe_cut(data) if block and in_blocks else len(data)
                piece, rest = data[:cut], data[cut:]
                if piece:
                    checked = _checked(piece, str(path), position)
                    yield offset, checked
                    position += len(piece)
                    offset += len(piece)
                if not block or not in_blocks:
                    break


def _last_safe_cut(data: bytes) -> int:
    """The last place after an ASCII letter or digit and before a space or line end; 0 if there is none."""
    for end in range(len(data), 0, -4096):
        window = np.frombuffer(data, np.uint8)[max(0, end - 4097) : end]
        before, after = window[:-1], window[1:]
        kinds = character_classes()[before & 0x7F]
        is_safe = (before < 0x80) & (kinds & (LETTER | NUMBER) > 0) & ((after == 32) | (after == 10))
        places = np.flatnonzero(is_safe)
        if len(places):
            return max(0, end - 4097) + int(places[-1]) + 1
    return 0


def _checked(raw: bytes, name: str, position: int) -> bytes:
    """The bytes, without a byte order mark at the start. Raises InvalidInputError unless UTF-8."""
    if position == 0:
        if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise InvalidInputError(f"{name} is UTF-16 text; save it as UTF-8")
        raw = raw.removeprefix(codecs.BOM_UTF8)
    try:
        raw.decode()
    except UnicodeDecodeError as error:
        raise InvalidInputError(
            f"{name} is not UTF-8 text: byte 0x{raw[error.start]:02X} at position "
            f"{position + error.start:,} ({error.reason}); only text files in UTF-8 can be learned from"
        ) from None
    return raw


def _in_order(
    pool: npt.NDArray[np.uint8], starts: npt.NDArray[np.int64], order: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """The chunks of a pool put in the given order, and where each then starts."""
    lengths = np.diff(starts)[order]
    new_starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    gather = np.arange(new_starts[-1]) + np.repeat(starts[order] - new_starts[:-1], lengths)
    return pool[gather], new_starts
