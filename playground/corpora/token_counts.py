"""Count the tokens of files for several tokenizers, reading each file once in bounded memory."""

import os
import threading
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from playground.bpe.safe_cuts import SafeCuts
from playground.core.errors import InvalidInputError, PlaygroundError
from playground.core.tokenizer import NO_SPECIAL, Tokenizer
from playground.corpora.blocks import Block, common_cuts, iter_blocks
from playground.corpora.encoders import Encoder, TextCounter, encoder_for_any_size
from playground.corpora.parts import Part, iter_part_blocks, parts_of
from playground.corpora.sources import Source
from playground.corpora.streams import OnRead
from playground.corpora.text_files import STANDARD_INPUT, n_bytes_of
from playground.training.shared_iterator import SharedIterator

N_THREADS = min(4, os.cpu_count() or 1)
#: Blocks in a row for several tokenizers: each change of tokenizer loads other tables into the cache.
_N_FOR_SEVERAL = 4
#: Of a file that several threads read: enough parts for many threads, each much longer than its start takes.
_PART_BYTES = 1 << 23


@dataclass(frozen=True, slots=True)
class FileCount:
    """Counts of one file, or the total; tokens in the order of the tokenizers."""

    file: str
    tokens: tuple[int, ...]
    bytes: int
    characters: int
    documents: int
    left_out_rows: int = 0

    @property
    def bytes_per_token(self) -> tuple[float, ...]:
        """Bytes per token for each tokenizer; 0.0 without tokens."""
        return tuple(self.bytes / n if n else 0.0 for n in self.tokens)

    @property
    def tokens_per_document(self) -> tuple[float, ...]:
        """Tokens of a document on average, for each tokenizer; 0.0 without documents."""
        return tuple(n / self.documents if self.documents else 0.0 for n in self.tokens)

    @classmethod
    def total_of(cls, file: str, counts: Sequence["FileCount | Tally"], n_tokenizers: int) -> "FileCount":
        """Return the sum of counts."""
        return cls(
            file,
            tuple(sum(count.tokens[k] for count in counts) for k in range(n_tokenizers)),
            sum(count.bytes for count in counts),
            sum(count.characters for count in counts),
            sum(count.documents for count in counts),
            sum(count.left_out_rows for count in counts),
        )


@dataclass(frozen=True, slots=True)
class Counted:
    """Counts of the files that could be read, and error messages for the others."""

    files: list[FileCount]
    errors: list[str]
    by_library: list[str]  # names of tokenizers whose own library encoded much text, which is slow

    def total(self, n_tokenizers: int) -> FileCount:
        """Return the sum over all files."""
        return FileCount.total_of("total", self.files, n_tokenizers)


def count_tokens(
    sources: Sequence[Source],
    tokenizers: Sequence[Tokenizer],
    *,
    allow_special: bool = False,
    n_threads: int = N_THREADS,
    on_read: OnRead = lambda _n_bytes: None,
) -> Counted:
    """Count the tokens of each file; a file that cannot be read becomes an error message.

    Bytes and characters are those of the texts, without the rows around them.
    """
    work = _Work(
        sources,
        common_cuts(tokenizers, allow_special=allow_special),
        on_read,
        n_together=1 if len(tokenizers) == 1 else _N_FOR_SEVERAL,
    )
    n_bytes = sum(source.n_bytes for source in sources)
    encoders = [
        encoder_for_any_size(
            tokenizer,
            allowed_special=frozenset(tokenizer.special_tokens) if allow_special else NO_SPECIAL,
            n_expected=n_bytes // 4,  # a character has four bytes at most
        )
        for tokenizer in tokenizers
    ]
    if n_threads == 1:
        tallies = [_tally(work, encoders)]
    else:
        with ThreadPoolExecutor(n_threads) as pool:
            futures = [
                pool.submit(_tally, work, [encoder.fork() for encoder in encoders]) for _ in range(n_threads)
            ]
            try:
                tallies = [future.result() for future in futures]
            finally:
                work.stop()  # whatever ended it, Ctrl-C too: the other threads take no more
    files = [
        FileCount.total_of(
            source.path, [tally[number] for tally in tallies if number in tally], len(tokenizers)
        )
        for number, source in enumerate(sources)
        if number not in work.errors
    ]
    by_library = [
        tokenizer.name
        for tokenizer, encoder in zip(tokenizers, encoders, strict=True)
        if not encoder.is_compiled
    ]
    return Counted(files, [work.errors[number] for number in sorted(work.errors)], by_library)


