"""A tokenizer with special tokens added; everything else is that of the wrapped tokenizer."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from typing import Any

import numpy as np
import regex

from playground.bpe.special_tokens import encode_around_special
from playground.core.building import Building, MergeRule, Pretoken
from playground.core.encoding import Encoding
from playground.core.errors import InvalidInputError, UnknownTokenError
from playground.core.text_units import Positions
from playground.core.tokenizer import (
    NO_SPECIAL,
    PythonProgram,
    RestOfText,
    Tokenizer,
    replace_lone_surrogates,
)
from playground.core.vocabulary import Entry, Ids, Vocabulary
from playground.core.wording import quoted
from playground.files.limits import MAX_SPECIAL_CHARS

MAX_OWN_SPECIAL = 64


class AddedVocabulary:
    """The tokens of `base` followed by added special tokens, whose ids may be in its gaps.

    >>> from playground.catalog.baselines import ByteTokenizer
    >>> vocabulary = AddedVocabulary(ByteTokenizer().vocabulary, {"<s>": 300})
    >>> len(vocabulary), vocabulary.n_vocab, vocabulary.raw_of(300)
    (257, 301, b'<s>')
    """

    def __init__(self, base: Vocabulary, extra: Mapping[str, int]) -> None:
        self._base = base
        self._name_of = {token_id: name for name, token_id in extra.items()}

    def __len__(self) -> int:
        return len(self._base) + len(self._name_of)

    @property
    def n_vocab(self) -> int:
        """The largest id plus one."""
        return max([self._base.n_vocab, *(token_id + 1 for token_id in self._name_of)])

    @cached_property
    def ids(self) -> Ids:
        """The id of each token, by position; the added ones come last."""
        return np.concatenate([self._base.ids, self._added_ids])

    @cached_property
    def ranks(self) -> Positions:
        """The rank of each token, by position; added tokens have none."""
        return np.concatenate([self._base.ranks, np.full(len(self._name_of), -1)])

    def entry(self, token_id: int) -> Entry:
        """Return everything known about a token. Raises UnknownTokenError."""
        name = self._name_of.get(token_id)
        if name is not None:
            return Entry(token_id, name.encode(), name, "special")
        with self.naming_the_added():
            return self._base.entry(token_id)

    def raw_of(self, token_id: int) -> bytes:
        """Return the bytes of a token. Raises UnknownTokenError."""
        name = self._name_of.get(token_id)
        if name is not None:
            return name.encode()
        with self.naming_the_added():
            return self._base.raw_of(token_id)

    def ids_of(self, raw: bytes) -> tuple[int, ...]:
        """Return the ids of all tokens with these bytes, in ascending order."""
        added = [token_id for token_id, name in self._name_of.items() if name.encode() == raw]
        return tuple(sorted([*self._base.ids_of(raw), *added]))

    def positions_of(self, ids: Ids) -> Positions:
        """Return the position of each id. Raises UnknownTokenError."""
        first = len(self._base)
        return self._column(ids, self._base.positions_of, lambda token_id: first + self._place_of[token_id])

    def raws_of(self, ids: Ids) -> list[bytes]:
        """Return the bytes of each id. Raises UnknownTokenError."""
        if np.isin(ids, self._added_ids).any():
            return [*map(self.raw_of, ids.tolist())]
        with self.naming_the_added():
            return [*self._base.raws_of(ids)]

    def n_bytes_of(self, ids: Ids) -> Positions:
        """Return the length of each id in bytes. Raises UnknownTokenError."""
        return self._column(ids, self._base.n_bytes_of, lambda token_id: len(self.raw_of(token_id)))

    @contextmanager
    def naming_the_added(self) -> Iterator[None]:
        """Add the special tokens to the message of an UnknownTokenError."""
        try:
            yield
        except UnknownTokenError as error:
            extra = ", ".join(f"{token_id} (“{name}”)" for token_id, name in self._name_of.items())
            raise UnknownTokenError(f"{error}, and those of its added special tokens: {extra}") from None

    def _column(
        self, ids: Ids, of_base: Callable[[Ids], Positions], of_added: Callable[[int], int]
    ) -> Positions:
        is_added = np.isin(ids, self._added_ids)
        with self.naming_the_added():
            if not is_added.any():
                return of_base(ids)
            column = np.zeros(len(ids), np.int64)
            column[~is_added] = of_base(ids[~is_added])
        column[is_added] = [*map(of_added, ids[is_added].tolist())]
        return column

    @cached_property
    def _added_ids(self) -> Ids:
        return np.fromiter(self._name_of, np.uint32, len(self._name_of))

    @cached_property
    def _place_of(self) -> dict[int, int]:
        return {token_id: place for place, token_id in enumerate(self._name_of)}


@dataclass(frozen=True)
class WithSpecialTokens:
    """`base` with added special tokens; its own ids stay the same.

    >>> from playground.catalog.registry import get_tokenizer
    >>> chat = WithSpecialTokens(get_tokenizer("cl100k_base"), {"<|im_end|>": 100265})
    >>> chat.encode("Hi<|im_end|>", allowed_special=frozenset({"<|im_end|>"}))
    [13347, 100265]
    """

    base: Tokenizer
    extra: Mapping[str, int]
    special_tokens: Mapping[str, int] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "special_tokens", {**self.base.special_tokens, **self.extra})

    @property
    def name(self) -> str:
        """The encoding name of the base."""
        return self.base.name

    @cached_property
    def vocabulary(self) -> AddedVocabulary:
        """The tokens of the base and the added tokens."""
        return AddedVocabulary(self.base.vocabulary, self.extra)

    @property
    def safe_cut(self) -> regex.Pattern[str] | None:
        """Where a text without special tokens may be cut and encoded in pieces."""
        return self.base.safe_cut

    @property
    def rest(self) -> RestOfText | None:
        """How the base encodes the rest of a text."""
        return self.base.rest

    @property
    def split_pattern(self) -> str | None:
        """The split pattern of the base."""
        return self.base.split_pattern

    @property
    def merges(self) -> MergeRule[Any] | None:
        """The merge rule of the base."""
        return self.base.merges

    def encode(self, text: str, *, allowed_special: frozenset[str] = NO_SPECIAL) -> Encoding:
        """Return the ids of a text."""
        return encode_around_special(self, text, allowed_special, self.base.encode)

    def iter_pretokens(self, text: str) -> Iterator[Pretoken]:
        """Yield the pretokens of the base."""
        return self.base.iter_pretokens(text)

    def build(self, pretoken: Pretoken) -> Building:
        """Return how the base builds a pretoken."""
        return self.base.build(pretoken)

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of ids; the base decodes the runs between added tokens.

        Raises UnknownTokenError.
        """
        name_of = {token_id: name for name, token_id in self.extra.items()}
        with self.vocabulary.naming_the_added():
            return "".join(
                "".join(map(name_of.__getitem__, run)) if is_added else self.base.decode(run)
                for is_added, run in groupby(ids, name_of.__contains__)
            )

    def python_program(self) -> PythonProgram:
        """Return the program of the base, with the added tokens it does not know."""
        program = self.base.python_program()
        added = {**program.added, **{token_id: name for name, token_id in self.extra.items()}}
        return replace(program, added=added, with_special=None)


