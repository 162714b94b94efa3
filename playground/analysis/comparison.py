"""One text through several tokenizers: where their boundaries agree, and what each makes of the text.

How the rows are drawn is decided in `ui` and `render`.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Literal, NamedTuple

from playground.core.tokens import Segmentation

Agreement = Literal["all", "some", "one"]


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """What one tokenizer makes of a text, and how it stands to the first of the comparison.

    `n_words` counts runs of characters that are not white space. `shared_boundaries` is the number of
    boundaries that this tokenizer and the first have in common as a share of all that either has; 1.0 if
    neither has any. `tokens_saved` is how many tokens fewer than the first it needs; negative for more.
    """

    tokenizer_name: str
    n_vocab: int
    n_tokens: int
    n_bytes: int
    n_characters: int
    n_words: int
    shared_boundaries: float
    tokens_saved: int

    @property
    def bytes_per_token(self) -> float:
        """Compression; 0.0 for an empty text, as are the two below."""
        return self.n_bytes / self.n_tokens if self.n_tokens else 0.0

    @property
    def characters_per_token(self) -> float:
        """Unicode characters for each token."""
        return self.n_characters / self.n_tokens if self.n_tokens else 0.0

    @property
    def tokens_per_word(self) -> float:
        """Also called fertility."""
        return self.n_tokens / self.n_words if self.n_words else 0.0


def comparison_rows(segmentations: Sequence[Segmentation], *, n_vocabs: Sequence[int]) -> list[ComparisonRow]:
    """A row for each segmentation of the same text, in order; the first is what the others are held against.

    >>> from playground.catalog.registry import get_tokenizer
    >>> tokenizers = [get_tokenizer(name) for name in ("gpt2", "o200k_base")]
    >>> cuts = [tokenizer.segment("안녕하세요") for tokenizer in tokenizers]
    >>> rows = comparison_rows(cuts, n_vocabs=[tokenizer.n_vocab for tokenizer in tokenizers])
    >>> [(row.n_tokens, row.tokens_saved) for row in rows]
    [(14, 0), (2, 12)]
    """
    return [
        ComparisonRow(
            tokenizer_name=cut.tokenizer_name,
            n_vocab=n_vocab,
            n_tokens=len(cut.tokens),
            n_bytes=cut.n_bytes,
            n_characters=len(cut.text),
            n_words=len(cut.text.split()),
            shared_boundaries=shared_boundaries(byte_boundaries(segmentations[0]), byte_boundaries(cut)),
            tokens_saved=len(segmentations[0].tokens) - len(cut.tokens),
        )
        for cut, n_vocab in zip(segmentations, n_vocabs, strict=True)
    ]


def byte_boundaries(segmentation: Segmentation) -> frozenset[int]:
    """Byte offsets where one token ends and the next starts; the text's own ends are none.

    >>> from playground.catalog.registry import get_tokenizer
    >>> sorted(byte_boundaries(get_tokenizer("gpt2").segment("Hello world!")))
    [5, 11]
    """
    return frozenset([token.byte_start for token in segmentation.tokens[1:]])


def shared_boundaries(first: frozenset[int], second: frozenset[int]) -> float:
    """Boundaries in common as a share of all that either has, from 0.0 to 1.0 (Jaccard's index).

    >>> shared_boundaries(frozenset({5, 11}), frozenset({5, 8, 11, 13}))
    0.5
    """
    either = len(first | second)
    return len(first & second) / either if either else 1.0


class AlignedCell(NamedTuple):
    """One row's part of a column: the tokens that cover it, half-open, and whether one starts there."""

    first_token: int
    last_token: int
    starts_token: bool


class AlignedColumn(NamedTuple):
    """The text between two neighbouring boundaries, of whichever rows have them; a cell a row.

    `n_starts` is in how many rows a token starts here.
    """

    char_start: int
    char_end: int
    n_starts: int
    cells: tuple[AlignedCell, ...]


def aligned_columns(segmentations: Sequence[Segmentation]) -> list[AlignedColumn]:
    """Cut a text wherever any row has a boundary between characters, so that all rows share one axis.

    Boundaries inside a character do not cut: the tokens that share it share a cell. Linear in the tokens.

    >>> from playground.catalog.registry import get_tokenizer
    >>> cuts = [get_tokenizer(name).segment("Egg egg") for name in ("gpt2", "o200k_base")]
    >>> [(cuts[0].text[start:end], n_starts) for start, end, n_starts, _cells in aligned_columns(cuts)]
    [('E', 2), ('gg', 1), (' egg', 2)]
    """
    if not segmentations or not segmentations[0].text:
        return []
    n_characters = len(segmentations[0].text)
    starts_of = [_whole_starts(cut) for cut in segmentations]
    n_starts = Counter(position for starts in starts_of for position, _token in starts)
    positions = [*sorted(n_starts), n_characters]
    row_positions = [[position for position, _token in starts] for starts in starts_of]
    columns = []
    for char_start, char_end in pairwise(positions):
        cells = []
        for cut, starts, own in zip(segmentations, starts_of, row_positions, strict=True):
            group = bisect_right(own, char_start) - 1
            last = starts[group + 1][1] if group + 1 < len(starts) else len(cut.tokens)
            cells.append(AlignedCell(starts[group][1], last, own[group] == char_start))
        columns.append(AlignedColumn(char_start, char_end, n_starts[char_start], tuple(cells)))
    return columns


def agreement(n_found: int, n_rows: int) -> Agreement:
    """Whether a boundary is found in all rows, in some, or in only one.

    >>> agreement(3, 3), agreement(2, 3), agreement(1, 3)
    ('all', 'some', 'one')
    """
    return "all" if n_found == n_rows else "one" if n_found == 1 else "some"


def _whole_starts(segmentation: Segmentation) -> list[tuple[int, int]]:
    """(character, index of token) of each token that starts where no other token's character is open."""
    starts = []
    reached = 0
    for index, token in enumerate(segmentation.tokens):
        if token.char_start >= reached:
            starts.append((token.char_start, index))
        reached = max(reached, token.char_end)
    return starts


def count_agreements(segmentations: Sequence[Segmentation]) -> dict[Agreement, int]:
    """How many boundaries are found in all rows, in some and in one; boundaries inside characters count.

    >>> from playground.catalog.registry import get_tokenizer
    >>> cuts = [get_tokenizer(name).segment("Egg egg") for name in ("gpt2", "cl100k_base", "o200k_base")]
    >>> count_agreements(cuts)
    {'all': 1, 'some': 1, 'one': 0}
    """
    found = Counter(position for cut in segmentations for position in byte_boundaries(cut))
    counts = Counter(agreement(n_found, len(segmentations)) for n_found in found.values())
    return {"all": counts["all"], "some": counts["some"], "one": counts["one"]}


def utf16_offsets(text: str) -> list[int]:
    """Where each character starts in UTF-16 code units, as browsers count, and the length at the end.

    >>> utf16_offsets("a😀b")
    [0, 1, 3, 4]
    """
    return list(accumulate((2 if ord(character) > 0xFFFF else 1 for character in text), initial=0))
