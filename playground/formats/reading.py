"""Read data that a person pastes or uploads, and note what may surprise."""

import csv
import io
import json
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import toon_format

from playground.core.errors import DataSyntaxError, InvalidInputError, LooksLikeProseError
from playground.core.tokenizer import replace_lone_surrogates
from playground.core.wording import counted, listed, quoted
from playground.formats.detection import (
    DEEP_TOML_KEY,
    SEMICOLON,
    Detection,
    delimiter_of_table,
    detect,
    refuse_constant,
)
from playground.formats.html_tables import rows_of_html
from playground.formats.json_formats import read_json5_with_notes
from playground.formats.limits import (
    MAX_DIGITS,
    Traits,
    find_too_deep,
    find_traits,
    line_and_column,
    shortened,
    too_deep,
    too_many_digits,
    without_lone_surrogates,
)
from playground.formats.markdown_tables import rows_of_table
from playground.formats.prose import is_prose
from playground.formats.python_literals import read_python_literal
from playground.formats.rounding import RoundedNumbers
from playground.formats.settings_formats import read_properties_with_notes, read_toon
from playground.formats.values import Data
from playground.formats.xml_formats import read_xml_with_notes
from playground.formats.yaml_reading import read_yaml_with_notes

_MAX_DUPLICATES = 5
_MAX_SHOWN = 3  # of columns in a note
_PROSE = "this looks like prose, not data"


@dataclass(frozen=True, slots=True)
class Document:
    """Data that was read, its input format, and notes on what a person may not expect.

    `detected` is None if the format was named without looking at the text.
    """

    data: Data
    input_format: str
    notes: tuple[str, ...] = ()
    detected: Detection | None = None


def read_document(
    source: str | bytes,
    input_format: str | None = None,
    *,
    file_name: str = "",
    instead: Mapping[str, str] = MappingProxyType({}),
) -> Document:
    """Read data in the named format, or else in the detected one.

    `instead` maps a detected format to the one that a person chose for such texts.

    >>> read_document('{"a": 1}').data, read_document("a: 1").input_format
    ({'a': 1}, 'YAML')
    >>> read_document("a: 1", instead={"YAML": "TOON"}).input_format
    'TOON'

    Raises DataSyntaxError with the line and column where the parser knows them and the
    format that was detected, and InvalidInputError for an unknown format.
    """
    text, encoding_notes = _decode(source)
    detected = None if input_format else detect(text, file_name)
    if detected is not None:
        input_format = instead.get(detected.name, detected.name)
    assert input_format is not None
    is_detected = detected is not None and detected.name not in instead
    input_format = _NAMES.get(input_format.casefold(), input_format)
    if input_format not in INPUT_FORMATS:
        raise InvalidInputError(
            f"unknown format {quoted(input_format)}; choose from {', '.join(INPUT_FORMATS)}"
        )
    if not text.strip():
        raise InvalidInputError(f"the input is empty; it can be {', '.join(INPUT_FORMATS)}")
    try:
        data, notes = _read(text, input_format, is_detected=is_detected)
    except (DataSyntaxError, LooksLikeProseError) as error:
        error.detected = detected and detected.name
        raise
    return Document(data, input_format, (*encoding_notes, *notes), detected)


def _read(text: str, input_format: str, *, is_detected: bool) -> tuple[Data, list[str]]:
    try:
        data, notes = INPUT_FORMATS[input_format](text)
        if is_detected and input_format == "YAML" and is_prose(text, data):
            raise LooksLikeProseError(_PROSE)
    except DataSyntaxError:
        is_yaml = text.lstrip().startswith("? ")  # a key that is not a scalar; no prose begins so
        if is_detected and input_format == "YAML" and not is_yaml and is_prose(text):
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
    return data, [*notes, *_trait_notes(traits)]


