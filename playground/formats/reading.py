"""Read data that a person pastes or uploads: detect its format, and note what may surprise."""

import csv
import io
import json
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from math import isfinite
from pathlib import Path

from playground.core.errors import DataSyntaxError, InvalidInputError, LooksLikeProseError
from playground.core.tokenizer import replace_lone_surrogates
from playground.core.wording import counted, listed, quoted
from playground.formats.limits import (
    MAX_DEPTH,
    MAX_DIGITS,
    Traits,
    check_n_bytes,
    find_too_deep,
    find_traits,
    line_and_column,
    shortened,
    too_deep,
    too_many_digits,
    without_lone_surrogates,
)
from playground.formats.markdown_tables import is_markdown_table, rows_of_table
from playground.formats.prose import are_sentences, is_prose
from playground.formats.python_literals import is_python, read_python_literal
from playground.formats.values import Data
from playground.formats.xml_formats import read_xml
from playground.formats.yaml_reading import read_yaml_with_notes

_MAX_DUPLICATES = 5
_MAX_SHOWN = 3  # of columns in a note
#: Numbers with at most so many characters are exact as doubles, which keep 15 digits.
_EXACT_CHARACTERS = 15
_PROSE = "this looks like prose, not data"
_DELIMITERS = (("\t", "TSV"), (",", "CSV"), (_SEMICOLON := ";", "CSV"))
_N_LINES_SEEN = 200
#: The name of a column: some words, without white space around them.
_COLUMN_NAME = re.compile(r'"?[^\W_](?:[^",\n\t]{0,38}[^\s",.])?"?')


@dataclass(frozen=True, slots=True)
class Document:
    """Data that was read, its input format, and notes on what a person may not expect."""

    data: Data
    input_format: str
    notes: tuple[str, ...] = ()


def read_document(source: str | bytes, input_format: str | None = None) -> Document:
    """Read data in the named format, or else in the detected one.

    >>> read_document('{"a": 1}').data, read_document("a: 1").input_format
    ({'a': 1}, 'YAML')

    Raises TextTooLongError, DataSyntaxError with the line and column where the parser knows them, and
    InvalidInputError for an unknown format.
    """
    text = decode_text(source)
    is_detected = not input_format
    input_format = input_format or detect_format(text)
    input_format = _NAMES.get(input_format.casefold(), input_format)
    if input_format not in INPUT_FORMATS:
        raise InvalidInputError(
            f"unknown format {quoted(input_format)}; choose from {', '.join(INPUT_FORMATS)}"
        )
    if not text.strip():
        raise InvalidInputError(f"the input is empty; it can be {', '.join(INPUT_FORMATS)}")
    try:
        data, notes = INPUT_FORMATS[input_format](text)
        if is_detected and input_format == "YAML" and is_prose(text, data):
            raise LooksLikeProseError(_PROSE)
    except DataSyntaxError:
        if is_detected and input_format == "YAML" and is_prose(text):
            raise LooksLikeProseError(_PROSE) from None
        raise
    except RecursionError:
        place = find_too_deep(text)
        raise too_deep(*(place or (None, None))) from None
    try:
        traits = find_traits(data)
    except DataSyntaxError:
        place = find_too_deep(text)
        if place:
            raise too_deep(*place) from None
        raise
    if traits.n_lone_surrogates:
        data = without_lone_surrogates(data)
    return Document(data, input_format, (*notes, *_iter_trait_notes(traits)))


