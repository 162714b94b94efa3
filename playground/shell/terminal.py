"""What the shell prints: errors and notes, progress bars, and tables with aligned columns."""

import sys
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from playground.corpora.sources import Source


def print_error(message: str) -> None:
    """Print an error on one line of standard error; control characters are escaped."""
    _print_line("error", message)


def print_note(message: str) -> None:
    """Print a note on one line of standard error; control characters are escaped."""
    _print_line("note", message)


def printable(text: str) -> str:
    r"""Return a text with control characters escaped, which a terminal would obey.

    >>> printable("a\x1b[31m")
    'a\\x1b[31m'
    """
    return "".join(c if c >= " " and not "\x7f" <= c <= "\x9f" else repr(c)[1:-1] for c in text)


def _print_line(kind: str, message: str) -> None:
    print(f"{kind}: {printable(message)}", file=sys.stderr)


#: Smaller inputs are done before a bar could be read.
BAR_FROM_BYTES = 5_000_000
#: Seconds before the bar of a conversion appears.
_QUIET_SECONDS = 1.0


@contextmanager
def read_bar(
    sources: "Sequence[Source]", label: str, *, n_bytes: int | None = None
) -> Iterator[Callable[[int], None]]:
    """Yield a function to call with the bytes of each read; a bar shows the share, time left and speed.

    There is no bar for small inputs, or if standard error isn't a terminal.
    """
    if n_bytes is None:
        n_bytes = sum(source.n_bytes for source in sources)
    if n_bytes < BAR_FROM_BYTES or not sys.stderr.isatty():
        yield lambda _n_read: None
        return
    n_read = 0

    def speed(_item: object) -> str:
        seconds = max(time.time() - bar.start, 0.001)
        return f"{n_read / 1e6:,.0f} of {n_bytes / 1e6:,.0f} MB, {n_read / 1e6 / seconds:,.0f} MB/s"

    bar = click.progressbar(length=n_bytes, label=label, file=sys.stderr, item_show_func=speed)
    with bar:

        def update(n_more: int) -> None:
            nonlocal n_read
            n_read += n_more
            bar.update(n_more, n_read)

        yield update
        update(n_bytes - n_read)  # what is left out, or could not be read, is done too


@contextmanager
def part_bar(label: str) -> Iterator[Callable[[float, str], None]]:
    """Yield a function to call with the share done (0 to 1); a bar appears on a terminal after a second."""
    if not sys.stderr.isatty():
        yield lambda _part, _what: None
        return
    began = time.monotonic()
    bar = click.progressbar(length=100, label=label, file=sys.stderr, show_eta=False)

    def update(part: float, _what: str) -> None:
        if time.monotonic() - began > _QUIET_SECONDS:
            bar.update(round(100 * part) - bar.pos)
            bar.render_progress()

    try:
        yield update
        update(1.0, "")
    finally:
        if bar.pos:
            bar.render_finish()


def aligned(rows: Sequence[Sequence[str]], *, names: Collection[int]) -> str:
    """Return rows of cells as lines; columns in `names` (numbers from 0) are left-aligned.

    >>> print(aligned([("tokens", "file"), ("1,200", "a.txt")], names=[1]))
    tokens  file
     1,200  a.txt
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    if len(widths) - 1 in names:
        widths[-1] = 0  # the last column needs no padding
    return "\n".join(
        "  ".join(
            cell.ljust(width) if place in names else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )
