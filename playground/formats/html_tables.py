"""Read the first table of an HTML page, as a browser shows its cells."""

import re
from html.parser import HTMLParser

from playground.core.errors import DataSyntaxError

_TABLE = re.compile(r"<table[\s>]", re.IGNORECASE)
_CELL = re.compile(r"<t[dh][\s>]", re.IGNORECASE)
_UNSEEN = ("script", "style", "template")
_SPACE = " \t\n\r\f"


def is_html_table(text: str) -> bool:
    """Whether a text has an HTML table with cells.

    >>> is_html_table("<p><TABLE border=1><tr><td>1"), is_html_table("<table><row/></table>")
    (True, False)
    """
    found = _TABLE.search(text)
    return found is not None and _CELL.search(text, found.end()) is not None


def rows_of_html(text: str) -> tuple[list[tuple[str, ...]], list[str]]:
    """Return the rows of a text's first table, and notes on what was left out.

    >>> rows_of_html("<table><tr><th>a<th>b<tr><td> 1 <td>x<br>y &amp; z</table>")
    ([('a', 'b'), ('1', 'x\\ny & z')], [])

    Raises DataSyntaxError for a text without a table, a table in a cell, and cells that span others.
    """
    reader = _TableReader()
    reader.feed(text)
    reader.close()
    reader.end_row()
    if not reader.rows:
        raise DataSyntaxError("not an HTML table: there is no <table> with rows of <td> or <th> cells")
    notes = [f"Further tables ({reader.n_tables - 1:,}) were left out."] if reader.n_tables > 1 else []
    if reader.has_text_outside:
        notes.append("The text outside the table was left out.")
    return reader.rows, notes


class _TableReader(HTMLParser):
    """Collects the cells of the first table; end tags of cells and rows may be missing, as in HTML."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[tuple[str, ...]] = []
        self.n_tables = 0
        self.has_text_outside = False
        self._is_in_table = False
        self._cells: list[str] = []
        self._parts: list[str] | None = None  # of the open cell
        self._n_unseen = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            if self._is_in_table:
                raise self._error("a table within a table is not read")
            self.n_tables += 1
            self._is_in_table = self.n_tables == 1
        elif tag in _UNSEEN:
            self._n_unseen += 1
        elif not self._is_in_table:
            return
        elif tag in ("td", "th"):
            self._end_cell()
            self._parts = []
            if any(name in ("colspan", "rowspan") and value not in (None, "", "1") for name, value in attrs):
                raise self._error("a cell that spans several columns or rows is not read; divide it")
        elif tag == "tr":
            self.end_row()
        elif tag == "br" and self._parts is not None:
            self._parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in _UNSEEN:
            self._n_unseen = max(0, self._n_unseen - 1)
        elif tag in ("td", "th"):
            self._end_cell()
        elif tag == "tr":
            self.end_row()
        elif tag == "table" and self._is_in_table:
            self.end_row()
            self._is_in_table = False

    def handle_data(self, data: str) -> None:
        if self._n_unseen:
            return
        if self._parts is not None:
            self._parts.append(data)
        elif data.strip():
            self.has_text_outside = True

    def end_row(self) -> None:
        """End the open row, if it has cells."""
        self._end_cell()
        if self._cells:
            self.rows.append(tuple(self._cells))
        self._cells = []

    def _end_cell(self) -> None:
        if self._parts is not None:
            self._cells.append("".join(self._parts).strip(_SPACE))
        self._parts = None

    def _error(self, message: str) -> DataSyntaxError:
        line, column = self.getpos()
        return DataSyntaxError(message, line=line, column=column + 1)
