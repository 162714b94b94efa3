"""Reading UTF-8 files, or standard input, in blocks and in bounded memory."""

import codecs
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from playground.core.errors import InvalidInputError
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
    with file:
        yield file


def standard_input() -> BinaryIO:
    """The bytes of standard input. Raises InvalidInputError where it is closed."""
    if sys.stdin is None:
        raise InvalidInputError("standard input is closed; name a file")
    return sys.stdin.buffer


def iter_text_chunks(path: str, file: BinaryIO, *, start: int = 0) -> Iterator[tuple[str, int]]:
    """Yield `(text, n_bytes)`: the next characters of a file, and how many bytes were read for them.

    `start` is the byte of the file at which reading begins. Raises InvalidInputError that names the file and
    the position of a byte that is not UTF-8.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    n_read = start
    while True:
        try:
            block = file.read(BLOCK_BYTES)
        except OSError as error:
            raise InvalidInputError(f"{path}: {error.strerror or error}") from error
        n_waiting = len(decoder.getstate()[0])  # the start of a character whose rest comes in this block
        try:
            text = decoder.decode(block, final=not block)
        except UnicodeDecodeError as error:
            position = n_read - n_waiting + error.start
            if position == 0 and error.object.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                raise InvalidInputError(f"{path}: it is UTF-16 text; save it as UTF-8") from error
            raise InvalidInputError(
                f"{path}: not UTF-8: byte {position:,} (0x{error.object[error.start]:02x}) cannot be read"
                f" ({error.reason})"
            ) from error
        n_read += len(block)
        if not block:
            return
        yield text, len(block)
