"""Edits of a text as a browser sends them, and the pieces it gets back; `web/shared/` has both in JavaScript.

A page's text is a `LiveDocument`, or several in step. What a page adds to an answer is its own business.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from playground.analysis.live_document import Piece
from playground.core.text_units import Column
from playground.server.refusals import RefusedRequestError
from playground.server.shapes import Shape, integer, string

COUNT = integer(0, 2**31 - 1)
#: `n_deleted` UTF-16 units at `start` of the text of this `version` give way to `inserted`.
EDIT_SHAPE = Shape({"version": COUNT, "start": COUNT, "n_deleted": COUNT, "inserted": string()})


def check_version(asked: int, present: int) -> None:
    """Refuse an edit to a text that has changed since; the browser then opens the text anew.

    Raises RefusedRequestError (409).
    """
    if asked != present:
        raise RefusedRequestError(409, f"the text is at version {present}, the edit was made to {asked}")


#: How many tokens and UTF-16 units each piece of an answer has.
PieceShapes = list[tuple[int, int]]


class SentPiece(NamedTuple):
    """What a browser gets of a stretch of text: ids, lengths in bytes, and the number of UTF-16 units."""

    ids: Column
    lengths: Column
    n_utf16: int

    @classmethod
    def of(cls, piece: Piece) -> "SentPiece":
        """Of a piece of a document."""
        return cls(piece.ids, piece.lengths, piece.n_utf16)


def join_pieces(pieces: Iterable[SentPiece]) -> tuple[PieceShapes, list[Column]]:
    """How many tokens and UTF-16 units each piece has; and two columns of all, ids and lengths.

    >>> one = SentPiece(np.array([7, 8], np.uint32), np.array([1, 4], np.uint32), 3)
    >>> join_pieces([one, one])[0]
    [(2, 3), (2, 3)]
    """
    pieces = list(pieces)
    none = [np.zeros(0, np.uint32)]
    columns = [none + [piece.ids for piece in pieces], none + [piece.lengths for piece in pieces]]
    return [(len(piece.ids), piece.n_utf16) for piece in pieces], [np.concatenate(c) for c in columns]
