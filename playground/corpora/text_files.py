"""Reading UTF-8 files, or standard input, in blocks and in bounded memory."""

import codecs
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from playground.core.errors import InvalidInputError
from playground.core.wording import quoted
from playground.corpora.object_stores import is_address, open_address

STANDARD_INPUT = "-"
#: Large enough that encoding dominates, small enough that a block stays in a processor's cache: 1 MB takes a
#: fifth longer.
BLOCK_BYTES = 1 << 18


@contextmanager
def open_binary(path: str) -> Iterator[BinaryIO]:
    """A file's bytes; "-" is standard input, and an address a file elsewhere. Raises InvalidInputError."""
    if path == STANDARD_INPUT:
        yield standard_input()
        return
    if is_address(path):
        with open_address(path) as remote:
            yield remote
        return
    try:
        file = open(path, "rb")  # noqa: SIM115
    except OSError as error:
        raise InvalidInputError(f"{path}: {error.strerror}") from error
    except UnicodeEncodeError as error:  # half a surrogate pair
        raise InvalidInputError(f"{quoted(path)}: no file can have this name") from error
    with file:
        yield file


def standard_input() -> BinaryIO:
    """The bytes of standard input. Raises InvalidInputError where it is closed."""
    if sys.stdin is None:
        raise InvalidInputError("standard input is closed; name a file")
    return sys.stdin.buffer


def iter_text_chunks(path: str, file: BinaryIO) -> Iterator[tuple[str, int]]:
    """Yield `(text, n_bytes)` as `iter_utf8_chunks` does, decoded."""
    for raw, n_bytes in iter_utf8_chunks(path, file):
        yield raw.decode(), n_bytes


def iter_utf8_chunks(path: str, file: BinaryIO, *, start: int = 0) -> Iterator[tuple[bytes, int]]:
    """Yield `(raw, n_bytes)`: the next characters of a file in UTF-8, and how many bytes were read for them.

    `start` is the byte of the file at which reading begins. Raises InvalidInputError that names the file and
    the position of a byte that is not UTF-8.
    """
    waiting = b""  # the start of a character whose rest comes in the next block
    n_read = start
    while True:
        try:
            block = file.read(BLOCK_BYTES)
        except OSError as error:
            raise InvalidInputError(f"{path}: {error.strerror or error}") from error
        raw = waiting + block
        try:
            n_whole = n_whole_bytes(raw, is_last=not block)
        except UnicodeDecodeError as error:
            position = n_read - len(waiting) + error.start
            if position == 0 and error.object.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                raise InvalidInputError(f"{path}: it is UTF-16 text; save it as UTF-8") from error
            raise InvalidInputError(
                f"{path}: not UTF-8: byte {position:,} (0x{error.object[error.start]:02x}) cannot be read"
                f" ({error.reason})"
            ) from error
        n_read += len(block)
        if not block:
            return
        yield raw[:n_whole], len(block)
        waiting = raw[n_whole:]


def n_whole_bytes(raw: bytes, *, is_last: bool) -> int:
    """How many bytes are whole characters: all, or all but the start of one that may go on.

    >>> n_whole_bytes("né".encode()[:2], is_last=False)
    1

    Raises UnicodeDecodeError for what is not UTF-8.
    """
    return len(raw) if raw.isascii() else codecs.utf_8_decode(raw, "strict", is_last)[1]
