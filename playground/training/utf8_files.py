"""Text files read as they must be to be learned from: UTF-8, or a message that names the byte that is not.

The texts of a file of rows are kept here too; reading them is `corpora`'s business.
"""

import codecs
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from playground.core.errors import InvalidInputError

_PIECE_BYTES = 1 << 18
#: How packed files begin.
PACKED = {"gzip": b"\x1f\x8b", "zip": b"PK\x03\x04", "zstd": b"\x28\xb5\x2f\xfd"}


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

    @property
    def n_texts(self) -> int:
        """It is one."""
        return 1

    def iter_texts(self) -> Iterator[Iterable[str]]:
        """Itself, in pieces."""
        yield self


@dataclass(frozen=True, slots=True, eq=False)
class Utf8Rows:
    """Many texts one behind the other as UTF-8, and where each ends, in bytes.

    So 300,000 rows are two things to keep and to send, and not 300,000.

    >>> rows = Utf8Rows(b"to beor not", np.array([5, 11]), 11)
    >>> rows.n_texts, len(rows), [*rows.iter_texts()]
    (2, 11, ['to be', 'or not'])
    """

    raw: bytes
    ends: npt.NDArray[np.int64]
    n_characters: int

    def __len__(self) -> int:
        """Characters of all of them."""
        return self.n_characters

    @property
    def n_texts(self) -> int:
        """How many they are."""
        return len(self.ends)

    def iter_texts(self) -> Iterator[str]:
        """Each of them."""
        start = 0
        for end in self.ends.tolist():
            yield self.raw[start:end].decode()
            start = end


def read_utf8(stream: BinaryIO, name: str) -> Utf8Text:
    """The whole of a UTF-8 file, without its byte order mark. Raises InvalidInputError."""
    raw = stream.read()
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InvalidInputError(f"{name} is UTF-16 text; save it as UTF-8")
    if raw.startswith(tuple(PACKED.values())):
        raise InvalidInputError(
            f"{name} is packed; unpack it, for only a file whose name ends in .gz or .zst is unpacked here"
        )
    try:
        return Utf8Text(raw, sum(map(len, _iter_decoded(raw))))
    except UnicodeDecodeError as error:
        raise InvalidInputError(
            f"{name} is not UTF-8 text: byte 0x{raw[error.start]:02X} at position {error.start:,}. "
            "Save it as UTF-8 and open it again."
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
