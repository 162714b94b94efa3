"""The distinct pretokens of files of every kind: what training needs of a corpus."""

from collections.abc import Iterator, Sequence

from playground.bpe.safe_cuts import SafeCuts, safe_cut_of
from playground.bpe.split_pattern import SplitPattern
from playground.core.errors import InvalidInputError
from playground.core.tokenizer import utf8_of
from playground.corpora.blocks import Block, iter_blocks
from playground.corpora.sources import Source
from playground.corpora.streams import OnRead
from playground.training.pretoken_counts import PretokenCounts, count_blocks


def count_corpus_pretokens(
    sources: Sequence[Source],
    pattern: SplitPattern,
    *,
    n_threads: int = 2,
    max_pretokens: int = 0,
    on_read: OnRead = lambda _n_bytes: None,
) -> PretokenCounts:
    """Count the pretokens of all documents; none reaches from one document into the next.

    Memory follows the distinct pretokens; more than `max_pretokens` of them, where that is not 0, are an
    error. A byte order mark at the start of a text is left out. Raises InvalidInputError.
    """
    cuts = SafeCuts(safe_cut_of(pattern.name))

    def hold_to_the_limit(n_pretokens: int) -> None:
        if max_pretokens and n_pretokens > max_pretokens:
            raise InvalidInputError(
                f"the corpus has more than {max_pretokens:,} distinct pretokens, the limit of "
                "--max-pretokens; they take about 100 bytes of memory each"
            )

    blocks = _placed(iter_blocks(sources, cuts, on_read=on_read))
    return count_blocks(blocks, pattern, n_threads=n_threads, on_block=hold_to_the_limit)


def _placed(blocks: Iterator[Block]) -> Iterator[tuple[int, list[bytes]]]:
    """Yield where in the corpus each block begins, and its texts as UTF-8."""
    offset, file = 0, -1
    for block in blocks:
        texts = block.texts
        if block.file != file and not block.ends:
            texts = [texts[0].removeprefix("\ufeff")]
        file = block.file
        raws = [utf8_of(text) for text in texts]
        yield offset, raws
        offset += sum(map(len, raws))
