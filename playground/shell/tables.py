"""Tables as text: columns two spaces apart, in which numbers stand to the right."""

from collections.abc import Collection, Sequence


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
