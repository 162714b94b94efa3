"""Reading UTF-8 files, or standard input, in blocks and in bounded memory."""

import codecs
import errno
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, NamedTuple

from playground.core.errors import InvalidInputError
from playground.core.tokenizer import utf8_of
from playground.core.wording import quoted
from playground.corpora.object_stores import is_address, open_address

STANDARD_INPUT = "-"
#: Large enough that what Python does for each does not count, small enough to stay in a processor's cache.
BLOCK_BYTES = 1 << 20
_WINDOW_BYTES = 1 << 14


class Chunk(NamedTuple):
    """Whole characters in UTF-8, and the number of bytes that were read for them."""

    raw: bytes
    n_characters: int
    n_read: int


@contextmanager
def open_binary(path: str) -> Iterator[BinaryIO]:
    """Open a file, standard input ("-") or an address for reading bytes. Raises InvalidInputError."""
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
        raise InvalidInputError(f"{path}: {reason_of(error)}") from error
    except UnicodeEncodeError as error:  # half a surrogate pair
        raise InvalidInputError(f"{quoted(path)}: no file can have this name") from error
    with file:
        yield file


def reason_of(error: OSError) -> str:
    """Return why a file cannot be opened.

    >>> reason_of(OSError(errno.ENXIO, "No such device or address"))
    'it is a socket, which cannot be read as a file'
    """
    if error.errno == errno.ENXIO:
        return "it is a socket, which cannot be read as a file"
    return error.strerror or str(error)


def standard_input() -> BinaryIO:
    """Return standard input as bytes. Raises InvalidInputError if it is closed."""
    if sys.stdin is None:
        raise InvalidInputError("standard input is closed; name a file")
    return sys.stdin.buffer


def read_text(path: str) -> str:
    """Return the whole text of a file, standard input or an address. Raises InvalidInputError."""
    with open_binary(path) as file:
        return "".join(text for text, _n_bytes in iter_text_chunks(path, file))


def iter_text_chunks(path: str, file: BinaryIO) -> Iterator[tuple[str, int]]:
    """Yield `(text, n_bytes)` as `iter_utf8_chunks` does, decoded."""
    for chunk in iter_utf8_chunks(path, file):
        yield chunk.raw.decode(), chunk.n_read


def iter_utf8_chunks(path: str, file: BinaryIO, *, start: int = 0) -> Iterator[Chunk]:
    """Yield the text of a file in blocks; `start` is the byte where reading begins.

    Raises InvalidInputError that names the file and the position of a byte that is not UTF-8.
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
            n_characters, n_whole = whole_characters(raw, is_last=not block)
        except UnicodeDecodeError as error:
            position = n_read - len(waiting) + error.start
            if position == 0 and error.object.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                raise InvalidInputError(f"{path}: it is UTF-16 text; save it as UTF-8") from error
            if position == error.start and (packed := _packed_by(error.object)):
                raise InvalidInputError(f"{path}: it is packed by {packed}; unpack it") from error
            raise InvalidInputError(
                f"{path}: not UTF-8: byte {position:,} (0x{error.object[error.start]:02x}) cannot be read"
                f" ({error.reason})"
            ) from error
        n_read += len(block)
        if not block:
            return
        yield Chunk(raw[:n_whole], n_characters, len(block))
        waiting = raw[n_whole:]


def whole_characters(raw: bytes, *, is_last: bool) -> tuple[int, int]:
    """Return the number of whole characters and of their bytes; at the end of a text none may be cut.

    Most windows of a text are ASCII and need no decoding, which takes six times as long and holds the
    interpreter's lock. Raises UnicodeDecodeError.

    >>> whole_characters("aé".encode()[:-1], is_last=False)
    (1, 1)
    """
    n_characters = place = 0
    try:
        while window := raw[place : place + _WINDOW_BYTES]:
            n_own = n_bytes = len(window)
            if not window.isascii():
                text, n_bytes = codecs.utf_8_decode(window, "strict", is_last and place + n_bytes == len(raw))
                n_own = len(text)
            if not n_bytes:
                break  # a character whose rest comes later
            n_characters += n_own
            place += n_bytes
    except UnicodeDecodeError:
        codecs.utf_8_decode(raw, "strict", is_last)  # raises the error with its place in the whole
        raise
    return n_characters, place


def _packed_by(raw: bytes) -> str:
    from playground.training.utf8_files import PACKED  # imported here because plain text doesn't need it

    return next((name for name, mark in PACKED.items() if raw.startswith(mark)), "")


Text = str | bytes


def as_utf8(text: Text) -> bytes:
    """Return a text as UTF-8; lone surrogates are replaced."""
    return text if isinstance(text, bytes) else utf8_of(text)


def as_str(text: Text) -> str:
    """Return a text as `str`."""
    return text.decode() if isinstance(text, bytes) else text


def n_bytes_of(text: Text) -> int:
    """Return the length of a text in UTF-8 bytes."""
    return len(text) if isinstance(text, bytes) or text.isascii() else len(as_utf8(text))
