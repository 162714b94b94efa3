"""Tokens and other columns as the browser reads them: `web/shared/wire.js` is the other side.

An answer with columns has the length of its header (uint32), the header as JSON padded to four bytes, and
columns of uint32, all little-endian; the header's `columns` lists their lengths. Dataclasses are sent as
their fields. It comes from a route (`server/wire.py`) or is in a page that was saved (`server/saved_page`).
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np

from playground.analysis.live_document import Piece
from playground.analysis.token_marks import NO_MARKS
from playground.core.text_units import Column


def pack_columns(header: Mapping[str, Any], columns: Iterable[Column]) -> bytes:
    r"""Return a header and columns as bytes.

    >>> import numpy as np
    >>> pack_columns({"n": 1}, [np.array([7], np.uint32)])
    b'\x18\x00\x00\x00{"n":1,"columns":[1]}   \x07\x00\x00\x00'
    """
    columns = list(columns)
    head = to_json({**header, "columns": [len(column) for column in columns]})
    head += b" " * (-len(head) % 4)
    raws = (column.astype("<u4", copy=False).tobytes() for column in columns)
    return b"".join([len(head).to_bytes(4, "little"), head, *raws])


def to_json(value: Mapping[str, Any]) -> bytes:
    """Return compact JSON. Raises ValueError for a number that JSON lacks."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=asdict)
    return text.encode(errors="replace")


#: The numbers of tokens, UTF-16 units and marks of each piece of an answer.
PieceShapes = list[tuple[int, int, int]]


class SentPiece(NamedTuple):
    """A piece of a text for a browser: token ids, lengths in bytes, number of UTF-16 units, and marks."""

    ids: Column
    lengths: Column
    n_utf16: int
    marks: Column = NO_MARKS

    @classmethod
    def of(cls, piece: Piece) -> "SentPiece":
        """Return a piece of a document as it is sent."""
        return cls(piece.ids, piece.lengths, piece.n_utf16, piece.marks)


def join_pieces(pieces: Iterable[SentPiece]) -> tuple[PieceShapes, list[Column]]:
    """Return the size of each piece, and the columns of all: ids, lengths and marks.

    >>> one = SentPiece(np.array([7, 8], np.uint32), np.array([1, 4], np.uint32), 3)
    >>> join_pieces([one, one])[0]
    [(2, 3, 0), (2, 3, 0)]
    """
    pieces = list(pieces)
    by_piece = [(piece.ids, piece.lengths, piece.marks) for piece in pieces]
    columns = [np.concatenate(c) for c in zip((NO_MARKS,) * 3, *by_piece, strict=True)]
    return [(len(piece.ids), piece.n_utf16, len(piece.marks)) for piece in pieces], columns
