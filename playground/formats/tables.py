"""Write and read tables: CSV, TSV, Markdown and HTML.

Nested objects become dotted columns, and lists become JSON in a cell."""

import csv
import html
import io
import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import pandas as pd
import pyarrow
import pyarrow.csv

from playground.core.errors import CannotHoldError
from playground.formats.json_formats import json_ready
from playground.formats.limits import MAX_CELLS, MAX_NAME_CHARACTERS, check_table
from playground.formats.markdown_tables import cells_of_row, fitted
from playground.formats.roles import roles_by
from playground.formats.rows import find_records
from playground.formats.values import Data, Role, WriteOptions, key_text, scalar_text


def cells_of(data: Data) -> tuple[list[str], list[list[str]]]:
    """Return column names, and the cells of each row. Raises CannotHoldError.

    >>> cells_of([{"id": 1, "at": {"x": 2}}, {"id": 2, "tags": ["a"]}])
    (['id', 'at.x', 'tags'], [['1', '2', ''], ['2', '', '["a"]']])
    """
    _, records = find_records(data)
    flat: list[dict[str, str]] = []
    names: dict[str, None] = {}
    n_filled = 0
    for record in records:
        row: dict[str, str] = {}
        _add_cells(record, "", row)
        flat.append(row)
        n_filled += len(row)
        if row.keys() != names.keys():
            names.update(dict.fromkeys(row))
            check_table(len(records), len(names), MAX_CELLS)
    check_table(len(records), len(names), n_filled)
    columns = list(names)
    return columns, [[row.get(name, "") for name in columns] for row in flat]


def write_csv(data: Data, options: WriteOptions, *, delimiter: str = ",") -> str:  # noqa: ARG001
    """Return CSV by RFC 4180, with line feeds at the ends of lines. Raises CannotHoldError.

    >>> write_csv([{"a": 1, "b": "x,y"}], WriteOptions())
    'a,b\\n1,"x,y"'
    """
    columns, cells = cells_of(data)
    text = "\n".join(_csv_lines([columns, *cells], delimiter))
    if text.startswith("\ufeff"):  # at the start of a file it would be a byte order mark, which readers drop
        return f'"{columns[0]}"{text[len(columns[0]) :]}'
    return text


def read_csv(text: str, *, delimiter: str = ",") -> Data:
    """Return rows as pandas reads them: columns of numbers become numbers, empty cells and NA null.

    >>> read_csv("a,b\\n1,x\\n,007")
    [{'a': 1, 'b': 'x'}, {'a': None, 'b': '007'}]
    """
    try:
        frame = pd.read_csv(
            io.StringIO(text),
            sep=delimiter,
            dtype_backend="numpy_nullable",
            skip_blank_lines=False,
            index_col=False,
        )
    except pd.errors.ParserError as error:
        if "out of memory" in str(error):
            raise MemoryError from None
        raise
    columns = next(csv.reader(io.StringIO(text), delimiter=delimiter))
    values = [series.array.to_numpy(dtype=object, na_value=None).tolist() for _, series in frame.items()]
    return [dict(zip(columns, row, strict=True)) for row in zip(*values, strict=True)]


def read_csv_with_dates(text: str, *, delimiter: str = ",") -> Data:
    """Return rows as Arrow reads them, which also guesses dates and times.

    >>> read_csv_with_dates("a,b\\n1,2026-03-14")
    [{'a': 1, 'b': datetime.date(2026, 3, 14)}]
    """
    raw = text.encode()
    table = pyarrow.csv.read_csv(
        pyarrow.BufferReader(raw),
        read_options=pyarrow.csv.ReadOptions(use_threads=False, block_size=len(raw) + 1),
        parse_options=pyarrow.csv.ParseOptions(
            delimiter=delimiter, newlines_in_values=True, ignore_empty_lines=False
        ),
        convert_options=pyarrow.csv.ConvertOptions(strings_can_be_null=True),
    )
    columns = [column.to_pylist() for column in table.columns]
    return [dict(zip(table.column_names, row, strict=True)) for row in zip(*columns, strict=True)]


