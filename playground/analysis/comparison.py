"""Compare tokenizers on one text: token counts, compression, and common token boundaries.

`live_comparison` computes the same figures for a text that is being edited.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypedDict

import numpy as np
import numpy.typing as npt

from playground.catalog.claude import ClaudeTokenizer
from playground.catalog.models import Model
from playground.core.text_units import Column
from playground.core.tokenizer import Tokenizer, replace_lone_surrogates


@dataclass(frozen=True, eq=False, slots=True)
class TextCut:
    """A text in one tokenizer, as columns: the ids, and the byte at which each token starts.

    Starts never decrease; an inserted token starts where the next one does, or where the text ends.
    """

    tokenizer_name: str
    n_vocab: int
    ids: Column
    byte_starts: Column

    @property
    def boundaries(self) -> Column:
        """The distinct bytes at which a token starts after another one."""
        after, before = self.byte_starts[1:], self.byte_starts[:-1]
        return after[after > before]


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """The figures of one tokenizer, also relative to the first tokenizer of the comparison.

    `n_words` counts runs of characters that are not white space. `shared_boundaries` is the number of
    boundaries that this tokenizer and the first have in common as a share of all that either has; 1.0 if
    neither has any. `tokens_against_first` is the number of additional tokens it needs; negative for fewer.
    """

    tokenizer_name: str
    n_vocab: int
    n_tokens: int
    n_bytes: int
    n_characters: int
    n_words: int
    shared_boundaries: float
    tokens_against_first: int

    @property
    def bytes_per_token(self) -> float:
        """Compression; this and the next two are 0.0 for an empty text."""
        return self.n_bytes / self.n_tokens if self.n_tokens else 0.0

    @property
    def characters_per_token(self) -> float:
        """Unicode characters for each token."""
        return self.n_characters / self.n_tokens if self.n_tokens else 0.0

    @property
    def tokens_per_word(self) -> float:
        """Also called fertility."""
        return self.n_tokens / self.n_words if self.n_words else 0.0


class ComparedModel(TypedDict):
    """A row: its name, the tokenizer with what its counts are, and dollars per million input tokens."""

    name: str
    detail: str
    input_price: float | None


def compared_model(tokenizer: Tokenizer, model: Model | None) -> ComparedModel:
    """Return the name of a row: that of the model that the tokenizer was chosen for, or its own.

    >>> from playground.catalog.registry import get_tokenizer
    >>> compared_model(get_tokenizer("gpt2"), None)
    {'name': 'gpt2', 'detail': '', 'input_price': None}
    """
    details = [] if model is None else [tokenizer.name]
    if isinstance(tokenizer, ClaudeTokenizer):
        details.append("reconstructed")
    return {
        "name": tokenizer.name if model is None else model.name,
        "detail": " · ".join(details),
        "input_price": None if model is None else model.input_price,
    }


def cut_text(tokenizer: Tokenizer, text: str) -> TextCut:
    """Encode a text as a `TextCut`.

    >>> from playground.catalog.registry import get_tokenizer
    >>> cut_text(get_tokenizer("gpt2"), "Hello world!").byte_starts.tolist()
    [0, 5, 11]
    """
    encoding = tokenizer.encode(text)
    starts = encoding.starts.astype(np.uint32)
    return TextCut(tokenizer.name, tokenizer.vocabulary.n_vocab, encoding.ids, starts)


def comparison_rows(text: str, cuts: Sequence[TextCut]) -> list[ComparisonRow]:
    """Return a row for each cut, in order; the others are compared with the first.

    >>> from playground.catalog.registry import get_tokenizer
    >>> cuts = [cut_text(get_tokenizer(name), "안녕하세요") for name in ("gpt2", "o200k_base")]
    >>> [(row.n_tokens, row.tokens_against_first) for row in comparison_rows("안녕하세요", cuts)]
    [(14, 0), (2, -12)]
    """
    text = replace_lone_surrogates(text)
    n_bytes, n_words = len(text.encode()), len(text.split())
    return [
        ComparisonRow(
            tokenizer_name=cut.tokenizer_name,
            n_vocab=cut.n_vocab,
            n_tokens=len(cut.ids),
            n_bytes=n_bytes,
            n_characters=len(text),
            n_words=n_words,
            shared_boundaries=shared_boundaries(cuts[0], cut),
            tokens_against_first=len(cut.ids) - len(cuts[0].ids),
        )
        for cut in cuts
    ]


def row_figures(row: ComparisonRow) -> dict[str, Any]:
    """Return a row as a dictionary, including its ratios.

    >>> row_figures(ComparisonRow("gpt2", 50257, 4, 9, 9, 2, 1.0, 0))["bytes_per_token"]
    2.25
    """
    return asdict(row) | {
        "bytes_per_token": row.bytes_per_token,
        "characters_per_token": row.characters_per_token,
        "tokens_per_word": row.tokens_per_word,
    }


def shared_boundaries(first: TextCut, second: TextCut) -> float:
    """Return the token boundaries that both cuts have, divided by those that either has (Jaccard index).

    >>> from playground.catalog.registry import get_tokenizer
    >>> shared_boundaries(*(cut_text(get_tokenizer(name), "Egg egg") for name in ("gpt2", "o200k_base")))
    0.5
    """
    if first is second:
        return 1.0
    own, other = first.boundaries, second.boundaries
    n_bytes = 1 + max((int(starts[-1]) for starts in (own, other) if len(starts)), default=0)
    is_start = np.zeros(n_bytes, dtype=np.bool_)
    is_start[own] = True
    n_shared = int(np.count_nonzero(is_start[other]))
    n_either = len(own) + len(other) - n_shared
    return n_shared / n_either if n_either else 1.0


@dataclass(frozen=True, slots=True)
class Agreement:
    """The number of token boundaries in all of the cuts, in some, and in only one."""

    in_all: int
    in_some: int
    in_one: int


def count_agreement(cuts: Sequence[TextCut]) -> Agreement:
    """Count each boundary once, by the number of cuts that have it; a single cut agrees with itself.

    >>> from playground.catalog.registry import get_tokenizer
    >>> names = ("gpt2", "cl100k_base", "o200k_base")
    >>> count_agreement([cut_text(get_tokenizer(name), "Egg egg") for name in names])
    Agreement(in_all=1, in_some=1, in_one=0)
    """
    n_found = _count_starts(cuts)
    in_all = int(np.count_nonzero(n_found == len(cuts)))
    in_one = int(np.count_nonzero(n_found == 1)) if len(cuts) > 1 else 0
    return Agreement(in_all, int(np.count_nonzero(n_found)) - in_all - in_one, in_one)


def _count_starts(cuts: Sequence[TextCut]) -> npt.NDArray[np.uint8]:
    """Return, for each byte of the text but the first, the number of cuts in which a token starts there."""
    n_bytes = 1 + max((int(cut.byte_starts[-1]) for cut in cuts if len(cut.ids)), default=0)
    n_found = np.zeros(n_bytes, dtype=np.uint8)
    for cut in cuts:
        n_found[cut.boundaries] += 1
    return n_found
