"""Joining tables of distinct pretokens that parts of a corpus have, into that of the whole."""

from collections.abc import Callable, Sequence

import numpy as np

from playground.core.errors import LimitExceededError
from playground.training.kernel.pretoken_table import (
    N_BYTES,
    N_PRETOKENS,
    PAD,
    Longs,
    find_pretokens,
    new_table,
    with_room,
    words_of,
)
from playground.training.pretoken_counts import PretokenCounts

#: What a pretoken's number in a table has bits for.
MAX_PRETOKENS = 1 << 28


def merge_counts(
    tables: Sequence[PretokenCounts], *, on_table: Callable[[int], None] = lambda _n_pretokens: None
) -> PretokenCounts:
    """The counts of a corpus of those of its parts, in the order of the corpus; first seen comes first.

    So it does not matter how a corpus is parted, and in which groups of neighbours its parts are merged.
    `on_table` is told how many distinct pretokens there are so far; it may raise. Raises LimitExceededError
    for more than 268 million.

    >>> from playground.bpe.split_pattern import SplitPattern
    >>> from playground.training.pretoken_counts import count_pretokens
    >>> parts = [count_pretokens([text], SplitPattern.named("gpt2")) for text in ("to be", "be or to")]
    >>> list(merge_counts(parts).items())
    [(b'to', 1), (b' be', 1), (b'be', 1), (b' or', 1), (b' to', 1)]
    """
    if len(tables) == 1:
        return tables[0]
    table = new_table()
    totals: Longs = np.zeros(0, np.int64)
    for counts in tables:
        pool = np.concatenate([counts.pool, np.zeros(PAD, np.uint8)])
        numbers = np.empty(len(counts), np.int64)
        done = 0
        while (done := find_pretokens(table, pool, words_of(pool), counts.starts, done, numbers)) < len(
            counts
        ):
            table = with_room(table, n_more_bytes=_n_bytes_left(counts, done))
        n_pretokens = int(table.used[N_PRETOKENS])
        if n_pretokens > MAX_PRETOKENS:
            raise LimitExceededError(
                f"the corpus has {n_pretokens:,} distinct pretokens; {MAX_PRETOKENS:,} can be counted",
                limit="memory",
            )
        on_table(n_pretokens)
        totals = np.concatenate([totals, np.zeros(n_pretokens - len(totals), np.int64)])
        totals[numbers] += counts.counts  # a table has each pretoken once
    return PretokenCounts(
        table.pool[: int(table.used[N_BYTES])].copy(),  # without the room behind, which is not to be sent
        table.starts[: len(totals) + 1].copy(),
        totals,
        sum(counts.n_bytes for counts in tables),
        sum(counts.n_unmatched_bytes for counts in tables),
    )


def _n_bytes_left(counts: PretokenCounts, done: int) -> int:
    """Room for all that may be new: what is copied is copied once."""
    return int(counts.starts[-1] - counts.starts[done])
