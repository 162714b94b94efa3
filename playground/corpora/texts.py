"""A text as it was read: a `str`, or the UTF-8 of a plain file, which most of what follows asks for.

That the bytes are UTF-8 is seen to by whoever reads them.
"""

import numpy as np

from playground.core.tokenizer import utf8_of

Text = str | bytes

#: Bytes that continue a character are the lowest as signed numbers.
_FIRST_BYTES = np.int8(-64)


def as_utf8(text: Text) -> bytes:
    """Its bytes, lone surrogates replaced."""
    return text if isinstance(text, bytes) else utf8_of(text)


def as_str(text: Text) -> str:
    """Its characters."""
    return text.decode() if isinstance(text, bytes) else text


def n_bytes_of(text: Text) -> int:
    """How long a text is as UTF-8."""
    return len(text) if isinstance(text, bytes) or text.isascii() else len(as_utf8(text))


def n_characters_of(text: Text) -> int:
    """How many characters it has; they are counted without being decoded.

    >>> n_characters_of("né".encode()), n_characters_of("né")
    (2, 2)
    """
    if isinstance(text, str) or text.isascii():
        return len(text)
    return int(np.count_nonzero(np.frombuffer(text, np.int8) >= _FIRST_BYTES))
