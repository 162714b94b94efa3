"""The texts of an uploaded file, read in a process of the pool: one field of each row, or a packed text."""

import codecs
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from playground.core.errors import TextTooLongError
from playground.core.tokenizer import utf8_of
from playground.corpora.documents import iter_chunks, iter_rows
from playground.corpora.sources import Source, find_sources
from playground.corpora.streams import unheard
from playground.corpora.upload_files import as_file
from playground.training.utf8_files import Utf8Rows, Utf8Text
from playground.workers import pool

SECONDS, MEMORY_BYTES = 120.0, 1_000_000_000


class Written(NamedTuple):
    """What was written of a file: where each text ends, in bytes, and the characters of all."""

    ends: npt.NDArray[np.int64]
    n_characters: int


def read_texts(
    name: str, raw: bytes, *, field: str, max_bytes: int, max_texts: int, visitor: str = ""
) -> Utf8Text | Utf8Rows:
    """The texts of a field of a file of rows, or with "" the one text of any other, unpacked.

    Raises: InvalidInputError with the file's name; TextTooLongError for more than so many bytes or texts;
    LimitExceededError.
    """
    with as_file(name, raw) as path:
        (source,) = find_sources([str(path)], field=field)
        into = path.with_name("texts")  # an answer may not be as long
        written: Written = pool.run(
            "playground.corpora.upload_texts.write_texts", source, str(into), max_bytes, max_texts,
            what=f"reading {name}", visitor=visitor, seconds=SECONDS, memory_bytes=MEMORY_BYTES,
        )  # fmt: skip
        found = into.read_bytes()
    if source.kind != "text":
        return Utf8Rows(found, written.ends, written.n_characters)
    return Utf8Text(found, written.n_characters - found.startswith(codecs.BOM_UTF8))


def write_texts(source: Source, path: str, max_bytes: int, max_texts: int) -> Written:
    """Write the texts of a source one behind the other; rows without any are left out.

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
    """The UTF-8 of each row, or of parts of a text, and its characters."""
    if source.kind == "text":
        for part in iter_chunks(source, unheard):
            yield part.raw, part.n_characters
    else:
        for text in filter(None, chain.from_iterable(rows.texts for rows in iter_rows(source, unheard))):
            yield utf8_of(text), len(text)