def detect_format(text: str) -> str:
    """Return the most likely format of a text; YAML if no other fits.

    >>> [detect_format(text) for text in ("[1]", "[1]\\n[2]", "<a/>", "a = 1", "a,b\\n1,2", "a: b, c")]
    ['JSON', 'JSON Lines', 'XML', 'TOML', 'CSV', 'YAML']
    >>> detect_format("| a | b |\\n| --- | --- |\\n| 1 | 2 |"), detect_format("{'a': None}")
    ('Markdown table', 'Python literal')
    """
    start = text.lstrip("\ufeff \t\r\n")
    if start.startswith("<"):
        return "XML"
    lines = _first_lines(start)
    if start[:1] in ("{", "["):
        if _TOML_HEADER.match(start) and not _is_json(lines[0]):
            return "Python literal" if len(lines) == 1 and is_python(start) else "TOML"
        if len(lines) > 1 and _is_json(lines[0]):  # with more after it, it is no JSON
            return "JSON Lines"
        if not _is_json(start) and is_python(start):
            return "Python literal"
        return "YAML" if _FLOW_YAML.match(start) else "JSON"
    if _is_json(text):
        return "JSON"
    if any(_TOML_LINE.match(line) for line in lines if not line.lstrip().startswith("#")) and _is_toml(text):
        return "TOML"
    if is_markdown_table(start):
        return "Markdown table"
    if any(_YAML_LINE.match(line) for line in lines[:20]):
        return "YAML"
    delimiter = _delimiter(lines)
    if delimiter == "," and are_sentences(lines):
        return "YAML"
    return dict(_DELIMITERS).get(delimiter, "YAML")


_TABLE_ENDINGS = {".csv": "CSV", ".tsv": "TSV"}


def table_named(file_name: str, source: str | bytes) -> str | None:
    """Return the format of a file named as a table whose text does not look like data; None for any other.

    Reading it as that table then says what is wrong with it.

    >>> table_named("a.csv", "id,name\\n1,Ann,x\\n2"), table_named("a.csv", "[1]"), table_named("", "a")
    ('CSV', None, None)
    """
    named = _TABLE_ENDINGS.get(Path(file_name).suffix.lower())
    return named if named and detect_format(decode_text(source)) == "YAML" else None


def _first_lines(text: str) -> list[str]:
    """Return the lines by which the format of a text is detected."""
    return [line for line in text.split("\n", _N_LINES_SEEN)[:_N_LINES_SEEN] if line.strip()]


def _delimiter(lines: list[str]) -> str:
    """Return the delimiter of a table, given its first lines; "" if they are not a table.

    Spreadsheets write semicolons where numbers have a decimal comma. Code has semicolons too, but no column
    names.

    >>> _delimiter(["sku;price", "A-1;1,20", "A-2;3,50"]), _delimiter(["a = 1;", "b = 2;"])
    (';', '')
    """
    for delimiter, _ in _DELIMITERS:
        try:
            rows = list(csv.reader(io.StringIO("\n".join(lines[:-1] or lines)), delimiter=delimiter))
        except csv.Error:
            continue
        are_even = len(lines) > 1 and len(rows[0]) > 1 and all(len(row) == len(rows[0]) for row in rows)
        if are_even and (delimiter != _SEMICOLON or all(map(_COLUMN_NAME.fullmatch, rows[0]))):
            return delimiter
    return next((delimiter for delimiter, _ in _DELIMITERS if _is_table(lines, delimiter)), "")


def _is_table(lines: list[str], delimiter: str) -> bool:
    """Whether lines look like rows, perhaps incomplete: column names first, the delimiter in each line.

    >>> _is_table(["id,name", "1,Ann,x", "2,"], ","), _is_table(["Dear Ann, hello", "see you, Bob"], ",")
    (True, False)
    """
    names = lines[0].split(delimiter) if lines else []
    are_names = len(names) > 1 and all(_COLUMN_NAME.fullmatch(name) for name in names)
    return are_names and len(lines) > 1 and all(delimiter in line for line in lines[1:])


