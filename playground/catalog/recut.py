"""A tokenizer whose text is cut by another split pattern; its merges and ids stay the same."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import regex

from playground.bpe.safe_cuts import safe_cut_of
from playground.bpe.special_tokens import encode_ids_around_special
from playground.bpe.split_pattern import SwitchedPattern, iter_pretokens
from playground.catalog.ranked import RankedTokenizer
from playground.catalog.tiktoken_encoding import TIKTOKEN_EXPRESSIONS
from playground.catalog.trained import TrainedTokenizer
from playground.core.building import Merged, MergeRule, Pretoken, place_pretokens
from playground.core.encoding import Encoding
from playground.core.errors import CannotHoldError, InvalidInputError
from playground.core.short_texts import cache_short
from playground.core.tokenizer import (
    NO_SPECIAL,
    PythonProgram,
    Tokenizer,
    decode_bytes,
    replace_lone_surrogates,
)
from playground.core.vocabulary import TableVocabulary

_CUT = '''

def pieces_of(text):
    """What the pattern cuts, and what it leaves out."""
    position = 0
    for match in {spans}:
        yield from filter(None, (text[position : match.start()], match[0]))
        position = match.end()
    if position < len(text):
        yield text[position:]


'''


@dataclass(frozen=True)
class RecutTokenizer:
    """`base` with its text cut by `switched`; text that no alternative matches is a pretoken too.

    >>> from playground.catalog.registry import get_tokenizer
    >>> recut(get_tokenizer("gpt2"), r"\\w+| \\w+", ()).encode("Hello world")
    [15496, 995]
    """

    base: RankedTokenizer | TrainedTokenizer
    switched: SwitchedPattern

    @property
    def name(self) -> str:
        """The name of the base."""
        return self.base.name

    @property
    def vocabulary(self) -> TableVocabulary:
        """The vocabulary of the base."""
        return self.base.vocabulary

    @property
    def special_tokens(self) -> Mapping[str, int]:
        """The special tokens of the base."""
        return self.base.special_tokens

    @property
    def safe_cut(self) -> regex.Pattern[str] | None:
        """Where a text may be cut; None for patterns that are not known."""
        return safe_cut_of(self.switched.pattern.name)

    @property
    def rest(self) -> None:
        """None: nothing is put before a text."""

    @property
    def split_pattern(self) -> str:
        """The pattern that cuts; "" if all alternatives are off."""
        return self.switched.pattern.expression

    @property
    def merges(self) -> MergeRule[Any]:
        """The merge rule of the base."""
        return self.base.merges

    def encode(self, text: str, *, allowed_special: frozenset[str] = NO_SPECIAL) -> Encoding:
        """Return the ids of a text. Raises InvalidInputError if the pattern takes too long."""
        return encode_ids_around_special(self, text, allowed_special, self._encode_ordinary)

    def iter_pretokens(self, text: str) -> Iterator[Pretoken]:
        """Yield the pretokens that the pattern cuts. Raises InvalidInputError."""
        pieces = iter_pretokens(replace_lone_surrogates(text), self.switched.pattern)
        return place_pretokens(piece for piece, _is_match in pieces)

    def build(self, pretoken: Pretoken) -> Merged:
        """Return the merges of a pretoken."""
        return self.base.build(pretoken)

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of ids; invalid UTF-8 becomes U+FFFD. Raises UnknownTokenError."""
        return decode_bytes(self, ids).decode(errors="replace")

    def python_program(self) -> PythonProgram:
        """Return Python that encodes each pretoken in tiktoken.

        Raises CannotHoldError if tiktoken does not give the ids of the base.
        """
        base = self.base.python_program()
        if (base.encode, base.decode) != TIKTOKEN_EXPRESSIONS:
            raise CannotHoldError(f"no library gives the ids of {self.name} for pieces that it has not cut")
        expression = self.split_pattern
        spans = f"regex.finditer({expression!r}, text)" if expression else 'regex.finditer("(?s).+", text)'
        encode = "[i for p in pieces_of(text) for i in encoding._core_bpe.encode_single_piece(p.encode())]"
        setup = f"import regex\n{base.setup}{_CUT.replace('{spans}', spans)}"
        return PythonProgram(setup, encode, base.decode)

    def _encode_ordinary(self, text: str) -> list[int]:
        pretokens = iter_pretokens(text, self.switched.pattern)
        return [token_id for piece, _is_match in pretokens for token_id in self._encode_piece(piece)]

    @cached_property
    def _encode_piece(self) -> Callable[[str], Sequence[int]]:
        return cache_short(self.base.encode_pretoken)


def is_recuttable(tokenizer: Tokenizer) -> bool:
    """Whether `recut` takes a tokenizer: one that merges bytes of text that is not normalized.

    >>> from playground.catalog.registry import get_tokenizer
    >>> is_recuttable(get_tokenizer("gpt2")), is_recuttable(get_tokenizer("bert_uncased"))
    (True, False)
    """
    return isinstance(tokenizer, RankedTokenizer | TrainedTokenizer)


def recut(tokenizer: Tokenizer, expression: str, off: Collection[int]) -> Tokenizer:
    """Return a tokenizer whose text is cut by an expression without the alternatives `off`.

    "" stands for the tokenizer's own pattern. Raises InvalidInputError for a tokenizer that cannot be recut,
    and for an expression that `SplitPattern.typed` refuses.
    """
    if not expression and not off:
        return tokenizer
    if not isinstance(tokenizer, RankedTokenizer | TrainedTokenizer):
        raise InvalidInputError(f"{tokenizer.name} has no split pattern that could be another")
    return RecutTokenizer(tokenizer, SwitchedPattern.of(expression or tokenizer.split_pattern, off))
