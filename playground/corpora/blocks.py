"""Blocks of many files: pieces of long texts and batches of short ones, as several threads take them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from typing import NamedTuple

import regex

from playground.bpe.safe_cuts import SafeCuts
from playground.core.errors import InvalidInputError
from playground.core.tokenizer import Tokenizer
from playground.corpora.byte_cuts import iter_safe_pieces
from playground.corpora.documents import iter_pieces, iter_rows
from playground.corpora.sources import Source
from playground.corpora.streams import OnRead
from playground.corpora.texts import Text


class Block(NamedTuple):
    """Texts of one file, each encoded on its own; with `ends`, a document ends behind each.

    A document longer than a block comes in pieces, cut where its ids do not change. Those of a plain file
    are the file's own bytes.
    """

    file: int  # its number
    texts: Sequence[Text]
    ends: bool


def common_cuts(tokenizers: Sequence[Tokenizer], *, allow_special: bool) -> SafeCuts:
    """The places where a text may be cut for each of several tokenizers."""
    special = {name for tokenizer in tokenizers if allow_special for name in tokenizer.special_tokens}
    return SafeCuts(reduce(_both, (tokenizer.safe_cut for tokenizer in tokenizers)), special)


def iter_blocks(
    sources: Iterable[Source],
    cuts: SafeCuts,
    *,
    on_read: OnRead,
    on_error: Callable[[int, InvalidInputError], None] | None = None,
) -> Iterator[Block]:
    """The blocks of all files in turn. A file that cannot be read ends there, and is told to `on_error`.

    Raises InvalidInputError for one where there is no `on_error`.
    """
    for number, source in enumerate(sources):
        try:
            if source.kind == "text":
                for raw in iter_safe_pieces(iter_pieces(source, on_read), cuts):
                    yield Block(number, [raw], False)
                yield Block(number, [""], True)
            else:
                for texts in iter_rows(source, on_read):
                    yield Block(number, texts, True)
        except InvalidInputError as error:
            if on_error is None:
                raise
            on_error(number, error)


def _both(one: regex.Pattern[str] | None, other: regex.Pattern[str] | None) -> regex.Pattern[str] | None:
    """Matches where both match, which are of width zero."""
    if one is None or other is None:
        return None
    return one if one is other else regex.compile(f"(?:{one.pattern})(?:{other.pattern})")
