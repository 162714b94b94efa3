"""A bar for much to read, on a terminal's standard error."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from playground.corpora.sources import Source

#: Below this many bytes the answer is there before a bar could be read.
BAR_FROM_BYTES = 5_000_000


@contextmanager
def read_bar(sources: Sequence[Source], label: str) -> Iterator[Callable[[int], None]]:
    """Tell it the bytes as they are read; it shows their share, the time left and the speed.

    Nothing is shown where there is little to read, or where standard error is no terminal.
    """
    n_bytes = sum(source.n_bytes for source in sources)
    if n_bytes < BAR_FROM_BYTES or not sys.stderr.isatty():
        yield lambda _n_read: None
        return
    import click  # only here: a short count need not wait for it

    started = time.monotonic()
    n_read = 0

    def speed(_item: object) -> str:
        seconds = max(time.monotonic() - started, 0.001)
        return f"{n_read / 1e6:,.0f} of {n_bytes / 1e6:,.0f} MB, {n_read / 1e6 / seconds:,.0f} MB/s"

    with click.progressbar(length=n_bytes, label=label, file=sys.stderr, item_show_func=speed) as bar:

        def update(n_more: int) -> None:
            nonlocal n_read
            n_read += n_more
            bar.update(n_more, n_read)

        yield update
