"""What the shell prints: errors and notes, progress bars, and tables with aligned columns."""

import sys
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from playground.corpora.sources import Source
from playground.training.kernel.first_use import listening

#: What takes seconds, and happens where an answer is first computed.
COMPILING = "compiling, once on this machine"


def print_error(message: str) -> None:
    """One line; control characters, as in a file's name, are shown and not sent to the terminal."""
    _print_line("error", message)


def print_note(message: str) -> None:
    """One line that tells of nothing wrong."""
    _print_line("note", message)


def _print_line(kind: str, message: str) -> None:
    shown = (c if c >= " " and not "\x7f" <= c <= "\x9f" else repr(c)[1:-1] for c in message)
    print(f"{kind}: {''.join(shown)}", file=sys.stderr)


@contextmanager
def compiling_is_noted() -> Iterator[None]:
    """On a terminal, a line says that something is compiled, where no bar does."""
    is_told = not sys.stderr.isatty()

    def tell(is_compiling: bool) -> None:
        nonlocal is_told
        if is_compiling and not is_told:
            is_told = True
            print_note(f"{COMPILING}; it takes some seconds")

    with listening(tell):
        yield


#: Below this many bytes the answer is there before a bar could be read.
BAR_FROM_BYTES = 5_000_000
#: So long one waits without a bar.
_QUIET_SECONDS = 1.0


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

        with compiling_is_shown(bar):
            yield update


@contextmanager
def part_bar(label: str) -> Iterator[Callable[[float, str], None]]:
    """Tell it which part of 1 is done; nothing is shown before a second, or on no terminal."""
    if not sys.stderr.isatty():
        yield lambda _part, _what: None
        return
    import click  # only here, as above

    began = time.monotonic()
    bar = click.progressbar(length=100, label=label, file=sys.stderr, show_eta=False)

    def update(part: float, _what: str) -> None:
        if time.monotonic() - began > _QUIET_SECONDS:
            bar.update(round(100 * part) - bar.pos)
            bar.render_progress()

    try:
        yield update
    finally:
        if bar.pos:
            bar.render_finish()


@contextmanager
def compiling_is_shown(bar: Any) -> Iterator[None]:
    """While something is compiled, a bar of `click` says so, and its clock stands still."""
    label, began = bar.label, 0.0

    def tell(is_compiling: bool) -> None:
        nonlocal began
        if is_compiling:
            began, bar.label = time.time(), COMPILING.capitalize()
        else:
            bar.start, bar.label = bar.start + time.time() - began, label
        bar.render_progress()

    with listening(tell):
        yield


def aligned(rows: Sequence[Sequence[str]], *, names: Collection[int]) -> str:
    """Rows of cells, a line each; columns of `names`, by number from 0, stand to the left.

    >>> print(aligned([("tokens", "file"), ("1,200", "a.txt")], names=[1]))
    tokens  file
     1,200  a.txt
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    if len(widths) - 1 in names:
        widths[-1] = 0  # nothing stands behind it
    return "\n".join(
        "  ".join(
            cell.ljust(width) if place in names else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )
