"""Read Markdown tables by GitHub's rules, which allow more than `tables` writes."""

import html
import re

from playground.core.errors import DataSyntaxError

#: A pipe that separates cells, so not an escaped one.
_PIPE = re.compile(r"(?<!\\)\|")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])|<br>|&#?\w+;")
_LINE_END = re.compile(r"\r\n?|\n")
_RULE_CELL = re.compile(r":?-+:?")


def is_markdown_table(text: str) -> bool:
    r"""Whether a text begins with a row of cells and a delimiter row with the same number of cells.

    >>> is_markdown_table("| a | b |\n|---|:-:|\n| 1 | 2 |"), is_markdown_table("a | b\n- | -")
    (True, True)
    >>> is_markdown_table("| a | b |\n| 1 | 2 |"), is_markdown_table("a: |\n---")
    (False, False)
    """
    lines = _LINE_END.split(text.lstrip("\n\r"), 2)
    if len(lines) < 2 or not (_PIPE.search(lines[0]) and _PIPE.search(lines[1])):
        return False
    rules = _raw_cells(lines[1])
    return len(rules) == len(_raw_cells(lines[0])) and all(
        _RULE_CELL.fullmatch(rule.strip()) for rule in rules
    )


def rows_of_table(text: str) -> tuple[list[tuple[str, ...]], list[str]]:
    r"""Return the rows of a text's first table, header first, and notes on what was left out.

    Rows have as many cells as the header: others are cut or filled, as GitHub does. Raises DataSyntaxError.

    >>> rows_of_table("| a | b |\n|---|---|\n| 1 | x\\|y |\n| 2 |\n")
    ([('a', 'b'), ('1', 'x|y'), ('2', '')], [])
    """
    if not is_markdown_table(text):
        raise DataSyntaxError(
            "not a Markdown table: the first line has its columns between |, and the second a rule below "
            "each, as | --- | --- |",
            line=1,
        )
    header, _, *lines = _LINE_END.split(text.lstrip("\n\r"))
    names = cells_of_row(header)
    rows, n_cut, n_behind = [names], 0, 0
    for number, line in enumerate(lines):
        if not line.strip():  # the table ends there
            n_behind = sum(1 for behind in lines[number:] if behind.strip())
            break
        cells = cells_of_row(line)
        n_cut += sum(1 for cell in cells[len(names) :] if cell)
        rows.append(fitted(cells, len(names)))
    notes = []
    if n_cut:
        notes.append(f"Cells beyond the header's columns ({n_cut:,}) were left out, as GitHub does.")
    if n_behind:
        notes.append(f"Text after the table was left out (lines: {n_behind:,}).")
    return rows, notes


def cells_of_row(line: str) -> tuple[str, ...]:
    """Return the texts of a row's cells, stripped, with escapes and entities decoded."""
    return tuple(map(_unescape, _raw_cells(line)))


def fitted(cells: tuple[str, ...], n_columns: int) -> tuple[str, ...]:
    """Return exactly `n` cells, as GitHub does: further cells are dropped, missing ones are empty."""
    return (*cells, *[""] * (n_columns - len(cells)))[:n_columns]


def _unescape(cell: str) -> str:
    return _ESCAPE.sub(_unescaped, cell.replace("\\|", "|").strip(" \t\v\f").replace("\0", "\ufffd"))


def _raw_cells(line: str) -> list[str]:
    """Split a row at its pipes; the outer pipes are optional."""
    cells = _PIPE.split(line.strip())
    first = 1 if len(cells) > 1 and not cells[0] else 0
    last = len(cells) - 1 if len(cells) > 1 and not cells[-1] else len(cells)
    return cells[first:last]


def _unescaped(match: re.Match[str]) -> str:
    return match[1] or ("\n" if match[0] == "<br>" else html.unescape(match[0]))
