"""Text files read as they must be to be learned from: UTF-8, or a message that names the byte that is not."""

import codecs
from typing import BinaryIO

from playground.core.errors import InvalidInputError


def read_text(stream: BinaryIO, name: str) -> str:
    """The whole of a UTF-8 file, without its byte order mark. Raises InvalidInputError."""
    raw = stream.read()
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InvalidInputError(f"{name} is UTF-16 text; save it as UTF-8")
    try:
        return raw.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise InvalidInputError(
            f"{name} is not UTF-8 text: byte 0x{raw[error.start]:02X} at position {error.start:,} "
            f"({error.reason}); only text files in UTF-8 can be learned from"
        ) from None
