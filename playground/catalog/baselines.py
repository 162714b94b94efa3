"""Tokenizers that learn nothing: one token a byte, one token a character."""

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
    """Raw UTF-8: a token is a byte, an id its value.

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
        """Where a text may be cut: anywhere; these places are as good as any."""
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
        """The bytes of a text."""
        text = replace_lone_surrogates(text)
        ids = np.frombuffer(text.encode(), np.uint8).astype(np.uint32)
        return Encoding.tiling(text, ids, self.vocabulary.n_bytes_of)

    def iter_pretokens(self, text: str) -> Iterator[Pretoken]:
        """Yield each character: no token reaches over its end."""
        return place_pretokens(replace_lone_surrogates(text))

    def build(self, pretoken: Pretoken) -> Given:
        """Bytes, which have nothing inside."""
        return Given(tuple(pretoken.text.encode()), "A token is a byte, the smallest part that a text has.")

    def decode(self, ids: Iterable[int]) -> str:
        """The text of bytes; what is not UTF-8 becomes U+FFFD. Raises UnknownTokenError."""
        return decode_bytes(self, ids).decode(errors="replace")

    def python_program(self) -> PythonProgram:
        """Python's own encoding."""
        return PythonProgram("", "list(text.encode())", 'bytes(ids).decode(errors="replace")')


class CodePoints:
    """The vocabulary of all characters: nothing is kept of them, for an id is a code point.

    >>> vocabulary = CodePoints()
    >>> len(vocabulary), vocabulary.entry(0xE9).raw
    (1112064, b'\\xc3\\xa9')
    """

    n_vocab = 0x110000

    def __len__(self) -> int:
        return self.n_vocab - len(_SURROGATES)

    @cached_property
    def ids(self) -> Ids:
        """Every code point but the surrogates."""
        every = np.arange(self.n_vocab, dtype=np.uint32)
        return np.delete(every, _SURROGATES)

    @cached_property
    def ranks(self) -> Positions:
        """None has one."""
        return np.full(len(self), -1)

    def entry(self, token_id: int) -> Entry:
        """A character. Raises UnknownTokenError."""
        raw = self.raw_of(token_id)
        return Entry(token_id, raw, raw.decode(), "piece")

    def raw_of(self, token_id: int) -> bytes:
        """A character in UTF-8. Raises UnknownTokenError."""
        if not 0 <= token_id < self.n_vocab or token_id in _SURROGATES:
            raise UnknownTokenError(
                f"characters has no token {token_id}; its ids are code points, "
                "0 to 1,114,111 without the surrogates 55,296 to 57,343"
            )
        return chr(token_id).encode()

    def ids_of(self, raw: bytes) -> tuple[int, ...]:
        """The code point of a character in UTF-8."""
        text = raw.decode(errors="ignore")
        return (ord(text),) if len(text) == 1 and text.encode() == raw else ()

    def positions_of(self, ids: Ids) -> Positions:
        """Code points are counted without the surrogates. Raises UnknownTokenError."""
        is_after = ids >= _SURROGATES.stop
        is_unknown = (ids >= self.n_vocab) | (ids >= _SURROGATES.start) & ~is_after
        if is_unknown.any():
            self.raw_of(int(ids[np.argmax(is_unknown)]))
        return ids.astype(np.int64) - is_after * len(_SURROGATES)

    def raws_of(self, ids: Ids) -> list[bytes]:
        """Characters in UTF-8. Raises UnknownTokenError."""
        return [*map(self.raw_of, ids.tolist())]

    def n_bytes_of(self, ids: Ids) -> Positions:
        """One to four bytes. Raises UnknownTokenError."""
        self.positions_of(ids)
        return np.searchsorted(_FIRST_OF_LENGTH, ids, side="right")


_SURROGATES = range(0xD800, 0xE000)
#: The first characters of one, two, three and four bytes of UTF-8.
_FIRST_OF_LENGTH = np.array([0, 0x80, 0x800, 0x10000], np.uint32)


@dataclass(frozen=True)
class CharacterTokenizer:
    """A token is a Unicode character, an id its code point.

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
        """Where a text may be cut: anywhere; these places are as good as any."""
        return safe_cut_of("gpt2")

    def encode(self, text: str, *, allowed_special: frozenset[str] = NO_SPECIAL) -> Encoding:  # noqa: ARG002
        """The code points of a text."""
        text = replace_lone_surrogates(text)
        ids = np.frombuffer(text.encode("utf-32-le"), "<u4")
        return Encoding.tiling(text, ids, self.vocabulary.n_bytes_of)

    def iter_pretokens(self, text: str) -> Iterator[Pretoken]:
        """Yield each character."""
        return place_pretokens(replace_lone_surrogates(text))

    def build(self, pretoken: Pretoken) -> Given:
        """A character, which has nothing inside."""
        return Given(tuple(map(ord, pretoken.text)), "A token is a character, looked up by its code point.")

    def decode(self, ids: Iterable[int]) -> str:
        """The text of code points. Raises UnknownTokenError."""
        return decode_bytes(self, ids).decode()

    def python_program(self) -> PythonProgram:
        """Python's own characters."""
        return PythonProgram("", "[ord(character) for character in text]", '"".join(map(chr, ids))')
