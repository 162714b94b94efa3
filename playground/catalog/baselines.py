"""Tokenizers that learn nothing: one token a byte, one token a character."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import regex

from playground.bpe.pretokenize import SAFE_CUT
from playground.core.errors import UnknownTokenError
from playground.core.tokenizer import NO_SPECIAL, replace_lone_surrogates, segment_lossless
from playground.core.tokens import Segmentation


@dataclass(frozen=True, slots=True)
class ByteTokenizer:
    """Raw UTF-8: a token is a byte, an id its value.

    >>> ByteTokenizer().encode("é")
    [195, 169]
    """

    name: str = "utf8_bytes"
    n_vocab: int = 256
    special_tokens: Mapping[str, int] = field(default_factory=dict)
    safe_cut: regex.Pattern[str] | None = SAFE_CUT

    def encode(self, text: str, *, allowed_special: frozenset[str] = NO_SPECIAL) -> list[int]:  # noqa: ARG002
        """The bytes of a text."""
        return list(replace_lone_surrogates(text).encode())

    def token_bytes(self, token_id: int) -> bytes:
        """The byte itself. Raises UnknownTokenError."""
        if not 0 <= token_id < 256:
            raise UnknownTokenError(f"{self.name} has no token {token_id}; its ids are 0 to 255")
        return bytes([token_id])

    def segment(self, text: str, *, allowed_special: frozenset[str] = NO_SPECIAL) -> Segmentation:
        """The text with its tokens placed in it."""
        return segment_lossless(self, text, allowed_special=allowed_special)

    def decode(self, ids: Iterable[int]) -> str:
        """The text of bytes; what is not UTF-8 becomes U+FFFD. Raises UnknownTokenError."""
        return b"".join(map(self.token_bytes, ids)).decode(errors="replace")


@dataclass(frozen=True, slots=True)
class CharacterTokenizer:
    """A token is a Unicode character, an id its code point.

    >>> CharacterTokenizer().encode("é!")
    [233, 33]
    """

    name: str = "characters"
    n_vocab: int = 0x110000
    special_tokens: Mapping[str, int] = field(default_factory=dict)
    safe_cut: regex.Pattern[str] | None = SAFE_CUT

    def encode(self, text: str, *, allowed_special: frozenset[str] = NO_SPECIAL) -> list[int]:  # noqa: ARG002
        """The code points of a text."""
        return list(map(ord, replace_lone_surrogates(text)))

    def token_bytes(self, token_id: int) -> bytes:
        """The character in UTF-8. Raises UnknownTokenError."""
        if not 0 <= token_id < 0x110000 or 0xD800 <= token_id < 0xE000:
            raise UnknownTokenError(
                f"{self.name} has no token {token_id}; its ids are code points, "
                "0 to 1,114,111 without the surrogates 55,296 to 57,343"
            )
        return chr(token_id).encode()

    def segment(self, text: str, *, allowed_special: frozenset[str] = NO_SPECIAL) -> Segmentation:
        """The text with its tokens placed in it."""
        return segment_lossless(self, text, allowed_special=allowed_special)

    def decode(self, ids: Iterable[int]) -> str:
        """The text of code points. Raises UnknownTokenError."""
        return b"".join(map(self.token_bytes, ids)).decode()
