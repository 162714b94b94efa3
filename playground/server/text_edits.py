"""Edits of a text as a browser sends them, and the pieces of tokens that it gets back.

`web/shared/text_sync.js` is the other side. A page's text is a `LiveDocument`, or several in step.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from playground.analysis.live_document import Piece
from playground.analysis.token_marks import NO_MARKS
from playground.core.text_units import Column
from playground.server.refusals import RefusedRequestError
from playground.server.shapes import Shape, integer, string

COUNT = integer(0, 2**31 - 1)
#: In the text of this `version`, `inserted` replaces `n_deleted` UTF-16 units at `start`.
EDIT_SHAPE = Shape({"version": COUNT, "start": COUNT, "n_deleted": COUNT, "inserted": string()})


def check_version(asked: int, present: int) -> None:
    """Refuse an edit of an older version; the browser then fetches the text again.

    Raises RefusedRequestError (409).
    """
    if asked != present:
        raise RefusedRequestError(409, f"the text is at version {present}, the edit was made to {asked}")


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
