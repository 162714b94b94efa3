"""Divide files into parts that workers read independently; together the parts have the texts of the files.

A plain text is cut at the first safe place behind a byte, JSON Lines behind a line, Parquet between row
groups; CSV and packed files stay whole.
"""

import io
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import BinaryIO, NamedTuple

from playground.bpe.safe_cuts import SafeCuts
from playground.core.errors import InvalidInputError
from playground.corpora.blocks import (
    Block,
    end_of_text,
    first_cut,
    iter_blocks,
    iter_text_blocks,
    rows_together,
)
from playground.corpora.documents import in_batches, iter_row_groups, texts_of_line
from playground.corpora.sources import Source
from playground.corpora.streams import OnRead
from playground.corpora.text_files import STANDARD_INPUT, iter_utf8_chunks, open_binary

#: Of a file that is cut: its table of pretokens is small, and reading it outweighs asking for it.
PART_BYTES = 1 << 26


class Part(NamedTuple):
    """The texts of file number `file` that begin at a byte, or row group, from `start` up to `stop`."""

    file: int
    source: Source
    start: int
    stop: int
    is_whole: bool
    is_last: bool
    n_bytes: int  # approximate bytes of the file in this part

    @property
    def place(self) -> str:
        """Name of the part in messages."""
        if self.is_whole:
            return self.source.path
        what = "row groups" if self.source.kind == "parquet" else "bytes"
        return f"{self.source.path}, {what} {self.start:,} to {self.stop:,}"


def parts_of(sources: Sequence[Source], cuts: SafeCuts, *, part_bytes: int = PART_BYTES) -> list[Part]:
    """Return the parts of all files in order; a plain text without safe cuts is one part.

    >>> [part.stop for part in parts_of([Source("no such file")], SafeCuts(None))]
    [0]

    Raises InvalidInputError for standard input, which only one machine has.
    """
    found: list[Part] = []
    for number, source in enumerate(sources):
        if source.path == STANDARD_INPUT:
            raise InvalidInputError("standard input cannot be read by several workers; name files")
        n_bytes = source.n_bytes
        places = [0, n_bytes]
        if n_bytes > part_bytes and not source.compression:
            if source.kind == "jsonl" or (source.kind == "text" and cuts.is_known):
                places = [*range(0, n_bytes - part_bytes // 2, part_bytes), n_bytes]
            elif source.kind == "parquet":
                places = _row_groups(source, part_bytes)
        n_parts = len(places) - 1
        found += [
            Part(number, source, start, stop, n_parts == 1, stop == places[-1], n_bytes // n_parts)
            for start, stop in pairwise(places)
        ]
    return found


def iter_part_blocks(
    part: Part, cuts: SafeCuts, *, on_read: OnRead = lambda _n_bytes: None
) -> Iterator[tuple[int, Block]]:
    """Yield the blocks of a part; blocks of plain text with the byte of the file where each begins.

    `on_read` gets the number of bytes read, if the part is a whole file.

    Raises InvalidInputError.
    """
    if part.is_whole:
        position = 0
        for block in iter_blocks([part.source], cuts, on_read=on_read):
            yield position, block._replace(file=part.file)
            position += 0 if block.ends else len(block.texts[0])  # of plain text, its bytes
    elif part.source.kind == "text":
        yield from _iter_text(part, cuts)
    else:
        texts = _iter_lines(part) if part.source.kind == "jsonl" else _iter_groups(part)
        for rows in in_batches(texts):
            yield 0, rows_together(part.file, rows)


def _row_groups(source: Source, part_bytes: int) -> list[int]:
    """Return the first row group of each part, then the number of row groups."""
    import pyarrow as pa  # only here: it takes a fifth of a second
    import pyarrow.parquet as pq

    try:
        with open_binary(source.path) as opened, pq.ParquetFile(opened) as file:
            sizes = [file.metadata.row_group(n).total_byte_size for n in range(file.num_row_groups)]
    except (pa.ArrowException, OSError) as error:
        raise InvalidInputError(f"{source.path}: cannot be read: {str(error).splitlines()[0]}") from error
    places, n_bytes = [0], 0
    for number, size in enumerate(sizes):
        if n_bytes and n_bytes + size > part_bytes:
            places.append(number)
            n_bytes = 0
        n_bytes += size
    return [*places, len(sizes)]


def _iter_text(part: Part, cuts: SafeCuts) -> Iterator[tuple[int, Block]]:
    path = part.source.path
    with open_binary(path) as file:
        file.seek(0, io.SEEK_END)
        n_bytes = file.tell()

        def read(start: int, stop: int) -> bytes:
            file.seek(start)
            return file.read(stop - start)

        if n_bytes < part.stop or (part.is_last and n_bytes > part.stop):
            raise InvalidInputError(f"{path}: it changed while it was read: it has {n_bytes:,} bytes now")
        try:
            start, stop = (first_cut(read, place, n_bytes, cuts) for place in (part.start, part.stop))
        except UnicodeDecodeError as error:
            raise InvalidInputError(
                f"{path}: not UTF-8: byte {error.start:,} cannot be read ({error.reason})"
            ) from error
        file.seek(start)
        within = io.BufferedReader(_Within(file, stop - start))
        position = start
        chunks = iter_utf8_chunks(path, within, start=start)
        for block in iter_text_blocks(part.file, chunks, cuts):
            yield position, block
            position += len(block.texts[0])
    if part.is_last:
        yield position, end_of_text(part.file)


def _iter_lines(part: Part) -> Iterator[str | None]:
    path = part.source.path
    with open_binary(path) as opened:
        file = io.BufferedReader(opened, 1 << 16) if isinstance(opened, io.RawIOBase) else opened
        position = max(part.start - 1, 0)
        file.seek(position)
        if part.start:
            position += len(file.readline())  # the rest of a line that begins in an earlier part
        while position < part.stop:
            line = file.readline()
            if not line:
                raise InvalidInputError(f"{path}: it changed while it was read: byte {position:,} is its end")
            yield from texts_of_line(line, part.source, f"{path}: the line at byte {position:,}")
            position += len(line)


def _iter_groups(part: Part) -> Iterator[str | None]:
    return iter_row_groups(part.source, part.start, part.stop, lambda _n_bytes: None)


class _Within(io.RawIOBase):
    """A view of the next `n_bytes` of a file."""

    def __init__(self, file: BinaryIO, n_bytes: int) -> None:
        self._file, self._n_left = file, n_bytes

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        block = self._file.read(min(len(view), self._n_left))
        view[: len(block)] = block
        self._n_left -= len(block)
        return len(block)
