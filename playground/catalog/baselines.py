"""Tokenizers without learning: one token per byte, one token per character."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import regex

from playground.bpe.safe_cuts import safe_cut_of
from playground.core.building import Given, Pretoken, place_pretokens
from playground.core.encoding import Encoding
from playground.core.errors import UnknownTokenError
from playground.core.text_units import Positions
from playground.core.tokenizer import (
    NO_SPECIAL,
    PythonProgram,
    decode_bytes,
    replace_lone_surrogates,
)
from playground.core.vocabulary import Entry, Ids, TableVocabulary


@dataclass(frozen=True)
class ByteTokenizer:
    """Raw UTF-8: a token is a byte, and its id is the byte's value.

    >>> ByteTokenizer().encode("é")
    [195, 169]
    """

    name: str = "utf8_bytes"
    special_tokens: Mapping[str, int] = field(default_factory=dict)
    split_pattern: str | None = None
    rest: None = None
    merges: None = None

    @property
    def safe_cut(self) -> regex.Pattern[str] | None:
        """Where a text may be cut: anywhere, so GPT-2's safe cuts do."""
        return safe_cut_of("gpt2")

    @cached_property
    def vocabulary(self) -> TableVocabulary:
        """The 256 bytes."""
        return TableVocabulary(
            self.name,
            range(256),
            [bytes([byte]) for byte in range(256)],
            kinds=dict.fromkeys(range(256), "byte"),
            spell=lambda byte, _raw: f"<0x{byte:02X}>",
        )

    def encode(self, text: str, *, allowed_special: frozenset[str] = NO_SPECIAL) -> Encoding:  # noqa: ARG002
        """Return the bytes of a text."""
        text = replace_lone_surrogates(text)
        ids = np.frombuffer(text.encode(), np.uint8).astype(np.uint32)
        return Encoding.tiling(text, ids, self.vocabulary.n_bytes_of)

    def iter_pretokens(self, text: str) -> Iterator[Pretoken]:
        """Yield each character, which no token crosses."""
        return place_pretokens(replace_lone_surrogates(text))

    def build(self, pretoken: Pretoken) -> Given:
        """Return the bytes of a character, which have no inner structure."""
        return Given(tuple(pretoken.text.encode()), "A token is a byte, the smallest part of a text.")

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of bytes; invalid UTF-8 becomes U+FFFD. Raises UnknownTokenError."""
        return decode_bytes(self, ids).decode(errors="replace")

    def python_program(self) -> PythonProgram:
        """Return Python's own UTF-8 encoding."""
        return PythonProgram("", "list(text.encode())", 'bytes(ids).decode(errors="replace")')


class CodePoints:
    """The vocabulary of all Unicode characters, computed rather than stored: an id is a code point.

    >>> vocabulary = CodePoints()
    >>> len(vocabulary), vocabulary.entry(0xE9).raw
    (1112064, b'\\xc3\\xa9')
    """

    n_vocab = 0x110000

    def __len__(self) -> int:
        return self.n_vocab - len(_SURROGATES)

    @cached_property
    def ids(self) -> Ids:
        """Every code point except the surrogates."""
        every = np.arange(self.n_vocab, dtype=np.uint32)
        return np.delete(every, _SURROGATES)

    @cached_property
    def ranks(self) -> Positions:
        """No character has a rank: -1 for each."""
        return np.full(len(self), -1)

    def entry(self, token_id: int) -> Entry:
        """Return a character. Raises UnknownTokenError."""
        raw = self.raw_of(token_id)
        return Entry(token_id, raw, raw.decode(), "piece")

    def raw_of(self, token_id: int) -> bytes:
        """Return a character in UTF-8. Raises UnknownTokenError."""
        if not 0 <= token_id < self.n_vocab or token_id in _SURROGATES:
            raise UnknownTokenError(
                f"characters has no token {token_id}; its ids are code points, "
                "0 to 1,114,111 without the surrogates 55,296 to 57,343"
            )
        return chr(token_id).encode()

    def ids_of(self, raw: bytes) -> tuple[int, ...]:
        """Return the code point of a character in UTF-8; empty for any other bytes."""
        text = raw.decode(errors="ignore")
        return (ord(text),) if len(text) == 1 and text.encode() == raw else ()

    def positions_of(self, ids: Ids) -> Positions:
        """Return the index of each code point among all non-surrogates. Raises UnknownTokenError."""
        is_after = ids >= _SURROGATES.stop
        is_unknown = (ids >= self.n_vocab) | (ids >= _SURROGATES.start) & ~is_after
        if is_unknown.any():
            self.raw_of(int(ids[np.argmax(is_unknown)]))
        return ids.astype(np.int64) - is_after * len(_SURROGATES)

    def raws_of(self, ids: Ids) -> list[bytes]:
        """Return characters in UTF-8. Raises UnknownTokenError."""
        return [*map(self.raw_of, ids.tolist())]

    def n_bytes_of(self, ids: Ids) -> Positions:
        """Return the UTF-8 length of characters, 1 to 4 bytes. Raises UnknownTokenError."""
        self.positions_of(ids)
        return np.searchsorted(_FIRST_OF_LENGTH, ids, side="right")


_SURROGATES = range(0xD800, 0xE000)
#: The first characters with one, two, three and four bytes of UTF-8.
_FIRST_OF_LENGTH = np.array([0, 0x80, 0x800, 0x10000], np.uint32)


@dataclass(frozen=True)
class CharacterTokenizer:
    """A token is a Unicode character, and its id is the code point.

    >>> CharacterTokenizer().encode("é!")
    [233, 33]
    """

    name: str = "characters"
    special_tokens: Mapping[str, int] = field(default_factory=dict)
    split_pattern: str | None = None
    rest: None = None
    merges: None = None
    vocabulary: CodePoints = field(default_factory=CodePoints)

    @property
    def safe_cut(self) -> regex.Pattern[str] | None:
        """Where a text may be cut: anywhere, so GPT-2's safe cuts do."""
        return safe_cut_of("gpt2")

    def encode(self, text: str, *, allowed_special: frozenset[str] = NO_SPECIAL) -> Encoding:  # noqa: ARG002
        """Return the code points of a text."""
        text = replace_lone_surrogates(text)
        ids = np.frombuffer(text.encode("utf-32-le"), "<u4")
        return Encoding.tiling(text, ids, self.vocabulary.n_bytes_of)

    def iter_pretokens(self, text: str) -> Iterator[Pretoken]:
        """Yield each character."""
        return place_pretokens(replace_lone_surrogates(text))

    def build(self, pretoken: Pretoken) -> Given:
        """Return a character, which has no inner structure."""
        return Given(tuple(map(ord, pretoken.text)), "A token is a character, looked up by its code point.")

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of code points. Raises UnknownTokenError."""
        return decode_bytes(self, ids).decode()

    def python_program(self) -> PythonProgram:
        """Return Python's own conversion between characters and code points."""
        return PythonProgram("", "[ord(character) for character in text]", '"".join(map(chr, ids))')
