"""Text files read as they must be to be learned from: UTF-8, or a message that names the byte that is not."""

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from playground.core.errors import InvalidInputError

_PIECE_BYTES = 1 << 18
#: How files of gzip, zip and Zstandard begin.
_PACKED = b"\x1f\x8b", b"PK\x03\x04", b"\x28\xb5\x2f\xfd"


@dataclass(frozen=True, slots=True, eq=False)
class Utf8Text:
    """A text that is kept as UTF-8 and iterates over itself in pieces; two are equal only if they are one.

    One `str` of 50 MB would hold the interpreter while it is made, and again while it is freed.

    >>> import io
    >>> text = read_utf8(io.BytesIO(b"to be"), "be.txt")
    >>> len(text), list(text)
    (5, ['to be'])
    """

    raw: bytes
    n_characters: int

    def __len__(self) -> int:
        """Characters, without a byte order mark."""
        return self.n_characters

    def __str__(self) -> str:
        """The whole text, where that cannot be helped."""
        return "".join(self)

    def __iter__(self) -> Iterator[str]:
        return _iter_decoded(self.raw)


def read_utf8(stream: BinaryIO, name: str) -> Utf8Text:
    """The whole of a UTF-8 file, without its byte order mark. Raises InvalidInputError."""
    raw = stream.read()
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InvalidInputError(f"{name} is UTF-16 text; save it as UTF-8")
    if raw.startswith(_PACKED):
        raise InvalidInputError(
            f"{name} is packed; unpack it, or train in a shell, which reads .gz and .zst: "
            "python -m playground train FILE"
        )
    try:
        return Utf8Text(raw, sum(map(len, _iter_decoded(raw))))
    except UnicodeDecodeError as error:
        raise InvalidInputError(
            f"{name} is not UTF-8 text: byte 0x{raw[error.start]:02X} at position {error.start:,} "
            f"({error.reason}); only text files in UTF-8 can be learned from"
        ) from None


def _iter_decoded(raw: bytes) -> Iterator[str]:
    """Pieces that end between characters. Raises UnicodeDecodeError with places in the whole."""
    start = len(codecs.BOM_UTF8) if raw.startswith(codecs.BOM_UTF8) else 0
    while start < len(raw):
        end = _character_start(raw, start + _PIECE_BYTES)
        try:
            yield raw[start:end].decode()
        except UnicodeDecodeError as error:
            first = start + error.start
            raise UnicodeDecodeError(
                "utf-8", raw, first, first + 1, _reason(raw[first : first + 4])
            ) from None
        start = end


def _character_start(raw: bytes, place: int) -> int:
    """The last place up to this one where a character begins, or the end."""
    if place >= len(raw):
        return len(raw)
    return next((n for n in range(place, place - 4, -1) if raw[n] & 0xC0 != 0x80), place)


def _reason(raw: bytes) -> str:
    """Why these bytes begin no character; a piece may have ended among them."""
    try:
        raw.decode()
    except UnicodeDecodeError as error:
        return error.reason
    raise AssertionError(raw)
