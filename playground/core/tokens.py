"""Token, Segment and Segmentation: an encoding for display, token by token, with exact spans."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice, repeat
from typing import NamedTuple

import numpy as np

from playground.core.encoding import Encoding
from playground.core.graphemes import grapheme_starts
from playground.core.lazy import LazySequence
from playground.core.text_units import Positions, character_of_bytes
from playground.core.vocabulary import Vocabulary


class Token(NamedTuple):
    """One token of a text.

    Spans are half-open. `char_start:char_end` covers the characters that the token touches, so two tokens
    that share a character overlap in characters; the byte spans of a tiling never overlap. `raw` are the
    token's own bytes, which differ from the text's if the tokenizer normalizes. A NamedTuple is built four
    times as fast as a dataclass, and 1 MB has 200,000 tokens.

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
    """The shortest run of tokens that ends at the end of a grapheme cluster."""

    text: str
    tokens: tuple[Token, ...]


@dataclass(frozen=True)
class Segmentation:
    """A text as one tokenizer cuts it: a view of its encoding; `tokens` are in text order.

    >>> from playground.core.vocabulary import TableVocabulary
    >>> vocabulary = TableVocabulary("toy", [1, 2, 3], [b"h", b"\\xc3", b"\\xa9"])
    >>> cut = Segmentation(Encoding.tiling("hé", [1, 2, 3], vocabulary.n_bytes_of), vocabulary)
    >>> [(token.id, token.char_start, token.char_end) for token in cut.tokens], cut.bytes_per_token
    ([(1, 0, 1), (2, 1, 2), (3, 1, 2)], 1.0)
    >>> [segment.text for segment in cut.segments]
    ['h', 'é']
    """

    encoding: Encoding
    vocabulary: Vocabulary
    special_ids: frozenset[int] = frozenset()

    @property
    def text(self) -> str:
        """The source text."""
        return self.encoding.text

    @property
    def ids(self) -> tuple[int, ...]:
        """The token ids, in text order."""
        return tuple(self.encoding)

    @cached_property
    def tokens(self) -> "Tokens":
        """The tokens, each built on access."""
        return Tokens(self.encoding, self.vocabulary, self.special_ids)

    @cached_property
    def n_bytes(self) -> int:
        """Length of the text in UTF-8 bytes."""
        return len(self.text.encode())

    @property
    def bytes_per_token(self) -> float:
        """Compression: UTF-8 bytes of the text per token; 0.0 for an empty text."""
        return self.n_bytes / len(self.encoding) if len(self.encoding) else 0.0

    @cached_property
    def segments(self) -> Sequence[Segment]:
        """Runs of tokens that end on whole characters; their texts join to the source.

        Found in linear time; each Segment is built when it is looked at. Text that no token covers, as a
        normalizing tokenizer may leave, belongs to the segment before it (at the start, after it).
        """
        return Segments(self.text, self.tokens)


class Tokens(LazySequence[Token]):
    """The tokens of an encoding as columns; behaves as a tuple of Token."""

    __slots__ = ("_encoding", "_raws", "_special_ids", "_vocabulary", "char_ends", "char_starts")

    def __init__(self, encoding: Encoding, vocabulary: Vocabulary, special_ids: frozenset[int]) -> None:
        self._encoding = encoding
        self._vocabulary = vocabulary
        self._special_ids = special_ids
        self._raws: Sequence[bytes] | None = None  # looked up all at once when the first token is built
        character_of = character_of_bytes(encoding.text)
        # A token that starts inside a character touches the one its predecessor began.
        self.char_starts: Positions = character_of[encoding.starts]
        self.char_ends: Positions = np.where(encoding.ends > 0, character_of[encoding.ends - 1] + 1, 0)

    def __len__(self) -> int:
        return len(self._encoding)

    def _build(self, first: int, last: int) -> tuple[Token, ...]:
        encoding = self._encoding
        if self._raws is None:
            self._raws = self._vocabulary.raws_of(encoding.ids)
        ids = encoding.ids[first:last].tolist()
        columns = (
            ids,
            self._raws[first:last],
            encoding.starts[first:last].tolist(),
            encoding.ends[first:last].tolist(),
            self.char_starts[first:last].tolist(),
            self.char_ends[first:last].tolist(),
            map(self._special_ids.__contains__, ids),
        )
        return tuple(map(_new_token, zip(*columns, strict=True)))


class Segments(LazySequence[Segment]):
    """The segments of a text as bounds among its tokens and characters; behaves as a tuple of Segment."""

    __slots__ = ("_char_bounds", "_text", "_token_bounds", "_tokens")

    def __init__(self, text: str, tokens: Tokens) -> None:
        self._text = text
        self._tokens = tokens
        char_starts = tokens.char_starts
        next_starts = char_starts[1:]
        is_end = (tokens.char_ends[:-1] <= next_starts) & grapheme_starts(text)[next_starts]
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