def write_markdown(data: Data, options: WriteOptions) -> str:
    """Return a GitHub-flavoured Markdown table that shows exactly the cells. Raises CannotHoldError.

    >>> write_markdown([{"a": 1, "b": "x|y"}], WriteOptions())
    '| a | b |\\n| --- | --- |\\n| 1 | x\\\\|y |'
    """
    columns, cells = cells_of(data)
    left, middle, right = ("|", "|", "|") if options.is_minified else ("| ", " | ", " |")
    rule = ["-" if options.is_minified else "---"] * len(columns)
    return "\n".join(
        left + middle.join(map(_escape_markdown, row)) + right for row in [columns, rule, *cells]
    )


def read_markdown(text: str) -> Data:
    """Return the rows of a Markdown table of plain text; cells are stripped.

    >>> read_markdown("| a | b |\\n| --- | --- |\\n| 1 | x\\\\|y |")
    [{'a': 1, 'b': 'x|y'}]
    """
    return read_csv(_markdown_csv(text))


def read_markdown_with_dates(text: str) -> Data:
    """Return the rows of a Markdown table, with dates guessed as Arrow does."""
    return read_csv_with_dates(_markdown_csv(text))


def write_html(data: Data, options: WriteOptions) -> str:
    """Return an HTML table, one row per line, without NUL, which HTML cannot have. Raises CannotHoldError.

    >>> write_html([{"a": "<b>"}], WriteOptions(is_minified=True))
    '<table><tr><th>a</th></tr><tr><td>&lt;b&gt;</td></tr></table>'
    """
    columns, cells = cells_of(data)
    newline, indent = ("", "") if options.is_minified else ("\n", " " * options.indent)
    lines = [indent + _html_row("th", columns), *(indent + _html_row("td", row) for row in cells)]
    text = f"<table>{newline}{newline.join(lines)}{newline}</table>"
    if not options.is_ascii:
        return text
    control = _C1_CONTROL.search(text)
    if control:
        raise CannotHoldError(
            f"HTML reads the escape of U+{ord(control[0]):04X}, which the data holds, as another character"
        )
    return text.encode("ascii", "xmlcharrefreplace").decode()


def read_html(text: str) -> Data:
    """Return the rows of the first table.

    >>> read_html("<table><tr><th>a</th></tr><tr><td>1</td></tr></table>")
    [{'a': 1}]
    """
    return read_csv(_html_csv(text))


def read_html_with_dates(text: str) -> Data:
    """Return the rows of the first HTML table, with dates guessed as Arrow does."""
    return read_csv_with_dates(_html_csv(text))


def iter_csv_roles(text: str, *, delimiter: str = ",") -> Iterator[tuple[int, int, Role]]:
    """Yield the cells: keys in the first record, then values, without quotes and separators."""
    find = _CSV_CELL if delimiter == "," else _TSV_CELL
    role: Role = "keys"
    last = 0
    for match in find.finditer(text):
        if role == "keys" and "\n" in text[last : match.start()]:
            role = "values"
        start, end = match.span(match.lastgroup or 0)
        yield start, end, role
        last = match.end()


def iter_markdown_roles(text: str) -> Iterator[tuple[int, int, Role]]:
    """Yield the cells: keys in the first line, then values, without pipes and the delimiter row."""
    head_end = text.find("\n")
    rule_end = text.find("\n", head_end + 1)
    for match in _MARKDOWN_CELL.finditer(text):
        if match.start() < head_end:
            yield *match.span(), "keys"
        elif match.start() > rule_end > 0:
            yield *match.span(), "values"


iter_html_roles = roles_by(r"<th>(?P<keys>[^<]*)|<td>(?P<values>[^<]*)")

