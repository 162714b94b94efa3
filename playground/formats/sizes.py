"""How large data becomes in a format, computed before it is written: some formats say one thing many times.

Indentation is written for each value, a path for each value under it, and a table has a cell for each row
and column, filled or not. Kilobytes of input can become gigabytes.
"""

from collections.abc import Iterable
from typing import NamedTuple

from playground.core.errors import CannotHoldError
from playground.formats.json_formats import key_text
from playground.formats.values import Data, WriteOptions

#: Characters of a text; one of 5 MB of input at its longest, in a format that is fit for it, has fewer.
MAX_TEXT_CHARACTERS = 50_000_000
#: Columns of a table, and its cells with the empty ones. pandas takes a second for the columns.
MAX_COLUMNS, MAX_CELLS = 2_000, 3_000_000
#: Cells for each that is filled, in a table of more than so many: rows with keys of their own have one each.
MAX_CELLS_PER_FILLED, MAX_SPARSE_CELLS = 20, 50_000
#: Characters of a column's name, which is the path of its values.
MAX_NAME_CHARACTERS = 10_000


class Size(NamedTuple):
    """What data repeats: `n_levels` sums the depth of each value, `n_path_characters` each path's length."""

    n_levels: int
    n_path_characters: int


def size_of(data: Data) -> Size:
    """Walk over the data once.

    >>> size_of({"a": {"b": [1, 2]}})
    Size(n_levels=9, n_path_characters=12)
    """
    n_levels = n_characters = 0
    stack: list[tuple[Data, int, int]] = [(data, 0, 0)]
    while stack:
        value, depth, length = stack.pop()
        depth += 1
        if isinstance(value, dict):
            for key, child in value.items():
                name_length = length + 1 + (len(key) if type(key) is str else len(key_text(key)))
                if isinstance(child, (dict, list)) and child:
                    stack.append((child, depth, name_length))
                else:
                    n_characters += name_length
            n_levels += depth * len(value)
        elif isinstance(value, list):
            digits = len(str(len(value)))
            for child in value:
                if isinstance(child, (dict, list)) and child:
                    stack.append((child, depth, length + 1 + digits))
                else:
                    n_characters += length + 1 + digits
            n_levels += depth * len(value)
    return Size(n_levels, n_characters)


def check_size(size: Size, grows_by: Iterable[str], options: WriteOptions) -> None:
    """Raise CannotHoldError where what a format repeats alone is over MAX_TEXT_CHARACTERS."""
    repeated = {"indent": size.n_levels * options.indent, "path": size.n_path_characters}
    names = {"indent": "indentation", "path": "paths"}
    for what in grows_by:
        if repeated[what] > MAX_TEXT_CHARACTERS:
            raise CannotHoldError(
                f"its {names[what]} alone would take {repeated[what]:,} characters; "
                f"at most {MAX_TEXT_CHARACTERS:,} are written"
            )


def check_n_characters(n_characters: int) -> None:
    """Raise CannotHoldError for a text of more than MAX_TEXT_CHARACTERS."""
    if n_characters > MAX_TEXT_CHARACTERS:
        raise CannotHoldError(f"it has {n_characters:,} characters; at most {MAX_TEXT_CHARACTERS:,} are kept")


def check_table(n_rows: int, n_columns: int, n_filled: int) -> None:
    """Raise CannotHoldError for a table that is too wide, has too many cells, or hardly any that are filled.

    >>> check_table(3_000, 3_000, 9_000_000)
    Traceback (most recent call last):
    ...
    playground.core.errors.CannotHoldError: a table of this data has 3,000 columns; at most 2,000 are written
    """
    if n_columns > MAX_COLUMNS:
        raise CannotHoldError(
            f"a table of this data has {n_columns:,} columns; at most {MAX_COLUMNS:,} are written"
        )
    n_cells = n_rows * n_columns
    if n_cells > MAX_CELLS or (n_cells > MAX_SPARSE_CELLS and n_cells > MAX_CELLS_PER_FILLED * n_filled):
        raise CannotHoldError(
            f"a table of this data has {n_rows:,} rows and {n_columns:,} columns, and fills {n_filled:,} of "
            f"its {n_cells:,} cells; at most {MAX_CELLS:,} are written, and {MAX_CELLS_PER_FILLED} for one "
            "that is filled"
        )
