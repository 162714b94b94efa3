"""Tokens grouped into pieces of whole characters, as the figures of lessons show them."""

from typing import TypedDict

from playground.core.tokenizer import NO_SPECIAL, Tokenizer, segment


class Piece(TypedDict):
    """A piece of text and the ids of its tokens."""

    text: str
    ids: list[int]


class ShownPieces(TypedDict):
    """The first pieces of a text, and the number of tokens of the whole text."""

    n_tokens: int
    pieces: list[Piece]


def shown_pieces(
    tokenizer: Tokenizer, text: str, *, max_pieces: int, allowed_special: frozenset[str] = NO_SPECIAL
) -> ShownPieces:
    """Encode a text and return its first pieces with the number of all its tokens.

    >>> from playground.catalog.registry import get_tokenizer
    >>> shown_pieces(get_tokenizer("gpt2"), " 👋!", max_pieces=1)
    {'n_tokens': 3, 'pieces': [{'text': ' 👋', 'ids': [50169, 233]}]}
    """
    segmentation = segment(tokenizer, text, allowed_special=allowed_special)
    return {
        "n_tokens": len(segmentation.tokens),
        "pieces": [
            {"text": piece.text, "ids": [token.id for token in piece.tokens]}
            for piece in segmentation.segments[:max_pieces]
        ],
    }
