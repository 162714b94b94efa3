"""A tokenizer that normalizes a text before another one cuts it; spans point into the text as typed."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import regex

from playground.bpe.normalization import Normalize, Normalized, normalize_nfc
from playground.bpe.special_tokens import encode_around_special
from playground.core.building import Building, MergeRule, Pretoken
from playground.core.encoding import Encoding
from playground.core.text_units import character_of_bytes
from playground.core.tokenizer import NO_SPECIAL, PythonProgram, Tokenizer, replace_lone_surrogates
from playground.core.vocabulary import Vocabulary


@dataclass(frozen=True)
class NormalizedTokenizer:
    """`base` on texts in normalization form C; `nfc` is the library's function, `program` how to call it.

    >>> import unicodedata
    >>> from playground.catalog.baselines import CharacterTokenizer
    >>> tokenizer = NormalizedTokenizer(
    ...     CharacterTokenizer(), lambda text: unicodedata.normalize("NFC", text), PythonProgram("", "", "")
    ... )
    >>> encoding = tokenizer.encode("xe\\u0301")
    >>> encoding, encoding.starts.tolist(), encoding.ends.tolist()
    ([120, 233], [0, 1], [1, 4])
    """

    base: Tokenizer
    nfc: Normalize
    program: PythonProgram
    split_pattern: None = None
    rest: None = None

    @property
    def name(self) -> str:
        """The encoding name."""
        return self.base.name

    @property
    def vocabulary(self) -> Vocabulary:
        """The tokens of the base."""
        return self.base.vocabulary

    @property
    def special_tokens(self) -> Mapping[str, int]:
        """Special tokens by their text, which is not normalized."""
        return self.base.special_tokens

    @property
    def safe_cut(self) -> regex.Pattern[str] | None:
        """The places of the base: none stands before a mark, and form C changes nothing across the others."""
        return self.base.safe_cut

    @property
    def merges(self) -> MergeRule[Any] | None:
        """The merges of the base."""
        return self.base.merges

    def encode(self, text: str, *, allowed_special: frozenset[str] = NO_SPECIAL) -> Encoding:
        """The ids of a text; a token of changed characters covers all that they were made of."""
        return encode_around_special(self, text, allowed_special, self._encode)

    def iter_pretokens(self, text: str) -> Iterator[Pretoken]:
        """Yield what the base cuts; two share characters of the source that were changed into both."""
        text = replace_lone_surrogates(text)
        normalized = normalize_nfc(text, self.nfc)
        if normalized is None:
            yield from self.base.iter_pretokens(text)
            return
        characters = character_of_bytes(text)
        start = 0
        for pretoken in self.base.iter_pretokens(normalized.text):
            end = start + len(pretoken.text.encode())
            first, last = normalized.starts[start], normalized.ends[end - 1]
            yield Pretoken(pretoken.text, int(characters[first]), int(characters[last]))
            start = end

    def build(self, pretoken: Pretoken) -> Building:
        """How the base builds a pretoken, which is normalized."""
        return self.base.build(pretoken)

    def decode(self, ids: Iterable[int]) -> str:
        """The normalized text of ids. Raises UnknownTokenError."""
        return self.base.decode(ids)

    def python_program(self) -> PythonProgram:
        """The program of the base on normalized text."""
        return self.program

    def _encode(self, text: str) -> Encoding:
        normalized = normalize_nfc(text, self.nfc)
        if normalized is None:
            return self.base.encode(text)
        return _in_source(text, normalized, self.base.encode(normalized.text))


def _in_source(text: str, normalized: Normalized, encoding: Encoding) -> Encoding:
    """The encoding of a normalized text, placed in its source. No token of it is without bytes."""
    return Encoding(
        text, encoding.ids, normalized.starts[encoding.starts], normalized.ends[encoding.ends - 1]
    )
