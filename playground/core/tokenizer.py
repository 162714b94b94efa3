"""Tokenizer: the contract of every tokenizer, and functions that work with any of them.

The tokenizers themselves are in `catalog`.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Protocol, runtime_checkable

import regex

from playground.core.building import Building, MergeRule, Pretoken
from playground.core.encoding import Encoding
from playground.core.tokens import Segmentation
from playground.core.vocabulary import Vocabulary

NO_SPECIAL: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class PythonProgram:
    """Python that produces a tokenizer's ids with the public library, in parts for a snippet.

    `setup` is whole lines. `encode` is an expression of `text`, `decode` one of `ids`; both treat special
    tokens as ordinary text. `added` maps ids to special tokens that the library does not know. `with_special`
    is the program in which the library recognizes all special tokens, if that differs from encoding the parts
    between them.

    >>> PythonProgram("", "list(text.encode())", "bytes(ids).decode(errors='replace')").added
    {}
    """

    setup: str
    encode: str
    decode: str
    added: Mapping[int, str] = field(default_factory=dict)
    with_special: "PythonProgram | None" = None


@dataclass(frozen=True, slots=True)
class RestOfText:
    """How a tokenizer that puts something before each text encodes the text after a cut.

    `cut` matches, with width zero, only where `encode` gives the ids of what follows, as ordinary text and
    without the prefix. A cut never directly follows a special token.
    """

    cut: regex.Pattern[str]
    encode: Callable[[str], Encoding]
    #: The text after which the rest is encoded.
    before: str

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

        return cls(cut, encode, before)


@runtime_checkable
class EncodesInBatches(Protocol):
    """A tokenizer whose library encodes many texts in one call, on all cores."""

    def encode_batch(self, texts: Sequence[str]) -> list[Sequence[int]]:
        """Return the ids of each text, as `encode` does without special tokens."""


class Tokenizer(Protocol):
    """A tokenizer of any kind. A capability it lacks is None, or a building that is `Given`.

    `allowed_special` names the special tokens to recognize; any other is ordinary text. Lone surrogates are
    read as U+FFFD (see `replace_lone_surrogates`).

    The ids of `build` over all pretokens of a text equal those of `encode`, except special and inserted
    tokens: tests/catalog/test_contract.py checks this for every tokenizer.
    """

    @property
    def name(self) -> str:
        """The encoding name, such as "cl100k_base"."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The tokens, including special tokens."""

    @property
    def special_tokens(self) -> Mapping[str, int]:
        """Map each special token to its id."""

    @property
    def safe_cut(self) -> regex.Pattern[str] | None:
        """Matches, with width zero, only where a text may be cut and encoded piece by piece.

        None if no such place is known.
        """

    @property
    def rest(self) -> RestOfText | None:
        """Where a text may be cut if its rest is encoded with `rest.encode`; None for nowhere."""

    @property
    def split_pattern(self) -> str | None:
        """The regular expression that alone cuts a text into pretokens; "" if the text stays whole.

        None if pretokens are found in another way, or in text that is normalized first.
        """

    @property
    def merges(self) -> MergeRule[Any] | None:
        """The rule by which tokens merge; None if they do not merge."""

    def encode(self, text: str, *, allowed_special: frozenset[str] = NO_SPECIAL) -> Encoding:
        """Return the ids of a text and their positions."""

    def iter_pretokens(self, text: str) -> Iterator[Pretoken]:
        """Yield the pieces that are encoded on their own; special tokens are ordinary text here."""

    def build(self, pretoken: Pretoken) -> Building:
        """Return how the tokens of a pretoken come about.

        Raises UnknownTokenError for a byte without a token.
        """

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of ids; invalid UTF-8 becomes U+FFFD. Raises UnknownTokenError."""

    def python_program(self) -> PythonProgram:
        """Return Python that produces the same ids with the public library."""


def python_literal(text: str) -> str:
    """Return a Python string literal; JSON's escapes are Python's too, except for surrogate pairs.

    >>> print(python_literal('say "no"'))
    "say \\"no\\""
    """
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\x7f").replace("\ufeff", "\\ufeff")


def segment(tokenizer: Tokenizer, text: str, *, allowed_special: frozenset[str] = NO_SPECIAL) -> Segmentation:
    """Encode a text and return its tokens with their positions, for display."""
    encoding = tokenizer.encode(text, allowed_special=allowed_special)
    return Segmentation(encoding, tokenizer.vocabulary, frozenset(tokenizer.special_tokens.values()))


def lets_text_be_cut(tokenizer: Tokenizer) -> bool:
    """Whether a text may be cut anywhere; without any cut, each edit encodes the whole text again."""
    return tokenizer.safe_cut is not None or tokenizer.rest is not None


def decode_bytes(tokenizer: Tokenizer, ids: Iterable[int]) -> bytes:
    """Return the joined bytes of ids. Raises UnknownTokenError."""
    return b"".join(map(tokenizer.vocabulary.raw_of, ids))


def replace_lone_surrogates(text: str) -> str:
    r"""Replace each lone surrogate with U+FFFD, as tiktoken does.

    >>> replace_lone_surrogates("a\ud83d!")
    'a�!'
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def utf8_of(text: str) -> bytes:
    r"""Return a text in UTF-8, with lone surrogates replaced.

    >>> utf8_of("é\ud800")
    b'\xc3\xa9\xef\xbf\xbd'
    """
    try:
        return text.encode()
    except UnicodeEncodeError:
        return replace_lone_surrogates(text).encode()
