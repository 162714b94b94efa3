"""Find, for each token, the alternative of the split pattern that matched its pretoken."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from playground.analysis.live_document import LiveDocument
from playground.bpe.special_tokens import iter_special_parts
from playground.bpe.split_pattern import SplitPattern, SwitchedPattern, alternative_name, alternatives_of
from playground.catalog.extended import WithSpecialTokens
from playground.catalog.recut import RecutTokenizer
from playground.core.errors import InvalidInputError
from playground.core.text_units import Column
from playground.core.tokenizer import Tokenizer


@dataclass(frozen=True, slots=True)
class Alternative:
    """An alternative of a split pattern, its description ("" if unknown), and whether it is switched on."""

    text: str
    name: str
    is_on: bool = True


@dataclass(frozen=True, slots=True)
class TokenCut:
    """The alternative that matched a token's pretoken (or None), and whether the token begins it."""

    alternative: int | None
    begins: bool

    @property
    def number(self) -> int:
        """Both values as one number: 2 × the alternative + 1 if a pretoken begins; -1 for None."""
        return -1 if self.alternative is None else 2 * self.alternative + self.begins


@lru_cache(maxsize=32)
def alternatives(split_pattern: str | None) -> tuple[Alternative, ...]:
    """Return the alternatives of a pattern; () if there is no pattern.

    >>> from playground.bpe.split_pattern import SPLIT_PATTERNS
    >>> [alternative.name for alternative in alternatives(SPLIT_PATTERNS["gpt2"])][:4]
    ["endings such as 's", 'letters', 'digits', 'signs']
    """
    parts = alternatives_of(split_pattern) if split_pattern else ()
    return tuple(Alternative(part, alternative_name(part)) for part in parts)


def alternatives_in(tokenizer: Tokenizer) -> tuple[Alternative, ...]:
    """Return the alternatives of a tokenizer's pattern, including those switched off.

    >>> from playground.catalog.recut import recut
    >>> from playground.catalog.registry import get_tokenizer
    >>> [one.is_on for one in alternatives_in(recut(get_tokenizer("gpt2"), r"a|b", [1]))]
    [True, False]
    """
    switched = _switched(tokenizer)
    named = alternatives("|".join(switched.alternatives)) if switched.alternatives else ()
    return tuple(replace(one, is_on=place in switched.on) for place, one in enumerate(named))


def _switched(tokenizer: Tokenizer) -> SwitchedPattern:
    base = tokenizer.base if isinstance(tokenizer, WithSpecialTokens) else tokenizer
    if isinstance(base, RecutTokenizer):
        return base.switched
    expression = tokenizer.split_pattern or ""
    parts = tuple(one.text for one in alternatives(expression))
    return SwitchedPattern(parts, tuple(range(len(parts))), SplitPattern.of(expression))


def piece_cuts(document: LiveDocument, place: int) -> list[TokenCut]:
    """Return a cut for each token of the piece at an index; [] if the tokenizer has no pattern.

    The next piece is cut as context: patterns look ahead to the next visible character, which it contains.
    Raises InvalidInputError if there is no such piece.

    >>> from playground.catalog.registry import get_tokenizer
    >>> document = LiveDocument(get_tokenizer("gpt2"), "strawberries 12")
    >>> [(cut.alternative, cut.begins) for cut in piece_cuts(document, 0)]
    [(1, True), (1, False), (1, False), (2, True)]
    """
    with document.lock:
        if not 0 <= place < len(document.pieces):
            raise InvalidInputError(f"there is no piece {place}; the text has {len(document.pieces):,}")
        piece = document.pieces[place]
        ahead = "".join(following.text for following in document.pieces[place + 1 : place + 2])
        tokenizer, honours_special = document.tokenizer, document.honours_special
    switched = _switched(tokenizer)
    if not switched.alternatives:
        return []
    special = list(tokenizer.special_tokens) if honours_special else []
    n_bytes = len(piece.text.encode())
    starts, taken = [0], list[int | None]()
    for text, place_of in _iter_pieces(piece.text + ahead, switched, special):
        starts.append(starts[-1] + len(text.encode()))
        taken.append(place_of)
        if starts[-1] >= n_bytes:
            break
    return _of_tokens(piece.lengths, starts, taken)


def _iter_pieces(
    text: str, switched: SwitchedPattern, special: Sequence[str]
) -> Iterator[tuple[str, int | None]]:
    for part, is_special in iter_special_parts(text, special):
        if is_special:
            yield part, None
        else:
            yield from switched.iter_taken(part)


def _of_tokens(lengths: Column, starts: Sequence[int], taken: Sequence[int | None]) -> list[TokenCut]:
    bounds = np.cumsum(lengths, dtype=np.int64) - lengths
    places = np.searchsorted(starts, bounds, side="right") - 1
    return [
        TokenCut(taken[min(place, len(taken) - 1)], starts[place] == start)
        for place, start in zip(places.tolist(), bounds.tolist(), strict=True)
    ]