def _read_json(text: str) -> tuple[Data, list[str]]:
    notes: list[str] = []

    def build(pairs: list[tuple[str, Data]]) -> dict[str, Data]:
        found = dict(pairs)
        if len(found) < len(pairs) and len(notes) < _MAX_DUPLICATES:
            twice = _first_repeated(key for key, _ in pairs)
            notes.append(f"The key {shortened(twice)} stands twice in an object; the last counts.")
        return found

    def number(digits: str) -> float:
        value = float(digits)
        may_lose = len(digits) > _EXACT_CHARACTERS and isfinite(value) and len(notes) < _MAX_DUPLICATES
        if may_lose and Decimal(digits) != Decimal(repr(value)):
            told = digits if len(digits) <= 40 else f"{digits[:39]}…"
            notes.append(f"The number {told} has more digits than are kept: it is read as {value!r}.")
        return value

    try:
        return json.loads(text, object_pairs_hook=build, parse_float=number), notes
    except json.JSONDecodeError as error:
        raise DataSyntaxError(f"not valid JSON: {error.msg}", line=error.lineno, column=error.colno) from None
    except ValueError:
        raise _digits_error(text) from None


def _read_json_lines(text: str) -> tuple[Data, list[str]]:
    rows: list[Data] = []
    notes: list[str] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                row, found = _read_json(line)
            except DataSyntaxError as error:
                message = str(error).split(" (line")[0]
                raise DataSyntaxError(message, line=number, column=error.column) from None
            rows.append(row)
            if len(notes) < _MAX_DUPLICATES:
                notes.extend(f"Line {number:,}: {note}" for note in found)
    return rows, notes[:_MAX_DUPLICATES]


def _first_repeated(names: Iterable[str]) -> str:
    """Return the first name that is a repetition."""
    seen: set[str] = set()
    return next(name for name in names if name in seen or seen.add(name))  # type: ignore[func-returns-value]


def _read_toml(text: str) -> tuple[Data, list[str]]:
    deep = _DEEP_KEY.search(text)
    if deep:  # tomllib takes quadratic time and memory for it
        raise too_deep(*line_and_column(text, deep.start()))
    try:
        return tomllib.loads(text), []
    except tomllib.TOMLDecodeError as error:
        match = re.search(r" \(at line (\d+), column (\d+)\)$", str(error))
        line, column = (int(match[1]), int(match[2])) if match else line_and_column(text, len(text))
        message = re.sub(r" \(at [^)]*\)$", "", str(error))
        raise DataSyntaxError(f"not valid TOML: {message}", line=line, column=column) from None
    except ValueError:
        raise _digits_error(text) from None


def _read_xml(text: str) -> tuple[Data, list[str]]:
    return read_xml(text), [
        "XML has no types: every value was read as text.",
        "The root's name, and which values were attributes, are not kept.",
    ]


def _read_csv(text: str) -> tuple[Data, list[str]]:
    """Read rows of cells separated by commas or semicolons."""
    if _delimiter(_first_lines(text)) != _SEMICOLON:
        return _read_cells(text, "CSV", ",")
    data, notes = _read_cells(text, "CSV", _SEMICOLON)
    return data, ["Semicolons separate the cells.", *notes]


def _read_cells(text: str, name: str, delimiter: str) -> tuple[Data, list[str]]:
    reader = csv.reader(io.StringIO(text), delimiter=delimiter, strict=True)
    rows: list[tuple[str, ...]] = []
    n_lines = 0  # that ended with the last row
    try:
        for cells in reader:
            rows.append(tuple(cells))
            n_lines = reader.line_num
    except csv.Error as error:
        if "unexpected end" in str(error):
            raise DataSyntaxError(
                f"not valid {name}: a quote of the record that begins here is never closed", line=n_lines + 1
            ) from None
        raise DataSyntaxError(f"not valid {name}: {error}", line=n_lines + 1) from None
    data, notes = _typed_rows([row for row in rows if row], name)
    if delimiter == "\t" and len(rows[0]) == 1 and any(mark in rows[0][0] for mark in ",;"):
        notes = ["No line has a tab, so there is one column.", *notes]
    return data, notes


def _read_markdown(text: str) -> tuple[Data, list[str]]:
    rows, left_out = rows_of_table(text)
    data, notes = _typed_rows(rows, "Markdown")
    return data, [*left_out, *notes]