@dataclass(slots=True)
class Tally:
    """The counts of a file so far; tokens in the order of the tokenizers."""

    tokens: list[int]
    bytes: int = 0
    characters: int = 0
    documents: int = 0
    left_out_rows: int = 0

    def add(self, block: Block, counter: TextCounter) -> None:
        """Count a block. Raises PlaygroundError, such as for a byte that the vocabulary does not have."""
        for k, n_tokens in enumerate(counter.count(block.texts)):
            self.tokens[k] += n_tokens
        self.characters += block.n_characters
        self.bytes += sum(map(n_bytes_of, block.texts))
        self.documents += len(block.texts) if block.ends else 0
        self.left_out_rows += block.n_left_out


class _Work:
    """The blocks of all files, for several threads; each thread reads its own parts of plain text files."""

    def __init__(
        self, sources: Sequence[Source], cuts: SafeCuts, on_read: OnRead, *, n_together: int
    ) -> None:
        self._sources, self._cuts, self._n_together = sources, cuts, n_together
        self._on_read, self._lock = on_read, threading.Lock()
        self._items = SharedIterator(self._iter_items())
        self._is_stopped = False
        self._n_before_error: dict[int, int] = {}
        self.errors: dict[int, str] = {}

    def stop(self) -> None:
        """End the iteration for all threads."""
        self._is_stopped = True
        self._items.stop()

    def iter_blocks(self) -> Iterator[Block]:
        """Yield the blocks for one thread, except of files that have an error."""
        for item in self._items:
            if isinstance(item, Block):
                yield item
                continue
            try:
                for _, block in self._iter_part(item):
                    if self._is_stopped or item.file in self.errors:
                        break
                    yield block
            except InvalidInputError as error:
                self.add_error(item.file, str(error), item.start)

    def add_error(self, file: int, message: str, start: int = 0) -> None:
        """Record why a file is not counted; of several errors, the one in the earliest part of the file."""
        with self._lock:
            if file not in self.errors or start < self._n_before_error[file]:
                self.errors[file], self._n_before_error[file] = message, start

    def path_of(self, file: int) -> str:
        """Return the path of a file by its number."""
        return self._sources[file].path

    def _iter_part(self, part: Part) -> Iterator[tuple[int, Block]]:
        for place, block in iter_part_blocks(
            part, self._cuts, on_read=self._told, n_together=self._n_together
        ):
            yield place, block
            if not part.is_whole:  # as blocks come, so that a slow disk shows progress
                self._told(sum(map(n_bytes_of, block.texts)))

    def _iter_items(self) -> Iterator[Part | Block]:
        for number, source in enumerate(self._sources):
            if source.kind == "text" and not source.compression and source.path != STANDARD_INPUT:
                for part in parts_of([source], self._cuts, part_bytes=_PART_BYTES):
                    yield part._replace(file=number)
                continue
            blocks = iter_blocks(
                [source], self._cuts, on_read=self._told,
                on_error=lambda _, error, number=number: self.add_error(number, str(error)),  # type: ignore[misc]
            )  # fmt: skip
            for block in blocks:
                yield block._replace(file=number)

    def _told(self, n_bytes: int) -> None:
        with self._lock:
            self._on_read(n_bytes)


def _tally(work: _Work, encoders: Sequence[Encoder]) -> dict[int, Tally]:
    tallies: dict[int, Tally] = defaultdict(lambda: Tally([0] * len(encoders)))
    counter = TextCounter(encoders)
    for block in work.iter_blocks():
        if block.file in work.errors:
            continue
        try:
            tallies[block.file].add(block, counter)
        except PlaygroundError as error:
            work.add_error(block.file, f"{work.path_of(block.file)}: {error}")
    return dict(tallies)
