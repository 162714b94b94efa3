"""A text as it was read: a `str`, or the UTF-8 of a plain file, which most of what follows asks for.

That the bytes are UTF-8 is seen to by whoever reads them.
"""

from playground.core.tokenizer import utf8_of

Text = str | bytes


def as_utf8(text: Text) -> bytes:
    """Its bytes, lone surrogates replaced."""
    return text if isinstance(text, bytes) else utf8_of(text)


def as_str(text: Text) -> str:
    """Its characters."""
    return text.decode() if isinstance(text, bytes) else text


def n_bytes_of(text: Text) -> int:
    """How long a text is as UTF-8."""
    return len(text) if isinstance(text, bytes) or text.isascii() else len(as_utf8(text))