def _typed_rows(rows: list[tuple[str, ...]], name: str) -> tuple[Data, list[str]]:
    """Return rows as objects; a column has a type only if every cell's text survives: 007 stays text."""
    header, *body = rows
    if len(set(header)) < len(header):
        twice = shortened(_first_repeated(header))
        raise DataSyntaxError(f"the column {twice} stands twice in the first line", line=1)
    # Very many rows are short and repeat: each distinct row is read once.
    n_of = Counter(body)
    other = next((row for row in n_of if len(row) != len(header)), None)
    if other is not None:
        number = body.index(other) + 2
        raise DataSyntaxError(
            f"not valid {name}: record {number:,} has {counted(len(other), 'cell')}, "
            f"and the first line has {len(header):,}",
            line=None,
        )
    n_empty = sum(row.count("") * n for row, n in n_of.items())
    columns = [*zip(*n_of, strict=True)]  # none where there is no row
    types = [_type_of_cells(column) for column in columns]
    data_of = {
        row: {name: read(cell) if cell else None for name, read, cell in zip(header, types, row, strict=True)}
        for row in n_of
    }
    data = [*map(data_of.__getitem__, body)]
    notes = [f"Empty cells ({n_empty:,}) were read as null."] if n_empty else []
    kept = [
        f"{shortened(name)} ({shortened(cell)})"
        for name, read, cells in zip(header, types, columns, strict=False)
        if read is str and (cell := _other_number(cells))
    ]
    if kept:
        shown = kept if len(kept) <= _MAX_SHOWN else [*kept[:_MAX_SHOWN], f"{len(kept) - _MAX_SHOWN:,} more"]
        notes.append(f"Kept as text to preserve how they are written: {listed(shown)}.")
    return data, notes


def _other_number(cells: Iterable[str]) -> str:
    """Return a number of a numeric column that would be written differently, such as 3.50, or ""."""
    filled = [cell for cell in cells if cell]
    if not all(map(_NUMBER.fullmatch, filled)):
        return ""
    return next((cell for cell in filled if not _is_plain_number(cell)), "")


def _type_of_cells(cells: Iterable[str]) -> Callable[[str], Data]:
    """Return the reader of a column's cells: numbers or booleans if every text survives, else str."""
    filled = [cell for cell in cells if cell]
    if all(map(_BOOLEANS.__contains__, filled)):
        return _BOOLEANS.__getitem__
    if all(map(_INTEGER.fullmatch, filled)):
        return int
    if all(map(_is_plain_number, filled)):
        return json.loads
    return str


def _is_plain_number(cell: str) -> bool:
    """Whether a cell is a number that is written the same way again."""
    if _INTEGER.fullmatch(cell):
        return True
    return _FLOAT.fullmatch(cell) is not None and repr(float(cell)) == cell


def _read_yaml(text: str) -> tuple[Data, list[str]]:
    return read_yaml_with_notes(text)


def _read_tsv(text: str) -> tuple[Data, list[str]]:
    return _read_cells(text, "TSV", "\t")


#: Input formats, by their names on the page.
INPUT_FORMATS: dict[str, Callable[[str], tuple[Data, list[str]]]] = {
    "JSON": _read_json,
    "JSON Lines": _read_json_lines,
    "YAML": _read_yaml,
    "TOML": _read_toml,
    "XML": _read_xml,
    "CSV": _read_csv,
    "TSV": _read_tsv,
    "Markdown table": _read_markdown,
    "Python literal": read_python_literal,
}