def _read_json(text: str) -> tuple[Data, list[str]]:
    notes: list[str] = []
    rounded = RoundedNumbers()

    def build(pairs: list[tuple[str, Data]]) -> dict[str, Data]:
        found = dict(pairs)
        if len(found) < len(pairs) and len(notes) < _MAX_DUPLICATES:
            twice = _first_repeated(key for key, _ in pairs)
            notes.append(f"The key {shortened(twice)} is repeated in an object; the last value is used.")
        return found

    try:
        data = json.loads(
            text, object_pairs_hook=build, parse_float=rounded.read, parse_constant=refuse_constant
        )
        return data, [*notes, *rounded.notes]
    except json.JSONDecodeError as error:
        raise DataSyntaxError(f"not valid JSON: {error.msg}", line=error.lineno, column=error.colno) from None
    except ValueError as error:
        if (word := str(error)) in ("NaN", "Infinity", "-Infinity"):
            line, column = line_and_column(text, _find_outside_strings(word, text))
            reason = f"not valid JSON: {word} is not in the standard; JSON5 has it"
            raise DataSyntaxError(reason, line=line, column=column) from None
        raise _digits_error(text) from None


def _find_outside_strings(word: str, text: str) -> int:
    """Return the offset at which a word first occurs outside of strings."""
    found = re.finditer(rf'"(?:[^"\\]|\\.)*+"|(?P<word>{word})', text, re.DOTALL)
    return next((match.start() for match in found if match["word"]), 0)


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
    deep = DEEP_TOML_KEY.search(text)
    if deep:  # tomllib takes quadratic time and memory for it
        raise too_deep(*line_and_column(text, deep.start()))
    try:
        rounded = RoundedNumbers()
        return tomllib.loads(text, parse_float=rounded.read), rounded.notes
    except tomllib.TOMLDecodeError as error:
        match = re.search(r" \(at line (\d+), column (\d+)\)$", str(error))
        line, column = (int(match[1]), int(match[2])) if match else line_and_column(text, len(text))
        message = re.sub(r" \(at [^)]*\)$", "", str(error))
        raise DataSyntaxError(f"not valid TOML: {message}", line=line, column=column) from None
    except ValueError:
        raise _digits_error(text) from None


def _read_xml(text: str) -> tuple[Data, list[str]]:
    data, notes = read_xml_with_notes(text)
    return data, [
        "XML has no types: every value was read as text.",
        "The root's name, and which values were attributes, are not kept.",
        *notes,
    ]


def _read_toon(text: str) -> tuple[Data, list[str]]:
    try:
        return read_toon(text), []
    except toon_format.ToonDecodeError as error:
        match = re.match(r"line (\d+): ", str(error))
        message = str(error)[match.end() :] if match else str(error)
        reason = f"not valid TOON: {message[:1].lower()}{message[1:]}"
        raise DataSyntaxError(reason, line=int(match[1]) if match else None) from None


def _read_html(text: str) -> tuple[Data, list[str]]:
    rows, left_out = rows_of_html(text)
    data, notes = _typed_rows(rows, "an HTML table")
    return data, [*left_out, *notes]


def _read_properties(text: str) -> tuple[Data, list[str]]:
    data, notes = read_properties_with_notes(text)
    return data, ["Properties have no types: every value was read as text.", *notes]


def _read_csv(text: str) -> tuple[Data, list[str]]:
    """Read rows of cells separated by commas or semicolons."""
    if delimiter_of_table(text) != SEMICOLON:
        return _read_cells(text, "CSV", ",")
    data, notes = _read_cells(text, "CSV", SEMICOLON)
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
        raise DataSyntaxError(f"the column {twice} is repeated in the first line", line=1)
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
    "HTML table": _read_html,
    "JSON5": read_json5_with_notes,
    "TOON": _read_toon,
    "Properties": _read_properties,
    "Python literal": read_python_literal,
}

_BOOLEANS = {"true": True, "false": False}
_INTEGER = re.compile(rf"0|-?[1-9][0-9]{{0,{MAX_DIGITS - 1}}}")
_NUMBER = re.compile(r"[-+]?[0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]+)?")
_FLOAT = re.compile(r"-?(?:0|[1-9][0-9]{0,400})(?:\.[0-9]{1,400})?(?:e[-+][0-9]{2,3})?")
_PARQUET = b"PAR1"
_NAMES = {name.casefold(): name for name in INPUT_FORMATS}


