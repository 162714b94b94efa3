"""Count the distinct pretokens of files of every kind, which is what training needs."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from playground.bpe.safe_cuts import SafeCuts, safe_cut_of
from playground.bpe.split_pattern import SplitPattern
from playground.core.errors import InvalidInputError
from playground.corpora.blocks import Block, is_row_held_out, iter_blocks, iter_stretches
from playground.corpora.cores import MUCH_BYTES, iter_done
from playground.corpora.encoders import Encoder
from playground.corpora.sources import Source
from playground.corpora.streams import OnRead
from playground.corpora.text_files import STANDARD_INPUT, as_utf8
from playground.training.pretoken_counts import PretokenCounter, PretokenCounts, count_pretokens

_BYTE_ORDER_MARK = "\ufeff".encode()


class CorpusPretokens(NamedTuple):
    """Pretokens to learn from, held-out pretokens, and the number of rows without a text."""

    training: PretokenCounts
    held_out: PretokenCounts
    n_left_out: int


def count_corpus_pretokens(
    sources: Sequence[Source],
    pattern: SplitPattern,
    *,
    n_threads: int = 2,
    max_pretokens: int = 0,
    on_read: OnRead = lambda _n_bytes: None,
) -> PretokenCounts:
    """Count the pretokens of all documents; no pretoken spans two documents.

    Memory grows with the number of distinct pretokens, which `max_pretokens` limits (0: no limit). A byte
    order mark at the start of a text is dropped. Raises InvalidInputError.
    """
    return count_with_held_out(
        sources, pattern, 0.0, n_threads=n_threads, max_pretokens=max_pretokens, on_read=on_read
    ).training


def count_with_held_out(
    sources: Sequence[Source],
    pattern: SplitPattern,
    share: float,
    *,
    n_threads: int = 2,
    max_pretokens: int = 0,
    on_read: OnRead = lambda _n_bytes: None,
) -> CorpusPretokens:
    """Count the pretokens to learn from, and those of a held-out share of the text.

    Whole rows are held out, and stretches of about 2 KB of plain text, which cut no pretoken.
    """
    blocks = _placed(iter_blocks(sources, cuts_of(pattern), on_read=on_read))
    is_much = sum(source.n_bytes for source in sources if source.path != STANDARD_INPUT) > MUCH_BYTES
    n_cores = n_threads if is_much and pattern.is_known else 1
    return count_blocks(blocks, pattern, share, n_cores=n_cores, max_pretokens=max_pretokens)


def count_blocks(
    blocks: Iterable[tuple[int, Block]],
    pattern: SplitPattern,
    share: float,
    *,
    n_cores: int,
    max_pretokens: int,
) -> CorpusPretokens:
    """Count the pretokens of blocks, each with the byte of its file where it begins."""
    n_left_out = 0
    counters = PretokenCounter(pattern), PretokenCounter(pattern)
    hold_to_the_limit = pretoken_limit(max_pretokens)

    def watched() -> Iterator[tuple[int, Block]]:
        nonlocal n_left_out
        for position, block in blocks:
            n_left_out += block.n_left_out
            yield position, block

    parts = _in_parts(watched(), cuts_of(pattern), share)
    if n_cores == 1:
        for part, raws in parts:
            for raw in raws:
                counters[part].add(raw.decode())
            if max_pretokens:
                hold_to_the_limit(sum(counter.n_pretokens for counter in counters))
    else:
        jobs = ((pattern, part, raws) for part, raws in parts)
        done = iter_done(jobs, _count_job, [], allow_special=False, n_cores=n_cores, n_bytes=MUCH_BYTES)
        for (_pattern, part, _raws), found in done:
            counters[part].add_counts(found)
            hold_to_the_limit(sum(counter.n_pretokens for counter in counters))
    training, held_out = (counter.result() for counter in counters)
    return CorpusPretokens(training, held_out, n_left_out)


def _count_job(_encoders: list[Encoder], job: tuple[SplitPattern, int, list[bytes]]) -> PretokenCounts:
    pattern, _part, raws = job
    return count_pretokens((raw.decode() for raw in raws), pattern)


def cuts_of(pattern: SplitPattern) -> SafeCuts:
    """Return where texts of a split pattern may be cut; nowhere for a typed pattern."""
    return SafeCuts(safe_cut_of(pattern.name))


def pretoken_limit(max_pretokens: int) -> Callable[[int], None]:
    """Return a function that raises InvalidInputError for more distinct pretokens; 0 is no limit."""

    def hold_to_the_limit(n_pretokens: int) -> None:
        if max_pretokens and n_pretokens > max_pretokens:
            raise InvalidInputError(
                f"the corpus has more than {max_pretokens:,} distinct pretokens, the limit of "
                "--max-pretokens; they take about 100 bytes of memory each"
            )

    return hold_to_the_limit


def _in_parts(
    blocks: Iterable[tuple[int, Block]], cuts: SafeCuts, share: float
) -> Iterator[tuple[int, list[bytes]]]:
    """Yield texts with their part (1 for held out), in the order of the corpus.

    Blocks come with the byte of their file where each begins.
    """
    for position, block in blocks:
        raws = [as_utf8(text) for text in block.texts]
        if block.ends and share:
            held_out = [is_row_held_out(raw, share) for raw in raws]
            yield 0, [raw for raw, is_out in zip(raws, held_out, strict=True) if not is_out]
            yield 1, [raw for raw, is_out in zip(raws, held_out, strict=True) if is_out]
        elif block.ends:
            yield 0, raws
        else:
            pieces = (
                iter_stretches(raws[0], position, block.file, cuts, share) if share else [(0, raws[0], False)]
            )
            for start, raw, is_out in pieces:
                is_first = position + start == 0
                yield int(is_out), [raw.removeprefix(_BYTE_ORDER_MARK) if is_first else raw]


def _placed(blocks: Iterable[Block]) -> Iterator[tuple[int, Block]]:
    """Yield each block with the byte of its file where it begins; not exact for rows."""
    position, file = 0, -1
    for block in blocks:
        if block.file != file:
            position, file = 0, block.file
        yield position, block
        position += 0 if block.ends else len(block.texts[0])  # of plain text, its bytes
