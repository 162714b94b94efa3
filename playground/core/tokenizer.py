"""Tokenizer: what every page may ask of any tokenizer, and what they share.

Which tokenizers exist is `catalog`'s business.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Protocol

import regex

from playground.core.building import Building, MergeRule, Pretoken
from playground.core.encoding import Encoding
from playground.core.tokens import Segmentation
from playground.core.vocabulary import Vocabulary

NO_SPECIAL: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class PythonProgram:
    """The Python that gives a tokenizer's ids with the public library, for a snippet to put together.

    `setup` are whole lines. `encode` is an expression of `text`, `decode` one of `ids`; both leave special
    tokens to be what they are. `added` are the special tokens that the library does not know, by id.
    `honouring` is the program in which the library finds all special tokens, where that is another thing
    than encoding the text between them part by part.

    >>> PythonProgram("", "list(text.encode())", "bytes(ids).decode(errors='replace')").added
    {}
    """

    setup: str
    encode: str
    decode: str
    added: Mapping[int, str] = field(default_factory=dict)
    honouring: "PythonProgram | None" = None


@dataclass(frozen=True, slots=True)
class RestOfText:
    """How a tokenizer that puts something before each text encodes what follows a cut.

    `cut` matches, with width zero, only where a text may be cut when `encode` encodes what follows, as
    ordinary text and without what is put before a text. A cut never follows a special token.
    """

    cut: regex.Pattern[str]
    encode: Callable[[str], Encoding]

    @classmethod
    def behind(
        cls, before: str, cut: regex.Pattern[str], encode_text: Callable[[str], Encoding]
    ) -> "RestOfText":
        """Encode the rest of a text behind `before`, whose own tokens are removed from the result.

        `encode_text` may put something before each text it encodes. At the start of a text, the tokens of
        `before` must not depend on what follows.
        """
        n_bytes = len(before.encode())

        @cache
        def n_before() -> int:
            return len(encode_text(before))

        def encode(text: str) -> Encoding:
            found, n_tokens = encode_text(before + text), n_before()
            return Encoding(
                text, found.ids[n_tokens:], found.starts[n_tokens:] - n_bytes, found.ends[n_tokens:] - n_bytes
            )

        return cls(cut, encode)


class Tokenizer(Protocol):
    """A tokenizer of any kind. What it cannot do it says by None, or by tokens that are `Given`.

    `allowed_special` names the special tokens to honour; text that spells any other is ordinary text.
    A text with lone surrogates is read as if each were U+FFFD (see `replace_lone_surrogates`).

    The ids of `build`, over all pretokens of a text, are those of `encode`, apart from special and inserted
    tokens: tests/catalog/test_contract.py holds every tokenizer to it.
    """

    @property
    def name(self) -> str:
        """The encoding name, such as "cl100k_base"."""

    @property
    def vocabulary(self) -> Vocabulary:
        """Its tokens, special ones too."""

    @property
    def special_tokens(self) -> Mapping[str, int]:
        """Special tokens by their text."""

    @property
    def safe_cut(self) -> regex.Pattern[str] | None:
        """Matches, with width zero, only where a text may be cut and encoded piece by piece.

        None where no such place is known.
        """

    @property
    def rest(self) -> RestOfText | None:
        """Where a text may be cut whose rest is encoded in another way; None where no such place is known."""

    @property
    def split_pattern(self) -> str | None:
        """The regular expression that alone cuts a text into pretokens; "" where it stays whole.

        None where pretokens are found in another way, or in text that is normalized first.
        """

    @property
    def merges(self) -> MergeRule[Any] | None:
        """By which rule tokens are merged; None where they are not."""

    def encode(self, text: str, *, allowed_special: frozenset[str] = NO_SPECIAL) -> Encoding:
        """The ids of a text, and where they stand in it."""

    def iter_pretokens(self, text: str) -> Iterator[Pretoken]:
        """Yield what is encoded on its own, in text order; special tokens are ordinary text here."""

    def build(self, pretoken: Pretoken) -> Building:
        """How the tokens of a pretoken come about. Raises UnknownTokenError for a byte without a token."""

    def decode(self, ids: Iterable[int]) -> str:
        """The text of ids; bytes that are not UTF-8 become U+FFFD. Raises UnknownTokenError."""

    def python_program(self) -> PythonProgram:
        """The lines that give the same ids with the public library."""


def python_literal(text: str) -> str:
    """A string literal for Python: JSON's escapes are Python's too, save that surrogate pairs are not.

    >>> print(python_literal('say "no"'))
    "say \\"no\\""
    """
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\x7f").replace("\ufeff", "\\ufeff")


def segment(tokenizer: Tokenizer, text: str, *, allowed_special: frozenset[str] = NO_SPECIAL) -> Segmentation:
    """A text with its tokens placed in it, to look at."""
    encoding = tokenizer.encode(text, allowed_special=allowed_special)
    return Segmentation(encoding, tokenizer.vocabulary, frozenset(tokenizer.special_tokens.values()))


def lets_text_be_cut(tokenizer: Tokenizer) -> bool:
    """Whether it has places at which a text may be cut; without any, each change encodes all of a text."""
    return tokenizer.safe_cut is not None or tokenizer.rest is not None


def decode_bytes(tokenizer: Tokenizer, ids: Iterable[int]) -> bytes:
    """The bytes of ids, joined. Raises UnknownTokenError."""
    return b"".join(map(tokenizer.vocabulary.raw_of, ids))


def replace_lone_surrogates(text: str) -> str:
    r"""Replace each half of a surrogate pair that stands alone with U+FFFD, as tiktoken does.

    >>> replace_lone_surrogates("a\ud83d!")
    'a�!'
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def utf8_of(text: str) -> bytes:
    r"""The text in UTF-8, lone surrogates replaced.

    >>> utf8_of("é\ud800")
    b'\xc3\xa9\xef\xbf\xbd'
    """
    try:
        return text.encode()
    except UnicodeEncodeError:
        return replace_lone_surrogates(text).encode()
