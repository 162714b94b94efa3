"""Tables of counts as text, CSV or Markdown."""

import csv
import io
from collections.abc import Collection, Sequence

from playground.shell.terminal import aligned, printable

Cell = str | int | float


def format_table(
    headings: Sequence[str], rows: Sequence[Sequence[Cell]], *, style: str = "", names: Collection[int] = ()
) -> str:
    """Return a table in a style: "csv", "markdown", or aligned text; columns in `names` are left-aligned.

    >>> print(format_table(["tokens", "file"], [(1200, "a|b.txt")], style="markdown", names=[1]))
    | tokens | file |
    | ---: | :--- |
    | 1,200 | a\\|b.txt |
    >>> print(format_table(["tokens", "file"], [(1200, "a,b.txt")], style="csv"))
    tokens,file
    1200,"a,b.txt"
    """
    if style == "csv":
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows([headings, *rows])
        return out.getvalue().rstrip("\n")
    cells = [tuple(map(_shown, row)) for row in rows]
    if style == "markdown":
        marks = [":---" if place in names else "---:" for place in range(len(headings))]
        lines = [headings, marks, *([cell.replace("|", "\\|") for cell in row] for row in cells)]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return aligned([tuple(headings), *cells], names=names)


def _shown(cell: Cell) -> str:
    if isinstance(cell, str):
        return printable(cell)
    return f"{cell:,}" if isinstance(cell, int) else f"{cell:,.2f}"
