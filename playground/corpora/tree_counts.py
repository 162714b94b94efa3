"""Count the tokens of many small files, read in batches of whole files."""

import codecs
import io
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from playground.core.errors import InvalidInputError, PlaygroundError
from playground.core.tokenizer import Tokenizer
from playground.corpora.blocks import Block
from playground.corpora.cores import encoders_of, iter_done
from playground.corpora.encoders import Encoder
from playground.corpora.sources import Source
from playground.corpora.streams import OnRead, unheard
from playground.corpora.text_files import iter_utf8_chunks, reason_of
from playground.corpora.token_counts import (
    N_CORES,
    Counted,
    FileCount,
    count_block,
    count_tokens,
    names_by_library,
)

#: A batch ends with the file that reaches this many bytes.
BATCH_BYTES = 1 << 20
#: Larger files are read in blocks, so that memory is bounded.
MAX_WHOLE_BYTES = 1 << 24
#: Read at a time of a file that has another size than before.
_READ_BYTES = 1 << 20
#: A NUL in so many first bytes means that a file is no text; git looks at as many.
_SNIFFED_BYTES = 8000
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass
class TreeCounted:
    """Counts of the text files, messages on files that are not UTF-8, and the number of binary files."""

    counted: Counted
    not_utf8: dict[str, str]
    n_binary: int


class _Batch(NamedTuple):
    """The numbers of files, their content, and their numbers of characters."""

    numbers: list[int]
    raws: list[bytes]
    n_characters: list[int]


def count_tree(
    sources: Sequence[Source],
    sizes: Sequence[int],
    tokenizers: Sequence[Tokenizer],
    *,
    allow_special: bool = False,
    n_cores: int = N_CORES,
    on_read: OnRead = unheard,
) -> TreeCounted:
    """Count each file as `count_tokens` does, and leave out binary files; `sizes` are in bytes."""
    streamed = [
        number
        for number, source in enumerate(sources)
        if source.kind == "parquet" or source.compression or sizes[number] > MAX_WHOLE_BYTES
    ]
    whole = [n for n in range(len(sources)) if n not in set(streamed)] if streamed else range(len(sources))
    reader = _Reader(sources, sizes, on_read)
    encoders = encoders_of(tokenizers, allow_special=allow_special)
    done = iter_done(
        reader.iter_batches(whole), count_each, encoders,
        allow_special=allow_special, n_cores=n_cores, n_bytes=sum(sizes),
    )  # fmt: skip
    counts: dict[int, FileCount] = {}
    for batch, found in done:
        for k, (number, tokens) in enumerate(zip(batch.numbers, found, strict=True)):
            path = sources[number].path
            if isinstance(tokens, str):
                reader.errors[number] = f"{path}: {tokens}"
            else:
                counts[number] = FileCount(path, tokens, len(batch.raws[k]), batch.n_characters[k], 1)
    text = [number for number in streamed if not _is_binary_file(sources[number])]
    large = count_tokens(
        [sources[number] for number in text],
        tokenizers,
        allow_special=allow_special,
        n_cores=n_cores,
        on_read=on_read,
    )
    by_path = {sources[number].path: number for number in text}
    counts |= {by_path[count.file]: count for count in large.files}
    n_characters = sum(count.characters for count in counts.values())
    counted = Counted(
        [counts[number] for number in sorted(counts)],
        [*(reader.errors[number] for number in sorted(reader.errors)), *large.errors],
        names_by_library(encoders, n_characters),
    )
    return TreeCounted(counted, reader.not_utf8, reader.n_binary + len(streamed) - len(text))


def count_each(encoders: Sequence[Encoder], batch: _Batch) -> list[tuple[int, ...] | str]:
    """Return the numbers of tokens of each file, or the error message of a tokenizer."""
    try:
        return list(zip(*(encoder.lengths(batch.raws) for encoder in encoders), strict=True))
    except PlaygroundError:  # a character that a vocabulary doesn't have: find the file
        counts = (count_block(encoders, Block(0, [raw], True, 0)) for raw in batch.raws)
        return [count if isinstance(count, str) else tuple(count) for count in counts]


class _Reader:
    """Reads files in batches, and collects errors and the number of binary files."""

    def __init__(self, sources: Sequence[Source], sizes: Sequence[int], on_read: OnRead) -> None:
        self._sources, self._sizes, self._on_read = sources, sizes, on_read
        self.errors: dict[int, str] = {}
        self.not_utf8: dict[str, str] = {}
        self.n_binary = 0

    def iter_batches(self, numbers: Iterable[int]) -> Iterator[_Batch]:
        """Yield the text files; a batch ends with the file that reaches `BATCH_BYTES`."""
        batch, n_read = _Batch([], [], []), 0
        for number in numbers:
            n_read += self._read_into(batch, number)
            if n_read >= BATCH_BYTES:
                yield batch
                self._on_read(n_read)
                batch, n_read = _Batch([], [], []), 0
        yield batch
        self._on_read(n_read)

    def _read_into(self, batch: _Batch, number: int) -> int:
        """Add a file to a batch if it is text; return the number of bytes read."""
        path = self._sources[number].path
        raw = b""
        try:
            raw = _read_whole(path, self._sizes[number])
            n_characters = characters_of(raw, path)
        except InvalidInputError as error:
            self.not_utf8[path] = str(error)
        except (OSError, UnicodeEncodeError) as error:
            self.errors[number] = error_of(path, error)
        else:
            if n_characters is None:
                self.n_binary += 1
            else:
                batch.numbers.append(number)
                batch.raws.append(raw)
                batch.n_characters.append(n_characters)
        return len(raw)


def _read_whole(path: str, n_bytes: int) -> bytes:
    """Return the content of a file that had `n_bytes`; one call of the system reads it, if it has not grown.

    Each call lets another thread run and waits for its turn, so a file object's seven calls take twice as
    long. Raises OSError.
    """
    file = os.open(path, os.O_RDONLY)
    try:
        raw = os.read(file, n_bytes + 1)
        if len(raw) == n_bytes and n_bytes:
            return raw
        more = [raw]
        while more[-1]:
            more.append(os.read(file, _READ_BYTES))
        return b"".join(more)
    finally:
        os.close(file)


def characters_of(raw: bytes, path: str) -> int | None:
    """Return the number of characters of a file's bytes; None if they are no text.

    Raises InvalidInputError that says where a text is not UTF-8.
    """
    if b"\0" in raw[:_SNIFFED_BYTES] and not raw.startswith(_UTF16):
        return None
    if raw.isascii():
        return len(raw)
    try:
        return len(raw.decode())
    except UnicodeDecodeError:
        return sum(chunk.n_characters for chunk in iter_utf8_chunks(path, io.BytesIO(raw)))


def error_of(path: str, error: Exception) -> str:
    """Return one sentence that names the file and what is wrong with it."""
    if isinstance(error, InvalidInputError):  # names the file
        return str(error)
    return f"{path}: {reason_of(error) if isinstance(error, OSError) else error}"


def _is_binary_file(source: Source) -> bool:
    """Whether a large file has a NUL, or a packed file is an archive."""
    if source.compression:
        return ".tar." in source.path
    if source.kind == "parquet":
        return False
    try:
        with open(source.path, "rb") as file:
            start = file.read(_SNIFFED_BYTES)
    except OSError:
        return False  # told by the count
    return b"\0" in start and not start.startswith(_UTF16)
