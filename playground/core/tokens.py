"""Token, Segment and Segmentation: a text and its tokens, with exact spans.

What a token is called or which colour it has is decided elsewhere.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import accumulate, pairwise
from typing import NamedTuple

import regex

# Characters that may join the one before them (Unicode Standard Annex #29), and those that join the next.
_JOINS_PREVIOUS = (
    r"[\p{GCB=Extend}\p{GCB=SpacingMark}\p{GCB=ZWJ}\p{GCB=Regional_Indicator}"
    r"\p{GCB=L}\p{GCB=V}\p{GCB=T}\p{GCB=LV}\p{GCB=LVT}]"
)
_LONG_GRAPHEME = regex.compile(rf"(?:(?=(?s:.){_JOINS_PREVIOUS})|(?=\p{{GCB=Prepend}})|(?=\r\n))\X")


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
    tokens: tuple[Token, ...]

    @cached_property
    def ids(self) -> tuple[int, ...]:
        """The token ids, in text order."""
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
    def segments(self) -> tuple[Segment, ...]:
        """Runs of tokens that end on whole characters; their texts join to the source."""
        ends = list(_iter_segment_ends(self.text, self.tokens))
        tokens, text = self.tokens, self.text
        runs = [tokens[first:last] for first, last in pairwise([0, *ends])]
        texts = [text[run[0].char_start : run[-1].char_end] for run in runs]
        return tuple(map(_new_segment, zip(texts, runs, strict=True)))


_new_token = partial(tuple.__new__, Token)
_new_segment = partial(tuple.__new__, Segment)


def place_tokens(
    text: str, ids: Sequence[int], raw_of: Mapping[int, bytes], *, special_ids: frozenset[int] = frozenset()
) -> tuple[Token, ...]:
    """Place a lossless tokenizer's ids in their text, in linear time.

    `raw_of` gives the bytes of each id, which join to the UTF-8 of the text.

    >>> tokens = place_tokens("é!", [0, 1], {0: b"\\xc3", 1: b"\\xa9!"})
    >>> [(token.char_start, token.char_end) for token in tokens]
    [(0, 1), (0, 2)]
    """
    n_leads = {token_id: sum(byte & 0xC0 != 0x80 for byte in raw) for token_id, raw in raw_of.items()}
    n_shared = {token_id: raw[0] & 0xC0 == 0x80 for token_id, raw in raw_of.items()}
    raws = [raw_of[token_id] for token_id in ids]
    byte_ends = list(accumulate(map(len, raws), initial=0))
    char_ends = list(accumulate(map(n_leads.__getitem__, ids), initial=0))
    if char_ends[-1] != len(text):
        raise ValueError(f"the tokens spell {char_ends[-1]} characters, the text has {len(text)}")
    # A token that starts inside a character touches the one its predecessor began.
    char_starts = [end - n_shared[token_id] for end, token_id in zip(char_ends, ids, strict=False)]
    is_special = map(special_ids.__contains__, ids)
    columns = (ids, raws, byte_ends, byte_ends[1:], char_starts, char_ends[1:], is_special)
    return tuple(map(_new_token, zip(*columns, strict=False)))


def _iter_segment_ends(text: str, tokens: tuple[Token, ...]) -> Iterator[int]:
    """Yield the index after each token that ends where the next one starts a grapheme cluster."""
    inside: set[int] = set()  # character positions within a longer cluster, such as a flag
    for match in _LONG_GRAPHEME.finditer(text):
        inside.update(range(match.start() + 1, match.end()))
    for index, (token, following) in enumerate(pairwise(tokens), start=1):
        position = token.char_end
        if following.char_start == position and position not in inside:
            yield index
    if tokens:
        yield len(tokens)
