"""Text files read as they must be to be learned from: UTF-8, or a message that names the byte that is not."""

import codecs
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from playground.core.errors import InvalidInputError


def iter_file_text(path: Path, *, n_block_bytes: int) -> Iterator[str]:
    """Yield the text of a file in blocks of so many bytes. Raises InvalidInputError."""
    try:
        stream = path.open("rb")
    except OSError as error:
        raise InvalidInputError(f"cannot read {path}: {error.strerror}") from error
    with stream:
        yield from _iter_text(stream, str(path), n_block_bytes)


def read_text(stream: BinaryIO, name: str) -> str:
    """The whole of a UTF-8 file, without its byte order mark. Raises InvalidInputError."""
    return "".join(_iter_text(stream, name, -1))


def _iter_text(stream: BinaryIO, name: str, n_block_bytes: int) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8")()
    position = 0  # of the bytes in hand
    is_first = True
    while True:
        raw = stream.read(n_block_bytes)
        if position == 0 and raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise InvalidInputError(f"{name} is UTF-16 text; save it as UTF-8")
        n_held = len(decoder.getstate()[0])
        try:
            text = decoder.decode(raw, final=not raw)
        except UnicodeDecodeError as error:
            raise InvalidInputError(
                f"{name} is not UTF-8 text: byte 0x{error.object[error.start]:02X} at position "
                f"{position - n_held + error.start:,} ({error.reason}); only text files in UTF-8 can be "
                "learned from"
            ) from None
        if text:
            yield text.removeprefix("\ufeff") if is_first else text
            is_first = False
        if not raw:
            return
        position += len(raw)
