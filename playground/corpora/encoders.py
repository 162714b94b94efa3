"""Encoders of much text: ids exactly those of `Tokenizer.encode`, by the compiled encoder where it can be.

What is read, and where the ids go, is others' business.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from playground.core.tokenizer import NO_SPECIAL, Tokenizer
from playground.core.vocabulary import Ids
from playground.corpora.rank_recipes import recipe_of


class Encoder(Protocol):
    """Encodes texts, each on its own. It belongs to one thread; `fork` gives another's."""

    @property
    def is_compiled(self) -> bool:
        """Whether the compiled encoder works, and not the tokenizer's library."""

    def count(self, texts: Sequence[str]) -> int:
        """How many ids the texts have."""

    def encode(self, texts: Sequence[str], *, closing_id: int = -1) -> Ids:
        """The ids of the texts in a row; the closing id behind each, -1 for none."""

    def fork(self) -> "Encoder":
        """The same for another thread."""


def encoder_of(tokenizer: Tokenizer, *, allowed_special: frozenset[str] = NO_SPECIAL) -> Encoder:
    """The compiled encoder of a tokenizer that merges by rank within a known pattern; else its library's.

    >>> from playground.catalog.registry import get_tokenizer
    >>> encoder = encoder_of(get_tokenizer("gpt2"))
    >>> encoder.is_compiled, encoder.encode(["Hello world", "Hello"], closing_id=50256).tolist()
    (True, [15496, 995, 50256, 15496, 50256])
    """
    recipe = recipe_of(tokenizer)
    if recipe is None:
        return LibraryEncoder(tokenizer, allowed_special)
    # Numba takes 0.3 s to load: only here, for what a library encodes does without.
    from playground.corpora.compiled_encoder import CompiledEncoder

    allowed = {
        name: token_id for name, token_id in tokenizer.special_tokens.items() if name in allowed_special
    }
    return CompiledEncoder.of(recipe, allowed)


@dataclass(frozen=True)
class LibraryEncoder:
    """Whatever the tokenizer itself does."""

    tokenizer: Tokenizer
    allowed_special: frozenset[str] = NO_SPECIAL
    is_compiled: bool = False

    def count(self, texts: Sequence[str]) -> int:
        """How many ids the texts have."""
        return sum(len(self._encode(text)) for text in texts)

    def encode(self, texts: Sequence[str], *, closing_id: int = -1) -> Ids:
        """The ids of the texts in a row; the closing id behind each, -1 for none."""
        closing = np.array([closing_id] if closing_id >= 0 else [], np.uint32)
        columns = [column for text in texts for column in (self._encode(text), closing)]
        return np.concatenate([np.zeros(0, np.uint32), *columns])

    def fork(self) -> "LibraryEncoder":
        """Itself: it keeps nothing."""
        return self

    def _encode(self, text: str) -> Ids:
        return self.tokenizer.encode(text, allowed_special=self.allowed_special).ids
