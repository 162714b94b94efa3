"""Read and count uploaded files in processes of the pool: their fields, texts and tokens."""

import codecs
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import regex

from playground.core.errors import InvalidInputError, TextTooLongError
from playground.core.tokenizer import Tokenizer, utf8_of
from playground.corpora.blocks import common_cuts
from playground.corpora.documents import iter_chunks, iter_rows
from playground.corpora.part_work import TokenizerParcel, tally_of
from playground.corpora.parts import Part, parts_of
from playground.corpora.sources import DEFAULT_FIELD, Source, find_sources
from playground.corpora.streams import unheard
from playground.corpora.token_counts import FileCount, Tally
from playground.training.utf8_files import Utf8Rows, Utf8Text
from playground.workers import pool, progress
from playground.workers.process import CancelledError

#: Limits of a process that reads or counts a part; a packed file and CSV are one part.
SECONDS, MEMORY_BYTES = 180.0, 1_500_000_000
_ENDINGS = regex.compile(r"(?:\.\w{1,9}){0,2}$")


def fields_of_upload(name: str, raw: bytes, *, visitor: str = "") -> list[str]:
    """Return the fields of a file of rows that can hold the text.

    Raises InvalidInputError, LimitExceededError.
    """
    with as_file(name, raw) as path:
        (source,) = find_sources([str(path)], field=DEFAULT_FIELD)
        found: list[str] = pool.run(
            "playground.corpora.documents.fields_of", source, what=f"reading {name}", visitor=visitor
        )
    return found


@contextmanager
def as_file(name: str, raw: bytes) -> Iterator[Path]:
    """Write an upload to a temporary file with the same ending; errors name the upload.

    Raises InvalidInputError.
    """
    ending = _ENDINGS.search(name)
    try:
        with tempfile.TemporaryDirectory(prefix="tessera-") as folder:
            path = Path(folder) / f"upload{ending[0] if ending else ''}"
            path.write_bytes(raw)
            try:
                yield path
            except InvalidInputError as error:
                raise InvalidInputError(str(error).replace(str(path), name)) from error
    except OSError as error:
        raise InvalidInputError(f"{name}: this server cannot keep it: {error.strerror or error}") from error


class Written(NamedTuple):
    """The byte where each written text ends, and the number of characters."""

    ends: npt.NDArray[np.int64]
    n_characters: int


def read_texts(
    name: str, raw: bytes, *, field: str, max_bytes: int, max_texts: int, visitor: str = ""
) -> Utf8Text | Utf8Rows:
    """Return the texts of a field of a file of rows, or (field "") the text of a plain file, decompressed.

    Raises: InvalidInputError with the file's name; TextTooLongError above `max_bytes` or `max_texts`;
    LimitExceededError.
    """
    with as_file(name, raw) as path:
        (source,) = find_sources([str(path)], field=field)
        into = path.with_name("texts")  # an answer may not be as long
        written: Written = pool.run(
            "playground.corpora.uploads.write_texts", source, str(into), max_bytes, max_texts,
            what=f"reading {name}", visitor=visitor, seconds=SECONDS, memory_bytes=MEMORY_BYTES,
        )  # fmt: skip
        found = into.read_bytes()
    if source.kind != "text":
        return Utf8Rows(found, written.ends, written.n_characters)
    return Utf8Text(found, written.n_characters - found.startswith(codecs.BOM_UTF8))


def write_texts(source: Source, path: str, max_bytes: int, max_texts: int) -> Written:
    """Write the texts of a source one after another; rows without a text are skipped.

    Raises: InvalidInputError, TextTooLongError.
    """
    ends: list[int] = []
    n_bytes = n_characters = 0
    with Path(path).open("wb") as file:
        for raw, n_more in _iter_raws(source):
            n_bytes += len(raw)
            n_characters += n_more
            if n_bytes > max_bytes or len(ends) == max_texts:
                raise TextTooLongError(f"more than {max_bytes:,} bytes of text, or {max_texts:,} texts")
            file.write(raw)
            ends.append(n_bytes)
    return Written(np.array(ends, np.int64), n_characters)


def _iter_raws(source: Source) -> Iterator[tuple[bytes, int]]:
    """Yield the UTF-8 of each row, or of chunks of a text, and its number of characters."""
    if source.kind == "text":
        for part in iter_chunks(source, unheard):
            yield part.raw, part.n_characters
    else:
        for text in filter(None, chain.from_iterable(rows.texts for rows in iter_rows(source, unheard))):
            yield utf8_of(text), len(text)


#: Size of the parts that are counted in one call: about a second of work with several tokenizers.
PART_BYTES = 1 << 23
_TELL_SECONDS = 0.2


def count_upload(
    name: str,
    raw: bytes,
    tokenizers: Sequence[Tokenizer],
    *,
    field: str = "",
    visitor: str = "",
    cancelled: threading.Event | None = None,
    tell: Callable[[float], object] = lambda _part: None,
) -> FileCount:
    """Count the tokens of an uploaded file of any kind; `tell` gets the share that is done.

    Raises: InvalidInputError with the file's name, LimitExceededError; CancelledError once `cancelled` is
    set.
    """
    parcel = TokenizerParcel.of(tokenizers, allow_special=False)
    with as_file(name, raw) as path:
        sources = find_sources([str(path)], field=field)
        parts = parts_of(sources, common_cuts(tokenizers, allow_special=False), part_bytes=PART_BYTES)
        tallies = []
        for number, part in enumerate(parts):
            if cancelled is not None and cancelled.is_set():
                raise CancelledError
            tell(number / len(parts))
            found: Tally | str = pool.run(
                "playground.corpora.uploads.tally_and_tell", part, parcel,
                what=f"counting {name}", visitor=visitor, cancelled=cancelled,
                seconds=SECONDS, memory_bytes=MEMORY_BYTES,
                on_progress=None if len(parts) > 1 else lambda n_read: tell(n_read / max(len(raw), 1)),
            )  # fmt: skip
            if isinstance(found, str):
                raise InvalidInputError(found)
            tallies.append(found)
    return FileCount.total_of(name, tallies, len(tokenizers))


def tally_and_tell(part: Part, parcel: TokenizerParcel) -> Tally | str:
    """Do `part_work.tally_of`, and report the number of bytes read of a whole file now and then."""
    n_read, due = 0, time.monotonic() + _TELL_SECONDS

    def on_read(n_bytes: int) -> None:
        nonlocal n_read, due
        n_read += n_bytes
        if time.monotonic() >= due:
            due = time.monotonic() + _TELL_SECONDS
            progress.report(n_read)

    return tally_of(part, parcel, on_read=on_read)