_CSV_CELL = re.compile(r'"(?P<quoted>(?:[^"]|"")*+)"|(?P<plain>[^,"\n]+)')
_TSV_CELL = re.compile(r'"(?P<quoted>(?:[^"]|"")*+)"|(?P<plain>[^\t"\n]+)')
_MARKDOWN_CELL = re.compile(r"[^|\s](?:(?:\\\||[^|\n])*[^|\s])?")
_HTML_CELL = re.compile(r"<t[hd]>([^<]*)</t[hd]>")
_C1_CONTROL = re.compile("[\x80-\x9f]")
#: What GitHub's Markdown does not read as plain text. An underscore within a word and an asterisk between
#: spaces are plain; `]` matters before `(`, `&` before a name or number, `<` before a tag.
_MARKDOWN_ACTIVE = re.compile(
    r"""(?P<line_end>\r\n?|\n)
    |(?P<odd>\A[^\S\x1c-\x1f\x85]|[^\S\x1c-\x1f\x85]\Z|\\(?=[|\n\r]|\s?\Z))
    |\\(?=[!-/:-@\[-`{-~])|[|`~]|(?<!\ )\*|\*(?!\ )
    |(?<!\w)_++|(?<!_)_++(?![^\W_])
    |<(?=[a-z/!?])|&(?=\#?\w+;)|\](?=\()""",
    re.IGNORECASE | re.VERBOSE,
)
#: Where GitHub's Markdown starts an automatic link, in which a backslash would be shown.
_MARKDOWN_LINK = re.compile(r"(?<=www)\.|:(?=//)", re.IGNORECASE)


def _add_cells(record: dict[Data, Data], prefix: str, row: dict[str, str]) -> None:
    """Add a record's values to a row; values of nested objects by their path."""
    for key, value in record.items():
        name = prefix + key_text(key)
        if len(name) > MAX_NAME_CHARACTERS:
            raise CannotHoldError(
                f"the name of a column would have {len(name):,} characters; "
                f"at most {MAX_NAME_CHARACTERS:,} are written"
            )
        if isinstance(value, dict) and value:
            _add_cells(value, f"{name}.", row)
        elif isinstance(value, (list, dict)):
            row[name] = json.dumps(json_ready(value), ensure_ascii=False, separators=(",", ":"))
        else:
            row[name] = scalar_text(value)


def _csv_lines(rows: Sequence[Sequence[str]], delimiter: str = ",") -> list[str]:
    """Return each row's text without its line end; `csv` quotes `\\r` only if line ends contain it."""
    lines: list[str] = []
    csv.writer(_Lines(lines.append), delimiter=delimiter, lineterminator="\r\n").writerows(rows)
    return [line[:-2] for line in lines]


class _Lines(NamedTuple):
    """A file-like object for `csv`, which writes one row at a time."""

    write: Callable[[str], None]


def _escape_markdown(cell: str) -> str:
    text = _MARKDOWN_ACTIVE.sub(_escaped, cell)
    return text if text == cell else _MARKDOWN_LINK.sub(lambda link: "\\" + link[0], text)


def _escaped(match: re.Match[str]) -> str:
    if match["line_end"]:
        return "<br>"
    if match["odd"]:
        return f"&#{ord(match[0])};"
    return "".join("\\" + character for character in match[0])


def _markdown_csv(text: str) -> str:
    header, _rule, *lines = text.split("\n")
    names = cells_of_row(header)
    return "\n".join(_csv_lines([names, *(fitted(cells_of_row(line), len(names)) for line in lines)]))


def _html_row(tag: str, cells: list[str]) -> str:
    return "<tr>" + "".join(f"<{tag}>{_escape_html(cell)}</{tag}>" for cell in cells) + "</tr>"


def _escape_html(cell: str) -> str:
    text = html.escape(cell, quote=False)
    return text.replace("\r", "&#13;").replace("\0", "") if "\r" in text or "\0" in text else text


def _html_csv(text: str) -> str:
    """Return the cells of an HTML table as CSV; a row ends where the next one starts."""
    rows = [row.partition("</tr>")[0] for row in text.split("<tr>")[1:]]
    cells = [[html.unescape(cell) for cell in _HTML_CELL.findall(row)] for row in rows]
    return "\n".join(_csv_lines(cells))
