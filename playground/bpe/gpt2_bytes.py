"""GPT-2's spelling of bytes as printable characters, also used by Hugging Face's files."""

_PRINTABLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_OTHERS = [byte for byte in range(256) if byte not in _PRINTABLE]

#: The bytes in the order of GPT-2's first 256 ids, which is the order of their characters.
GPT2_BYTE_ORDER = (*_PRINTABLE, *_OTHERS)

_CHARACTER_OF = {byte: chr(byte) for byte in _PRINTABLE} | {
    byte: chr(256 + n) for n, byte in enumerate(_OTHERS)
}
_BYTE_OF = {character: byte for byte, character in _CHARACTER_OF.items()}


def to_gpt2_characters(raw: bytes) -> str:
    """Spell bytes as GPT-2 does.

    >>> to_gpt2_characters(b" caf\\xc3\\xa9")
    'ĠcafÃ©'
    """
    return "".join(map(_CHARACTER_OF.__getitem__, raw))


def from_gpt2_characters(text: str) -> bytes:
    """Return the bytes that a GPT-2 spelling stands for.

    Raises KeyError with the first character that is not part of the spelling.

    >>> from_gpt2_characters("ĠcafÃ©")
    b' caf\\xc3\\xa9'
    """
    return bytes(map(_BYTE_OF.__getitem__, text))
