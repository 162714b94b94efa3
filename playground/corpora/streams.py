"""Open a source and decompress it; each error names the file and the position."""

import gzip
import io
import os
import stat
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import BinaryIO

from playground.core.errors import InvalidInputError
from playground.corpora.sources import Source
from playground.corpora.text_files import open_binary

OnRead = Callable[[int], None]
BUFFER_BYTES = 1 << 16


def unheard(_n_bytes: int) -> None:
    """Ignore the number of bytes read."""


@contextmanager
def open_stream(source: Source, on_read: OnRead) -> Iterator[BinaryIO]:
    """Open a source, decompressed; `on_read` is called with the number of bytes read from the disk.

    Raises: InvalidInputError for what cannot be opened, unpacked or read, and where a file changes meanwhile.
    """
    with open_binary(source.path) as file:
        watched = _Watched(file, source.path, on_read)
        if not source.compression:
            yield io.BufferedReader(watched, BUFFER_BYTES)
        else:
            yield io.BufferedReader(_Unpacked(watched, source), BUFFER_BYTES)


class _Watched(io.RawIOBase):
    """A file that must not grow or shrink while it is read."""

    def __init__(self, file: BinaryIO, path: str, on_read: OnRead) -> None:
        self._file, self._path, self._on_read = file, path, on_read
        self._n_read = 0
        about = os.fstat(file.fileno()) if _has_descriptor(file) else None
        # What the system makes up while it is read has no size beforehand, nor has a pipe.
        self._n_bytes = about.st_size if about and stat.S_ISREG(about.st_mode) and about.st_size else None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        try:
            n_bytes: int = self._file.readinto(view)  # type: ignore[attr-defined]
        except OSError as error:
            raise InvalidInputError(f"{self._path}: {error.strerror} at byte {self._n_read:,}") from error
        self._n_read += n_bytes
        if self._n_bytes is not None and (
            self._n_read > self._n_bytes or (not n_bytes and self._n_read < self._n_bytes)
        ):
            raise InvalidInputError(
                f"{self._path}: it had {self._n_bytes:,} bytes when it was opened, and changed while it was "
                f"read; byte {min(self._n_read, self._n_bytes):,} is as far as it could be trusted"
            )
        self._on_read(n_bytes)
        return n_bytes


class _Unpacked(io.RawIOBase):
    """The decompressed content of a file; a damaged or truncated file is an error."""

    def __init__(self, watched: _Watched, source: Source) -> None:
        packed = io.BufferedReader(watched, BUFFER_BYTES)
        self._source = source
        self._n_unpacked = 0
        if source.compression == "gzip":
            self._file: BinaryIO = gzip.GzipFile(fileobj=packed)  # type: ignore[assignment]
        else:
            import pyarrow as pa  # only here: it takes a tenth of a second

            self._file = pa.CompressedInputStream(pa.PythonFile(packed, mode="r"), "zstd")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        try:
            block = self._file.read(len(view))
        except (OSError, EOFError, zlib.error, ValueError) as error:
            why = "it ends too soon" if isinstance(error, EOFError) else str(error)
            kind = self._source.compression
            what = f"broken {kind} data behind {self._n_unpacked:,} unpacked bytes"
            if not self._n_unpacked:
                what = f"broken {kind} data, or no {kind} file"
            raise InvalidInputError(f"{self._source.path}: {what} ({why})") from error
        view[: len(block)] = block
        self._n_unpacked += len(block)
        return len(block)


def _has_descriptor(file: BinaryIO) -> bool:
    try:
        file.fileno()
    except (OSError, AttributeError):
        return False
    return True