_BOOLEANS = {"true": True, "false": False}
_INTEGER = re.compile(rf"0|-?[1-9][0-9]{{0,{MAX_DIGITS - 1}}}")
_NUMBER = re.compile(r"[-+]?[0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]+)?")
_FLOAT = re.compile(r"-?(?:0|[1-9][0-9]{0,400})(?:\.[0-9]{1,400})?(?:e[-+][0-9]{2,3})?")
_PARQUET = b"PAR1"
_NAMES = {name.casefold(): name for name in INPUT_FORMATS}
_TOML_HEADER = re.compile(r"\[\[?[\w.\"' -]+\]\]?\s*(?:#.*)?$", re.MULTILINE)
#: Matched only where a name can start; at every letter of a long value it would take quadratic time.
_DEEP_KEY = re.compile(
    rf"(?<![\w\"'-])(?:(?:[\w-]++|\"[^\"\n]*+\"|'[^'\n]*+')[ \t]*+\.[ \t]*+){{{MAX_DEPTH}}}"
)
_TOML_LINE = re.compile(r"\s*(?:\[\[?[^\]]+\]\]?\s*$|[\w.\"'-]+\s*=)")
_YAML_LINE = re.compile(r"\s*(?:- |---|[^\s\"',{\[][^,]*?:(?:\s|$)|[\"'][^\"']*[\"']:\s)")
_FLOW_YAML = re.compile(r"\{\s*[\w-]+\s*:\s|\[\s*[A-Za-z_](?!rue\b|alse\b|ull\b|aN\b|nfinity\b)[\w -]*[,\]]")


def decode_text(source: str | bytes) -> str:
    """Return the text of UTF-8 or UTF-16, without a byte order mark.

    Raises TextTooLongError, DataSyntaxError with the place of an invalid byte, and InvalidInputError.
    """
    if isinstance(source, str):
        check_n_bytes(len(source.encode(errors="surrogatepass")))
        return replace_lone_surrogates(source.removeprefix("\ufeff"))
    check_n_bytes(len(source))
    if source.startswith(_PARQUET):
        raise InvalidInputError(f"a Parquet file is not read here; valid are {', '.join(INPUT_FORMATS)}")
    encoding = encoding_of(source)
    try:
        return source.decode(encoding)
    except UnicodeDecodeError as error:
        before = source[: error.start].decode(encoding, errors="replace")
        line, column = line_and_column(before, len(before))
        name, byte = encoding.removesuffix("-sig").upper(), source[error.start]
        raise DataSyntaxError(
            f"the input is not valid {name}: byte 0x{byte:02X} at offset {error.start:,}",
            line=line,
            column=column,
        ) from None


def encoding_of(raw: bytes) -> str:
    """Return the encoding of data: UTF-16 with a byte order mark, or else UTF-8.

    >>> encoding_of("a".encode("utf-16")), encoding_of(b"a")
    ('utf-16', 'utf-8-sig')
    """
    return "utf-16" if raw.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _is_toml(text: str) -> bool:
    """Whether a text is TOML, or fails after a first line that is neither YAML nor CSV."""
    if _DEEP_KEY.search(text):
        return True
    try:
        tomllib.loads(text)
    except (ValueError, RecursionError):
        return bool(re.match(r"\s*(?:#.*\n\s*)*(?:\[\[?[\w.\"-]+\]\]?\s*\n|[\w.-]+ = )", text))
    return True


def _digits_error(text: str) -> DataSyntaxError:
    match = re.search(rf"(?<!\d)\d{{{MAX_DIGITS + 1}}}", text)
    return too_many_digits(*(line_and_column(text, match.start()) if match else (None, None)))


def _iter_trait_notes(traits: Traits) -> list[str]:
    counted = [
        (traits.n_big_integers, "Integers over 2^53 − 1", "many JSON parsers round them"),
        (traits.n_not_finite, "NaN or infinite numbers", "JSON has no word for them, and writes null"),
        (traits.n_dates, "Dates", "only YAML and TOML keep them; elsewhere they are text"),
        (traits.n_other_keys, "Keys that are not text", "only YAML and Python keep them"),
        (traits.n_lone_surrogates, "Texts with half a surrogate pair", "each half was read as U+FFFD"),
    ]
    return [f"{what} ({n:,}): {so}." for n, what, so in counted if n]
