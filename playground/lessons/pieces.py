"""Tokens grouped into pieces of whole characters, as the figures of lessons show them."""

from typing import TypedDict

from playground.core.tokenizer import NO_SPECIAL, Tokenizer, segment


class Piece(TypedDict):
    """A piece of text and the ids of its tokens."""

    text: str
    ids: list[int]


class ShownPieces(TypedDict):
    """The first pieces of a text; `n` counts all its tokens, `n_pieces` all its pieces."""

    n: int
    n_pieces: int
    pieces: list[Piece]


def shown_pieces(
    tokenizer: Tokenizer, text: str, *, max_pieces: int, allowed_special: frozenset[str] = NO_SPECIAL
) -> ShownPieces:
    """Encode a text and return its first pieces with the total numbers of tokens and pieces.

    >>> from playground.catalog.registry import get_tokenizer
    >>> shown_pieces(get_tokenizer("gpt2"), "127 👋!", max_pieces=1)
    {'n': 4, 'n_pieces': 3, 'pieces': [{'text': '127', 'ids': [16799]}]}
    """
    segmentation = segment(tokenizer, text, allowed_special=allowed_special)
    pieces = segmentation.segments
    return {
        "n": len(segmentation.tokens),
        "n_pieces": len(pieces),
        "pieces": [
            {"text": piece.text, "ids": [token.id for token in piece.tokens]} for piece in pieces[:max_pieces]
        ],
    }


def pieces_of(
    tokenizer: Tokenizer, text: str, *, max_pieces: int = 200, allowed_special: frozenset[str] = NO_SPECIAL
) -> list[Piece]:
    """Encode a text and return its first pieces.

    >>> from playground.catalog.registry import get_tokenizer
    >>> pieces_of(get_tokenizer("gpt2"), "127 👋")
    [{'text': '127', 'ids': [16799]}, {'text': ' 👋', 'ids': [50169, 233]}]
    """
    return shown_pieces(tokenizer, text, max_pieces=max_pieces, allowed_special=allowed_special)["pieces"]
