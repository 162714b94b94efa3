"""Positions in a text, in UTF-8 bytes, characters and the UTF-16 units of browsers.

Grapheme clusters are in `graphemes`.
"""

import numpy as np
from numpy.typing import NDArray

from playground.core.errors import InvalidInputError

Positions = NDArray[np.int64]
#: A number for each of many tokens (an id, length or position), as it is sent to the browser.
Column = NDArray[np.uint32]


def character_of_bytes(text: str) -> Positions:
    """Return the index of the character that each byte belongs to; the last item is the end of the text.

    >>> character_of_bytes("aé!").tolist()
    [0, 1, 1, 2, 3]
    """
    raw = np.frombuffer(text.encode(), np.uint8)
    characters = np.empty(len(raw) + 1, np.int64)
    np.cumsum((raw & 0xC0) != 0x80, out=characters[:-1])
    characters[:-1] -= 1
    characters[-1] = len(text)
    return characters


def byte_of_characters(text: str) -> Positions:
    """Return the byte offset at which each character begins; the last item is the end of the text.

    >>> byte_of_characters("aé!").tolist()
    [0, 1, 3, 4]
    """
    raw = np.frombuffer(text.encode(), np.uint8)
    return np.append(np.flatnonzero((raw & 0xC0) != 0x80), len(raw))


def count_utf16(text: str) -> int:
    """Return the length in UTF-16 code units; a lone surrogate counts as one.

    >>> count_utf16("a😀")
    3
    """
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def count_characters_before(text: str, n_utf16: int) -> int:
    """Convert an offset in UTF-16 units to characters. Raises InvalidInputError inside a surrogate pair.

    >>> count_characters_before("a😀!", 3)
    2
    """
    if text.isascii():
        return n_utf16
    try:
        return len(text.encode("utf-16-le")[: 2 * n_utf16].decode("utf-16-le"))
    except UnicodeDecodeError:
        raise InvalidInputError(f"offset {n_utf16} is inside a surrogate pair") from None


def is_utf8(raw: bytes) -> bool:
    r"""Whether bytes are valid UTF-8.

    >>> is_utf8("é".encode()), is_utf8(b"\xc3")
    (True, False)
    """
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def widened_to_characters(raw: bytes, start: int, end: int) -> tuple[int, int]:
    """Widen `start:end` to whole characters; in invalid UTF-8 by at most three bytes on each side.

    >>> widened_to_characters("é!".encode(), 1, 2)
    (0, 2)
    """
    first, last = start, end
    while first > 0 and start - first < 3 and first < len(raw) and raw[first] & 0xC0 == 0x80:
        first -= 1
    while last < len(raw) and last - end < 3 and raw[last] & 0xC0 == 0x80:
        last += 1
    return first, last
