"""Blocks of many files: pieces of long texts and batches of short ones, as several threads take them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from typing import NamedTuple

import regex

from playground.bpe.safe_cuts import SafeCuts
from playground.core.errors import InvalidInputError
from playground.core.tokenizer import Tokenizer
from playground.corpora.byte_cuts import iter_safe_pieces
from playground.corpora.documents import Rows, iter_chunks, iter_rows
from playground.corpora.sources import Source
from playground.corpora.streams import OnRead
from playground.corpora.text_files import Chunk
from playground.corpora.texts import Text


class Block(NamedTuple):
    """Texts of one file, each encoded on its own; with `ends`, a document ends behind each.

    A document longer than a block comes in pieces, cut where its ids do not change. Those of a plain file
    are the file's own bytes.
    """

    file: int  # its number
    texts: Sequence[Text]
    ends: bool
    n_characters: int  # those of all blocks of a file add up to its characters
    n_left_out: int = 0  # rows without a text


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
    n_together: int = 1,
) -> Iterator[Block]:
    """The blocks of all files in turn; of plain text each is as long as so many.

    A file that cannot be read ends there, and is told to `on_error`.

    Raises InvalidInputError for one where there is no `on_error`.
    """
    for number, source in enumerate(sources):
        try:
            if source.kind == "text":
                chunks = iter_chunks(source, on_read, n_blocks=n_together)
                yield from iter_text_blocks(number, chunks, cuts)
                yield end_of_text(number)
            else:
                for rows in iter_rows(source, on_read):
                    yield rows_together(number, rows)
        except InvalidInputError as error:
            if on_error is None:
                raise
            on_error(number, error)


def iter_text_blocks(file: int, chunks: Iterable[Chunk], cuts: SafeCuts) -> Iterator[Block]:
    """The blocks of a plain text, or of a part of one, which no document ends."""
    n_read = n_told = 0

    def raws() -> Iterator[bytes]:
        nonlocal n_read
        for chunk in chunks:
            n_read += chunk.n_characters
            yield chunk.raw

    for raw in iter_safe_pieces(raws(), cuts):
        yield Block(file, [raw], False, n_read - n_told)
        n_told = n_read


def end_of_text(file: int) -> Block:
    """Behind the blocks of a plain text."""
    return Block(file, [""], True, 0)


def rows_together(file: int, rows: Rows) -> Block:
    """A block of rows, each of which is a document."""
    return Block(file, rows.texts, True, sum(map(len, rows.texts)), rows.n_left_out)


def _both(one: regex.Pattern[str] | None, other: regex.Pattern[str] | None) -> regex.Pattern[str] | None:
    """Matches where both match, which are of width zero."""
    if one is None or other is None:
        return None
    return one if one is other else regex.compile(f"(?:{one.pattern})(?:{other.pattern})")
