"""Pieces: tokens as a figure shows them, grouped so that each piece is whole characters."""

from typing import TypedDict

from playground.core.tokenizer import NO_SPECIAL, Tokenizer, segment


class Piece(TypedDict):
    """A piece of text, and the ids of its tokens."""

    text: str
    ids: list[int]


def pieces_of(
    tokenizer: Tokenizer, text: str, *, max_pieces: int = 200, allowed_special: frozenset[str] = NO_SPECIAL
) -> list[Piece]:
    """The first pieces of a text.

    >>> from playground.catalog.registry import get_tokenizer
    >>> pieces_of(get_tokenizer("gpt2"), "127 👋")
    [{'text': '127', 'ids': [16799]}, {'text': ' 👋', 'ids': [50169, 233]}]
    """
    return [
        {"text": piece.text, "ids": [token.id for token in piece.tokens]}
        for piece in segment(tokenizer, text, allowed_special=allowed_special).segments[:max_pieces]
    ]
