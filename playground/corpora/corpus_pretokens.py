"""The distinct pretokens of files of every kind: what training needs of a corpus."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from playground.bpe.safe_cuts import SafeCuts, safe_cut_of
from playground.bpe.split_pattern import SplitPattern
from playground.core.errors import InvalidInputError
from playground.core.tokenizer import replace_lone_surrogates
from playground.corpora.blocks import Block, iter_blocks
from playground.corpora.sources import Source
from playground.corpora.streams import OnRead
from playground.training.pretoken_counts import PretokenCounter, PretokenCounts
from playground.training.shared_iterator import SharedIterator


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
    blocks = SharedIterator(_placed(iter_blocks(sources, cuts, on_read=on_read, on_error=_fail)))

    def work() -> PretokenCounter:
        counter = PretokenCounter(pattern)
        for offset, raws in blocks:
            for raw in raws:
                counter.add_utf8(raw, offset=offset)
                offset += len(raw)
            if max_pretokens and counter.n_pretokens > max_pretokens:
                raise InvalidInputError(
                    f"the corpus has more than {max_pretokens:,} distinct pretokens, the limit of "
                    "--max-pretokens; they take about 100 bytes of memory each"
                )
        return counter

    with ThreadPoolExecutor(n_threads if pattern.is_known else 1) as pool:
        futures = [pool.submit(work) for _ in range(pool._max_workers)]
        try:
            counters = [future.result() for future in futures]
        finally:
            blocks.stop()
    total = counters.pop()
    while counters:
        total.absorb(counters.pop())
    return total.result()


def _placed(blocks: Iterator[Block]) -> Iterator[tuple[int, list[bytes]]]:
    """Yield where in the corpus each block begins, and its texts as UTF-8."""
    offset, file = 0, -1
    for block in blocks:
        texts = block.texts
        if block.file != file and not block.ends:
            texts = [texts[0].removeprefix("\ufeff")]
        file = block.file
        raws = [replace_lone_surrogates(text).encode() for text in texts]
        yield offset, raws
        offset += sum(map(len, raws))


def _fail(_number: int, error: InvalidInputError) -> None:
    raise error
