"""Token, Segment and Segmentation: a text and its tokens, with exact spans.

What a token is called or which colour it has is decided elsewhere.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice, repeat
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from playground.core.graphemes import grapheme_starts
from playground.core.lazy import LazySequence

Positions = NDArray[np.int64]


class Token(NamedTuple):
    """One token of a text.

    Spans are half-open. `char_start:char_end` covers the characters the token *touches*, so two tokens
    that share a character overlap in characters; their byte spans never overlap. A NamedTuple, not a
    dataclass: a text of 1 MB has 200,000 of these, and they are built four times as fast.

    >>> Token(id=15496, raw=b"Hello", byte_start=0, byte_end=5, char_start=0, char_end=5)
    Token(id=15496, raw=b'Hello', byte_start=0, byte_end=5, char_start=0, char_end=5, is_special=False)
    """

    id: int
    raw: bytes
    byte_start: int
    byte_end: int
    char_start: int
    char_end: int
    is_special: bool = False


class Segment(NamedTuple):
    """The shortest run of tokens that ends where a character, as a reader sees it, ends."""

    text: str
    tokens: tuple[Token, ...]


@dataclass(frozen=True)
class Segmentation:
    """A text as one tokenizer cuts it; `tokens` are in text order.

    >>> raw_of = {1: b"h", 2: b"\\xc3", 3: b"\\xa9"}
    >>> cut = Segmentation("toy", "hé", place_tokens("hé", [1, 2, 3], raw_of))
    >>> cut.ids, cut.n_bytes, cut.bytes_per_token
    ((1, 2, 3), 3, 1.0)
    >>> [segment.text for segment in cut.segments]
    ['h', 'é']
    """

    tokenizer_name: str
    text: str
    tokens: Sequence[Token]

    @cached_property
    def ids(self) -> tuple[int, ...]:
        """The token ids, in text order."""
        if isinstance(self.tokens, PlacedTokens):
            return self.tokens.ids
        return tuple(token.id for token in self.tokens)

    @cached_property
    def n_bytes(self) -> int:
        """Length of the text in UTF-8 bytes."""
        return len(self.text.encode())

    @property
    def bytes_per_token(self) -> float:
        """Compression: UTF-8 bytes of the text for each token; 0.0 for an empty text."""
        return self.n_bytes / len(self.tokens) if self.tokens else 0.0

    @cached_property
    def segments(self) -> Sequence[Segment]:
        """Runs of tokens that end on whole characters; their texts join to the source.

        Found in linear time; each Segment is built when it is looked at. Text that no token covers, as a
        normalizing tokenizer may leave, belongs to the segment before it (at the start, after it).
        """
        return Segments(self.text, self.tokens)


class PlacedTokens(LazySequence[Token]):
    """The tokens of a lossless tokenizer as columns; behaves as a tuple of Token.

    `byte_bounds` has one more item than there are tokens: token n covers `byte_bounds[n:n + 2]`.
    """

    __slots__ = ("byte_bounds", "char_ends", "char_starts", "ids", "raws", "special_ids")

    def __init__(
        self, text: str, ids: Sequence[int], raw_of: Mapping[int, bytes], special_ids: frozenset[int]
    ) -> None:
        self.ids = tuple(ids)
        self.raws = tuple(map(raw_of.__getitem__, self.ids))
        self.special_ids = special_ids
        n_tokens, codes = len(self.ids), np.frombuffer(text.encode(), np.uint8)
        self.byte_bounds: Positions = np.zeros(n_tokens + 1, np.int64)
        np.cumsum(np.fromiter(map(len, self.raws), np.int64, n_tokens), out=self.byte_bounds[1:])
        if self.byte_bounds[-1] != len(codes):
            raise ValueError(f"the tokens spell {self.byte_bounds[-1]} bytes, the text has {len(codes)}")
        n_leads: Positions = np.zeros(len(codes) + 1, np.int64)  # characters that begin before each byte
        is_lead = np.ones(len(codes) + 1, np.bool_)
        np.not_equal(codes & 0xC0, 0x80, out=is_lead[:-1])
        np.cumsum(is_lead[:-1], out=n_leads[1:])
        starts, ends = self.byte_bounds[:-1], self.byte_bounds[1:]
        # A token that starts inside a character touches the one its predecessor began.
        self.char_starts: Positions = n_leads[starts] - ~is_lead[starts]
        self.char_ends: Positions = n_leads[ends]

    def __len__(self) -> int:
        return len(self.ids)

    def _build(self, first: int, last: int) -> tuple[Token, ...]:
        ids = self.ids[first:last]
        columns = (
            ids,
            self.raws[first:last],
            self.byte_bounds[first:last].tolist(),
            self.byte_bounds[first + 1 : last + 1].tolist(),
            self.char_starts[first:last].tolist(),
            self.char_ends[first:last].tolist(),
            map(self.special_ids.__contains__, ids),
        )
        return tuple(map(_new_token, zip(*columns, strict=True)))


class Segments(LazySequence[Segment]):
    """The segments of a text as bounds among its tokens and characters; behaves as a tuple of Segment."""

    __slots__ = ("_char_bounds", "_text", "_token_bounds", "_tokens")

    def __init__(self, text: str, tokens: Sequence[Token]) -> None:
        self._text = text
        self._tokens = tokens
        if isinstance(tokens, PlacedTokens):
            char_starts, char_ends = tokens.char_starts, tokens.char_ends
        else:
            char_starts = np.array([token.char_start for token in tokens], np.int64)
            char_ends = np.array([token.char_end for token in tokens], np.int64)
        next_starts = char_starts[1:]
        is_end = (char_ends[:-1] <= next_starts) & grapheme_starts(text)[next_starts]
        firsts = np.flatnonzero(is_end) + 1
        ends = [len(tokens)] if tokens else []
        self._token_bounds: Positions = np.concatenate(([0], firsts, ends)).astype(np.int64)
        self._char_bounds: Positions = np.concatenate(
            ([0], char_starts[firsts], [len(text)] if tokens else [])
        )
        self._char_bounds = self._char_bounds.astype(np.int64)

    def __len__(self) -> int:
        return len(self._token_bounds) - 1

    def _build(self, first: int, last: int) -> tuple[Segment, ...]:
        bounds = self._token_bounds[first : last + 1]
        chars = self._char_bounds[first : last + 1].tolist()
        texts = map(self._text.__getitem__, map(slice, chars[:-1], chars[1:]))
        tokens = iter(self._tokens[int(bounds[0]) : int(bounds[-1])])
        runs = map(tuple, map(islice, repeat(tokens), np.diff(bounds).tolist()))
        return tuple(map(_new_segment, zip(texts, runs, strict=True)))


_new_token = partial(tuple.__new__, Token)
_new_segment = partial(tuple.__new__, Segment)


def place_tokens(
    text: str, ids: Sequence[int], raw_of: Mapping[int, bytes], *, special_ids: frozenset[int] = frozenset()
) -> PlacedTokens:
    """Place a lossless tokenizer's ids in their text, in linear time.

    `raw_of` gives the bytes of each id, which join to the UTF-8 of the text. Raises ValueError when they
    are not as many.

    >>> tokens = place_tokens("é!", [0, 1], {0: b"\\xc3", 1: b"\\xa9!"})
    >>> [(token.char_start, token.char_end) for token in tokens]
    [(0, 1), (0, 2)]
    """
    return PlacedTokens(text, ids, raw_of, special_ids)
