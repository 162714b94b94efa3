"""UTF-8 text files for training, with an error that names the first invalid byte.

Texts of files of rows are stored here, too; `corpora` reads them.
"""

import codecs
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from playground.core.errors import InvalidInputError

_PIECE_BYTES = 1 << 18
#: First bytes of compressed files.
PACKED = {"gzip": b"\x1f\x8b", "zip": b"PK\x03\x04", "zstd": b"\x28\xb5\x2f\xfd"}


@dataclass(frozen=True, slots=True, eq=False)
class Utf8Text:
    """A text stored as UTF-8 that can be iterated in pieces; compared by identity.

    A `str` of 50 MB would block the interpreter while it is created and freed.

    >>> import io
    >>> text = read_utf8(io.BytesIO(b"to be"), "be.txt")
    >>> len(text), list(text)
    (5, ['to be'])
    """

    raw: bytes
    n_characters: int

    def __len__(self) -> int:
        """Return the number of characters, without a byte order mark."""
        return self.n_characters

    def __str__(self) -> str:
        """Return the whole text; `iter_texts` needs less memory."""
        return "".join(self)

    def __iter__(self) -> Iterator[str]:
        return _iter_decoded(self.raw)

    @property
    def n_texts(self) -> int:
        """The number of texts: 1."""
        return 1

    def iter_texts(self) -> Iterator[Iterable[str]]:
        """Yield the text, in pieces."""
        yield self


@dataclass(frozen=True, slots=True, eq=False)
class Utf8Rows:
    """Many texts in one UTF-8 buffer, and the byte offset at which each ends.

    Two objects are faster to store and send than 300,000.

    >>> rows = Utf8Rows(b"to beor not", np.array([5, 11]), 11)
    >>> rows.n_texts, len(rows), [*rows.iter_texts()]
    (2, 11, ['to be', 'or not'])
    """

    raw: bytes
    ends: npt.NDArray[np.int64]
    n_characters: int

    def __len__(self) -> int:
        """Return the number of characters of all texts."""
        return self.n_characters

    @property
    def n_texts(self) -> int:
        """The number of texts."""
        return len(self.ends)

    def iter_texts(self) -> Iterator[str]:
        """Yield each text."""
        start = 0
        for end in self.ends.tolist():
            yield self.raw[start:end].decode()
            start = end


def read_utf8(stream: BinaryIO, name: str) -> Utf8Text:
    """Return the content of a UTF-8 file without its byte order mark. Raises InvalidInputError."""
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
    """Yield pieces that end between characters. Raises UnicodeDecodeError with offsets in the whole file."""
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
    """Return the last offset up to this one at which a character begins, or the end."""
    if place >= len(raw):
        return len(raw)
    return next((n for n in range(place, place - 4, -1) if raw[n] & 0xC0 != 0x80), place)


def _reason(raw: bytes) -> str:
    """Say why bytes are invalid; a piece may end inside a character."""
    try:
        raw.decode()
    except UnicodeDecodeError as error:
        return error.reason
    raise AssertionError(raw)
