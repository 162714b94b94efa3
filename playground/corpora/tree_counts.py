"""Count the tokens of many small files: each thread reads and encodes a batch of whole files at a time."""

import codecs
import io
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np

from playground.core.errors import InvalidInputError, PlaygroundError
from playground.core.tokenizer import NO_SPECIAL, Tokenizer
from playground.corpora.encoders import Encoder, encoder_for_any_size
from playground.corpora.sources import Source
from playground.corpora.streams import OnRead, unheard
from playground.corpora.text_files import iter_utf8_chunks, reason_of
from playground.corpora.token_counts import N_THREADS, Counted, FileCount, count_tokens
from playground.training.shared_iterator import SharedIterator

#: A batch ends with the file that reaches this many bytes.
BATCH_BYTES = 1 << 20
#: Larger files are read in blocks, so that memory is bounded.
MAX_WHOLE_BYTES = 1 << 24
#: Read at a time of a file that has another size than before.
_READ_BYTES = 1 << 20
#: A NUL in so many first bytes means that a file is no text; git looks at as many.
_SNIFFED_BYTES = 8000
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
#: Marks the end of a text among ids; no vocabulary is as large.
_END = 0xFFFF_FFFF


@dataclass
class TreeCounted:
    """Counts of the text files, error messages, and the number of binary files."""

    counted: Counted
    n_binary: int


@dataclass
class _Part:
    """What one thread has counted, by the numbers of files."""

    counts: dict[int, FileCount] = field(default_factory=dict)
    errors: dict[int, str] = field(default_factory=dict)
    n_binary: int = 0


def count_tree(
    sources: Sequence[Source],
    sizes: Sequence[int],
    tokenizers: Sequence[Tokenizer],
    *,
    allow_special: bool = False,
    n_threads: int = N_THREADS,
    on_read: OnRead = unheard,
) -> TreeCounted:
    """Count each file as `count_tokens` does, and leave out binary files; `sizes` are in bytes."""
    streamed = [
        number
        for number, source in enumerate(sources)
        if source.kind == "parquet" or source.compression or sizes[number] > MAX_WHOLE_BYTES
    ]
    whole = [n for n in range(len(sources)) if n not in set(streamed)] if streamed else range(len(sources))
    allowed = (
        [frozenset(tokenizer.special_tokens) for tokenizer in tokenizers]
        if allow_special
        else [NO_SPECIAL] * len(tokenizers)
    )
    encoders = [
        encoder_for_any_size(one, allowed_special=special, n_expected=sum(sizes) // 4)
        for one, special in zip(tokenizers, allowed, strict=True)
    ]
    batches = SharedIterator(_iter_batches(whole, sizes))

    def work() -> _Part:
        part, own = _Part(), [encoder.fork() for encoder in encoders]
        for batch in batches:
            _count_batch(batch, sources, sizes, own, part, on_read)
        return part

    n_working = max(1, min(n_threads, -(-sum(sizes) // BATCH_BYTES)))
    if n_working == 1:
        parts = [work()]
    else:
        with ThreadPoolExecutor(n_working) as pool:
            futures = [pool.submit(work) for _ in range(n_working)]
            try:
                parts = [future.result() for future in futures]
            finally:
                batches.stop()  # after Ctrl-C, too
    counts = {number: count for part in parts for number, count in part.counts.items()}
    errors = {number: error for part in parts for number, error in part.errors.items()}
    n_binary = sum(part.n_binary for part in parts)
    by_library = [
        tokenizer.name
        for tokenizer, encoder in zip(tokenizers, encoders, strict=True)
        if not encoder.is_compiled
    ]
    text = [number for number in streamed if not _is_binary_file(sources[number])]
    n_binary += len(streamed) - len(text)
    more: list[str] = []
    if text:
        large = count_tokens(
            [sources[number] for number in text],
            tokenizers,
            allow_special=allow_special,
            n_threads=n_threads,
            on_read=on_read,
        )
        more = large.errors
        by_path = {sources[number].path: number for number in text}
        counts |= {by_path[count.file]: count for count in large.files}
    counted = Counted(
        [counts[number] for number in sorted(counts)],
        [*(errors[number] for number in sorted(errors)), *more],
        by_library,
    )
    return TreeCounted(counted, n_binary)


def _iter_batches(numbers: Sequence[int], sizes: Sequence[int]) -> Iterator[list[int]]:
    batch: list[int] = []
    n_bytes = 0
    for number in numbers:
        batch.append(number)
        n_bytes += sizes[number]
        if n_bytes >= BATCH_BYTES:
            yield batch
            batch, n_bytes = [], 0
    if batch:
        yield batch


def _count_batch(
    batch: Sequence[int],
    sources: Sequence[Source],
    sizes: Sequence[int],
    encoders: Sequence[Encoder],
    part: _Part,
    on_read: OnRead,
) -> None:
    """Read the files of a batch and add their counts, or errors, to a part."""
    numbers: list[int] = []
    raws: list[bytes] = []
    characters: list[int] = []
    n_read = 0
    for number in batch:
        path = sources[number].path
        try:
            raw = _read_whole(path, sizes[number])
            n_read += len(raw)
            n_characters = characters_of(raw, path)
        except (OSError, UnicodeEncodeError, InvalidInputError) as error:
            part.errors[number] = error_of(path, error)
            continue
        if n_characters is None:
            part.n_binary += 1
            continue
        numbers.append(number)
        raws.append(raw)
        characters.append(n_characters)
    if raws:
        try:
            columns = [count_each(encoder, raws) for encoder in encoders]
        except PlaygroundError:  # a character that a vocabulary doesn't have: find the file
            columns = []
        for k, number in enumerate(numbers):
            path = sources[number].path
            try:
                tokens = (
                    tuple(column[k] for column in columns)
                    if columns
                    else tuple(count_each(encoder, [raws[k]])[0] for encoder in encoders)
                )
            except PlaygroundError as error:
                part.errors[number] = f"{path}: {error}"
                continue
            part.counts[number] = FileCount(path, tokens, len(raws[k]), characters[k], 1)
    on_read(n_read)


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


def count_each(encoder: Encoder, texts: Sequence[bytes]) -> list[int]:
    """Return the number of ids of each text.

    >>> from playground.catalog.registry import get_tokenizer
    >>> from playground.corpora.encoders import LibraryEncoder
    >>> count_each(LibraryEncoder(get_tokenizer("gpt2")), [b"Hello world", b"", b"a"])
    [2, 0, 1]
    """
    if not texts:
        return []
    ids = encoder.encode(texts, closing_id=_END)
    ends = np.flatnonzero(ids == _END)
    return [int(n) for n in np.diff(ends, prepend=-1) - 1]


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
