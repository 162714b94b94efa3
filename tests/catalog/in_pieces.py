"""Check that a text encoded in pieces has the tokens of the whole."""

from itertools import pairwise

from playground.analysis.token_marks import marks_of
from playground.core.encoding import Encoding
from playground.core.tokenizer import Tokenizer


def same_in_pieces(tokenizer: Tokenizer, text: str, *, has_places: bool = True) -> None:
    """Compare ids, positions and marks of a whole text with those of its pieces, cut at one place and at all.

    Without places, ids alone.
    """
    rest = tokenizer.rest
    cut = tokenizer.safe_cut if rest is None else rest.cut
    encode_behind = tokenizer.encode if rest is None else rest.encode
    assert cut is not None

    def joined(pieces: list[Encoding]) -> list[list[int]]:
        marks = [marks_of(piece, tokenizer.vocabulary).tolist() for piece in pieces]
        filled = [own or [0] * (len(piece.ids) + 1) for own, piece in zip(marks, pieces, strict=True)]
        return [
            [token_id for piece in pieces for token_id in piece.ids.tolist()],
            [length for piece in pieces for length in piece.lengths.tolist()],
            [mark for own in filled for mark in own[1:]],
        ][: 3 if has_places else 1]

    expected = joined([tokenizer.encode(text)])
    places = [found.start() for found in cut.finditer(text)]
    for cuts in [places, *([place] for place in places)]:
        first, *others = (text[a:b] for a, b in pairwise([0, *cuts, len(text)]))
        assert joined([tokenizer.encode(first), *map(encode_behind, others)]) == expected