def decode_text(source: str | bytes) -> str:
    """Return the text of UTF-8, UTF-16 or Windows-1252, without a byte order mark.

    Raises DataSyntaxError with the place of an invalid byte, and InvalidInputError.
    """
    return _decode(source)[0]


def _decode(source: str | bytes) -> tuple[str, list[str]]:
    """Return the text, and a note if its encoding is a guess."""
    if isinstance(source, str):
        return replace_lone_surrogates(source.removeprefix("\ufeff")), []
    if source.startswith(_PARQUET):
        raise InvalidInputError(f"a Parquet file is not read here; valid are {', '.join(INPUT_FORMATS)}")
    encoding = encoding_of(source)
    try:
        note = encoding_note(encoding)
        return source.decode(encoding), [note] if note else []
    except UnicodeDecodeError as error:
        before = source[: error.start].decode(encoding, errors="replace")
        line, column = line_and_column(before, len(before))
        name, byte = encoding.removesuffix("-sig").upper(), source[error.start]
        raise DataSyntaxError(
            f"the input is not valid {name}: byte 0x{byte:02X} at offset {error.start:,}",
            line=line,
            column=column,
        ) from None


def encoding_note(encoding: str) -> str:
    """Return a sentence on an encoding that was guessed, or ""."""
    names = {"cp1252": "Windows-1252 (Latin-1)", "utf-16-le": "UTF-16", "utf-16-be": "UTF-16"}
    if encoding not in names:
        return ""
    return f"The file is not UTF-8 and was read as {names[encoding]}: check its accented letters."


def encoding_of(raw: bytes) -> str:
    """Return the encoding of data: UTF-8, UTF-16 with or without a byte order mark, or Windows-1252.

    UTF-16 without a mark has a zero in almost every other byte, as letters below U+0100 have. Windows-1252 is
    Latin-1 with a few more letters; it is the guess for a text that is not UTF-8, if nothing beyond ASCII in
    it is UTF-8 and no byte is a control character.

    >>> [encoding_of("é".encode(name)) for name in ("utf-16", "utf-8", "latin-1")]
    ['utf-16', 'utf-8-sig', 'cp1252']
    >>> encoding_of('{"a": 1}'.encode("utf-16-be")), encoding_of(bytes([0x89, 0x81]))
    ('utf-16-be', 'utf-8-sig')
    """
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    start = raw[:_N_BYTES_SEEN]
    for encoding, first in (("utf-16-le", 1), ("utf-16-be", 0)):
        zeros, others = start[first::2].count(0), start[1 - first :: 2].count(0)
        if zeros > 0.4 * len(start) / 2 and not others:
            return encoding
    try:
        raw.decode()
    except UnicodeDecodeError:
        is_latin = not _CONTROLS.search(raw) and raw.decode(errors="replace").replace("\ufffd", "").isascii()
        if is_latin and not _NOT_IN_1252.search(raw):
            return "cp1252"
    return "utf-8-sig"


#: Bytes by which UTF-16 without a byte order mark is recognized.
_N_BYTES_SEEN = 400
_CONTROLS = re.compile(rb"[\x00-\x08\x0b\x0e-\x1f\x7f]")
_NOT_IN_1252 = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")


def _digits_error(text: str) -> DataSyntaxError:
    match = re.search(rf"(?<!\d)\d{{{MAX_DIGITS + 1}}}", text)
    return too_many_digits(*(line_and_column(text, match.start()) if match else (None, None)))


def _trait_notes(traits: Traits) -> list[str]:
    counted = [
        (traits.n_big_integers, "Integers over 2^53 − 1", "many JSON parsers round them"),
        (traits.n_not_finite, "NaN or infinite numbers", "JSON has none, and writes null"),
        (traits.n_dates, "Dates", "only YAML and TOML keep them; elsewhere they are text"),
        (traits.n_other_keys, "Keys that are not text", "only YAML and Python keep them"),
        (traits.n_lone_surrogates, "Texts with half a surrogate pair", "each half was read as U+FFFD"),
    ]
    return [f"{what} ({n:,}): {so}." for n, what, so in counted if n]
