"""Encoding: the ids of a text and the bytes that each of them covers.

`core.tokens` makes tokens and segments of it for display.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import overload

import numpy as np

from playground.core.text_units import Positions
from playground.core.vocabulary import Ids


class Encoding(Sequence[int]):
    """The ids of a text and the position of each; a sequence of ids, equal to any sequence of the same ids.

    Token n covers the bytes `starts[n]:ends[n]` of the text. Starts never decrease. An inserted token covers
    no bytes and stands where it was inserted; dropped bytes are covered by no token. With `is_tiling` the
    tokens' own bytes join to the text.

    >>> encoding = Encoding("Ab ", np.array([101, 5], np.uint32), np.array([0, 0]), np.array([0, 2]))
    >>> encoding == [101, 5], len(encoding), encoding.is_tiling, encoding.lengths.tolist()
    (True, 2, False, [0, 3])
    """

    __slots__ = ("_n_bytes_of", "_spans", "ids", "is_tiling", "text")

    def __init__(self, text: str, ids: Ids, starts: Positions, ends: Positions) -> None:
        self.text = text
        self.ids = ids
        self.is_tiling = False
        self._spans: tuple[Positions, Positions] | None = (starts, ends)
        self._n_bytes_of: Callable[[Ids], Positions] | None = None

    @classmethod
    def tiling(
        cls, text: str, ids: Ids | Sequence[int], n_bytes_of: Callable[[Ids], Positions]
    ) -> "Encoding":
        """Return the encoding of ids whose bytes join to the text.

        `n_bytes_of` returns the length of each token; it is called only when positions are asked for.

        >>> from playground.core.vocabulary import TableVocabulary
        >>> vocabulary = TableVocabulary("toy", [0, 1], [b"\\xc3", b"\\xa9!"])
        >>> Encoding.tiling("é!", [0, 1], vocabulary.n_bytes_of).ends.tolist()
        [1, 3]
        """
        encoding = cls.__new__(cls)
        encoding.text = text
        encoding.ids = np.asarray(ids, np.uint32)
        encoding.is_tiling = True
        encoding._spans = None
        encoding._n_bytes_of = n_bytes_of
        return encoding

    @property
    def starts(self) -> Positions:
        """The byte offset at which each token starts. Raises ValueError if tokens do not tile the text."""
        return (self._spans or self._find_spans())[0]

    @property
    def ends(self) -> Positions:
        """The byte offset at which each token ends. Raises ValueError if tokens do not tile the text."""
        return (self._spans or self._find_spans())[1]

    @property
    def lengths(self) -> Positions:
        """Bytes from each token's start to the next one's; they add up to the text.

        The first counts from 0. In a tiling this is a token's own length. Otherwise dropped bytes count to
        the token before them, and bytes that several tokens share count to the last of those tokens.
        """
        if self.is_tiling:
            return self.ends - self.starts
        bounds = np.append(self.starts, len(self.text.encode()))
        bounds[0] = 0
        return np.diff(bounds)

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> list[int]: ...
    def __getitem__(self, index: int | slice) -> int | list[int]:
        chosen: int | list[int] = self.ids[index].tolist()
        return chosen

    def __iter__(self) -> Iterator[int]:
        return iter(self.ids.tolist())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # equal to lists, which have none

    def __repr__(self) -> str:
        return repr(self.ids.tolist())

    def _find_spans(self) -> tuple[Positions, Positions]:
        bounds = np.zeros(len(self.ids) + 1, np.int64)
        if self._n_bytes_of is not None:
            np.cumsum(self._n_bytes_of(self.ids), out=bounds[1:])
        n_bytes = len(self.text.encode())
        if bounds[-1] != n_bytes:
            raise ValueError(f"the tokens spell {bounds[-1]} bytes, the text has {n_bytes}")
        self._spans = bounds[:-1], bounds[1:]
        return self._spans


def join_encodings(encodings: Sequence[Encoding]) -> Encoding:
    """Return the encoding of several texts in a row that were encoded separately; empty for no text.

    >>> one = Encoding("é", np.array([7], np.uint32), np.array([0]), np.array([2]))
    >>> join_encodings([one, one]).starts.tolist()
    [0, 2]
    """
    if len(encodings) == 1:
        return encodings[0]
    text = "".join(encoding.text for encoding in encodings)
    shifts = accumulate((len(encoding.text.encode()) for encoding in encodings), initial=0)
    starts, ends = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for encoding, shift in zip(encodings, shifts, strict=False):
        starts.append(encoding.starts + shift)
        ends.append(encoding.ends + shift)
    ids = np.concatenate([np.zeros(0, np.uint32), *(encoding.ids for encoding in encodings)])
    joined = Encoding(text, ids, np.concatenate(starts), np.concatenate(ends))
    joined.is_tiling = all(encoding.is_tiling for encoding in encodings)
    return joined