def with_own_special_tokens(base: Tokenizer, names: Sequence[str]) -> Tokenizer:
    """Return a tokenizer with a visitor's special tokens, numbered after the vocabulary of the base.

    >>> from playground.catalog.registry import get_tokenizer
    >>> dict(with_own_special_tokens(get_tokenizer("gpt2"), ["<user>"]).special_tokens)
    {'<|endoftext|>': 50256, '<user>': 50257}

    Raises: InvalidInputError for an empty name, an existing one, a lone surrogate, more than
    MAX_SPECIAL_CHARS characters, or more than MAX_OWN_SPECIAL names.
    """
    if not names:
        return base
    if len(names) > MAX_OWN_SPECIAL:
        raise InvalidInputError(f"{len(names)} own special tokens are too many; up to {MAX_OWN_SPECIAL} fit")
    seen = set(base.special_tokens)
    for name in names:
        shown = quoted(name, n_shown=40)
        if not name:
            raise InvalidInputError("a special token must have at least one character")
        if len(name) > MAX_SPECIAL_CHARS:
            raise InvalidInputError(
                f"the special token {shown} has {len(name):,} characters; at most {MAX_SPECIAL_CHARS} fit"
            )
        if replace_lone_surrogates(name) != name:
            raise InvalidInputError("a special token must not hold half a surrogate pair")
        if name in seen:
            raise InvalidInputError(f"the special token {shown} exists already; choose another name")
        seen.add(name)
    return WithSpecialTokens(
        base, {name: base.vocabulary.n_vocab + place for place, name in enumerate(names)}
    )


def special_tokens_that_fit(base: Tokenizer, names: Sequence[str]) -> tuple[tuple[str, ...], list[str]]:
    """Return the names that can be added together, and the problems of the others.

    >>> from playground.catalog.registry import get_tokenizer
    >>> special_tokens_that_fit(get_tokenizer("gpt2"), ["<|endoftext|>", "<user>"])
    (('<user>',), ["the special token '<|endoftext|>' exists already; choose another name"])
    """
    taken: tuple[str, ...] = ()
    problems: dict[str, None] = {}
    for name in names:
        try:
            with_own_special_tokens(base, (*taken, name))
        except InvalidInputError as error:
            problems[str(error)] = None
        else:
            taken = (*taken, name)
    return taken, [*problems]


def without_own_special_tokens(tokenizer: Tokenizer) -> Tokenizer:
    """Return the tokenizer without special tokens that were added to it."""
    while isinstance(tokenizer, WithSpecialTokens):
        tokenizer = tokenizer.base
    return tokenizer
