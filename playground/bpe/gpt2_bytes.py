"""GPT-2's way to write bytes as printable characters; Hugging Face's files and `vocab.bpe` use it too."""

_PRINTABLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_OTHERS = [byte for byte in range(256) if byte not in _PRINTABLE]

#: The bytes in the order of GPT-2's first 256 ids, which is also the order of their characters.
GPT2_BYTE_ORDER = (*_PRINTABLE, *_OTHERS)

_CHARACTER_OF = {byte: chr(byte) for byte in _PRINTABLE} | {
    byte: chr(256 + n) for n, byte in enumerate(_OTHERS)
}
_BYTE_OF = {character: byte for byte, character in _CHARACTER_OF.items()}


def to_gpt2_characters(raw: bytes) -> str:
    """Write bytes as GPT-2 does.

    >>> to_gpt2_characters(b" caf\\xc3\\xa9")
    'ĠcafÃ©'
    """
    return "".join(map(_CHARACTER_OF.__getitem__, raw))


def from_gpt2_characters(text: str) -> bytes:
    """Read bytes that GPT-2's way has written. Raises KeyError with the first character that is none of it.

    >>> from_gpt2_characters("ĠcafÃ©")
    b' caf\\xc3\\xa9'
    """
    return bytes(map(_BYTE_OF.__getitem__, text))
