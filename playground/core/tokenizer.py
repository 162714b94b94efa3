"""Tokenizer: what every page may ask of any tokenizer, and what they share.

Which tokenizers exist is `catalog`'s business.
"""

from collections.abc import Iterable, Mapping
from typing import Protocol

import regex

from playground.core.tokens import Segmentation, place_tokens

NO_SPECIAL: frozenset[str] = frozenset()


class Tokenizer(Protocol):
    """A lossless tokenizer: the bytes of its tokens join to the UTF-8 of the text.

    `allowed_special` names the special tokens to honour; text that spells any other is ordinary text.
    A text with lone surrogates is read as if each were U+FFFD (see `replace_lone_surrogates`).
    """

    @property
    def name(self) -> str:
        """The encoding name, such as "cl100k_base"."""

    @property
    def n_vocab(self) -> int:
        """One more than the largest id; ids may have gaps."""

    @property
    def special_tokens(self) -> Mapping[str, int]:
        """Special tokens by their text."""

    @property
    def safe_cut(self) -> regex.Pattern[str] | None:
        """Matches, with width zero, only where a text may be cut and encoded piece by piece.

        None where no such place is known.
        """

    def encode(self, text: str, *, allowed_special: frozenset[str] = NO_SPECIAL) -> list[int]:
        """The ids of a text."""

    def token_bytes(self, token_id: int) -> bytes:
        """The bytes of a token. Raises UnknownTokenError."""

    def segment(self, text: str, *, allowed_special: frozenset[str] = NO_SPECIAL) -> Segmentation:
        """The text with its tokens placed in it."""

    def decode(self, ids: Iterable[int]) -> str:
        """The text of ids; bytes that are not UTF-8 become U+FFFD. Raises UnknownTokenError."""


def segment_lossless(tokenizer: Tokenizer, text: str, *, allowed_special: frozenset[str]) -> Segmentation:
    """Encode a text and place each token by the length of its bytes."""
    text = replace_lone_surrogates(text)
    ids = tokenizer.encode(text, allowed_special=allowed_special)
    special_ids = frozenset(tokenizer.special_tokens.values())
    raw_of = {token_id: tokenizer.token_bytes(token_id) for token_id in set(ids)}
    return Segmentation(tokenizer.name, text, place_tokens(text, ids, raw_of, special_ids=special_ids))


def decode_bytes(tokenizer: Tokenizer, ids: Iterable[int]) -> bytes:
    """The bytes of ids, joined. Raises UnknownTokenError."""
    return b"".join(map(tokenizer.token_bytes, ids))


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
