"""A tokenizer with special tokens added; everything else is the tokenizer it wraps."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import regex

from playground.bpe.special_tokens import iter_special_parts
from playground.core.errors import InvalidInputError, UnknownTokenError
from playground.core.tokenizer import (
    NO_SPECIAL,
    Tokenizer,
    decode_bytes,
    replace_lone_surrogates,
    segment_lossless,
)
from playground.core.tokens import Segmentation

MAX_OWN_SPECIAL = 64
MAX_SPECIAL_CHARS = 200


@dataclass(frozen=True, slots=True)
class WithSpecialTokens:
    """`base` with more special tokens; ids of the base stay what they are.

    >>> from playground.catalog.registry import get_tokenizer
    >>> chat = WithSpecialTokens(get_tokenizer("cl100k_base"), {"<|im_end|>": 100265})
    >>> chat.encode("Hi<|im_end|>", allowed_special=frozenset({"<|im_end|>"}))
    [13347, 100265]
    """

    base: Tokenizer
    extra: Mapping[str, int]
    special_tokens: Mapping[str, int] = field(init=False)
    _raw_of_extra: Mapping[int, bytes] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "special_tokens", {**self.base.special_tokens, **self.extra})
        object.__setattr__(self, "_raw_of_extra", {i: name.encode() for name, i in self.extra.items()})

    @property
    def name(self) -> str:
        """The encoding name of the base."""
        return self.base.name

    @property
    def n_vocab(self) -> int:
        """One more than the largest id."""
        return max(self.base.n_vocab, *(token_id + 1 for token_id in self.extra.values()))

    @property
    def safe_cut(self) -> regex.Pattern[str] | None:
        """Where a text without special tokens may be cut and encoded in pieces."""
        return self.base.safe_cut

    @property
    def split_pattern(self) -> str | None:
        """The pattern of the base, None where it has none."""
        return getattr(self.base, "split_pattern", None)

    @property
    def mergeable_ranks(self) -> Mapping[bytes, int]:
        """The ranks of the base, empty where it has none."""
        return getattr(self.base, "mergeable_ranks", {})

    def encode(self, text: str, *, allowed_special: frozenset[str] = NO_SPECIAL) -> list[int]:
        """The ids of a text."""
        text = replace_lone_surrogates(text)
        allowed = [name for name in self.special_tokens if name in allowed_special]
        ids: list[int] = []
        for part, is_special in iter_special_parts(text, allowed):
            if is_special:
                ids.append(self.special_tokens[part])
            else:
                ids.extend(self.base.encode(part))
        return ids

    def token_bytes(self, token_id: int) -> bytes:
        """The bytes of a token. Raises UnknownTokenError."""
        raw = self._raw_of_extra.get(token_id)
        if raw is not None:
            return raw
        try:
            return self.base.token_bytes(token_id)
        except UnknownTokenError as error:
            extra = ", ".join(f"{number} (“{name}”)" for name, number in self.extra.items())
            raise UnknownTokenError(f"{error}, and those of its added special tokens: {extra}") from None

    def segment(self, text: str, *, allowed_special: frozenset[str] = NO_SPECIAL) -> Segmentation:
        """The text with its tokens placed in it."""
        return segment_lossless(self, text, allowed_special=allowed_special)

    def decode(self, ids: Iterable[int]) -> str:
        """The text of ids; bytes that are not UTF-8 become U+FFFD. Raises UnknownTokenError."""
        return decode_bytes(self, ids).decode(errors="replace")


def with_own_special_tokens(base: Tokenizer, names: Sequence[str]) -> Tokenizer:
    """Add one's own special tokens; their ids follow the vocabulary of the base.

    >>> from playground.catalog.registry import get_tokenizer
    >>> dict(with_own_special_tokens(get_tokenizer("gpt2"), ["<user>"]).special_tokens)
    {'<|endoftext|>': 50256, '<user>': 50257}

    Raises InvalidInputError for an empty name, one that exists, one with half a surrogate pair, a name of
    over MAX_SPECIAL_CHARS characters, or over MAX_OWN_SPECIAL names.
    """
    if not names:
        return base
    if len(names) > MAX_OWN_SPECIAL:
        raise InvalidInputError(f"{len(names)} own special tokens are too many; up to {MAX_OWN_SPECIAL} fit")
    seen = set(base.special_tokens)
    for name in names:
        shown = name if len(name) <= 40 else f"{name[:40]}…"
        if not name:
            raise InvalidInputError("a special token must have at least one character")
        if len(name) > MAX_SPECIAL_CHARS:
            raise InvalidInputError(
                f"the special token “{shown}” has {len(name):,} characters; at most {MAX_SPECIAL_CHARS} fit"
            )
        if replace_lone_surrogates(name) != name:
            raise InvalidInputError("a special token must not hold half a surrogate pair")
        if name in seen:
            raise InvalidInputError(f"the special token “{shown}” exists already; choose another name")
        seen.add(name)
    return WithSpecialTokens(base, {name: base.n_vocab + place for place, name in enumerate(names)})
