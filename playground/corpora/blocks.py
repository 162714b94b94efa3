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

#: 256 KB take a tenth more, 2 MB as long.
_TOGETHER_BYTES = 1 << 20


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


def gathered(blocks: Iterable[Block], n_tokenizers: int) -> Iterator[Block]:
    """The blocks themselves for one tokenizer; for several, pieces of a file together.

    What each looks up in takes the place of another's in the processor's cache: each has more to do at once.
    """
    held: list[Block] = []
    n_bytes = 0
    for block in blocks:
        if n_tokenizers == 1 or block.ends:
            yield from _joined(held)
            yield block
            held, n_bytes = [], 0
            continue
        if (held and held[0].file != block.file) or n_bytes >= _TOGETHER_BYTES:
            yield from _joined(held)
            held, n_bytes = [], 0
        held.append(block)
        n_bytes += sum(map(len, block.texts))
    yield from _joined(held)


def _joined(blocks: Sequence[Block]) -> Iterator[Block]:
    if blocks:
        yield Block(blocks[0].file, [text for block in blocks for text in block.texts], False)


def _both(one: regex.Pattern[str] | None, other: regex.Pattern[str] | None) -> regex.Pattern[str] | None:
    """Matches where both match, which are of width zero."""
    if one is None or other is None:
        return None
    return one if one is other else regex.compile(f"(?:{one.pattern})(?:{other.pattern})")
