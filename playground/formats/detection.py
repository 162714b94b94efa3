"""Detect the format of a text, with the certainty and the reason that the page shows."""

import csv
import io
import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Literal, NamedTuple, NoReturn

import pyjson5
import toon_format

from playground.core.errors import PlaygroundError
from playground.formats.html_tables import is_html_table
from playground.formats.json_formats import read_json5
from playground.formats.limits import MAX_DEPTH
from playground.formats.markdown_tables import is_markdown_table
from playground.formats.prose import are_sentences
from playground.formats.python_literals import is_python, read_python_literal

Certainty = Literal["certain", "likely", "guess"]

SEMICOLON = ";"
_DELIMITERS = (("\t", "TSV"), (",", "CSV"), (SEMICOLON, "CSV"))
_N_LINES_SEEN = 200
#: Formats by the ending of a file's name.
_ENDINGS = {
    ".csv": "CSV", ".tsv": "TSV", ".toon": "TOON", ".json5": "JSON5", ".properties": "Properties",
    ".env": "Properties", ".md": "Markdown table", ".html": "HTML table", ".htm": "HTML table",
}  # fmt: skip
#: The name of a column: some words, without white space around them.
_COLUMN_NAME = re.compile(r'"?[^\W_](?:[^",\n\t]{0,38}[^\s",.])?"?')
_TOML_HEADER = re.compile(r"\[\[?[\w.\"' -]+\]\]?\s*(?:#.*)?$", re.MULTILINE)
#: Matched only where a name can start; at every letter of a long value it would take quadratic time.
DEEP_TOML_KEY = re.compile(
    rf"(?<![\w\"'-])(?:(?:[\w-]++|\"[^\"\n]*+\"|'[^'\n]*+')[ \t]*+\.[ \t]*+){{{MAX_DEPTH}}}"
)
_TOML_NAME = r"(?:[\w-]+|\"(?:[^\"\\\n]|\\.)*+\"|'[^'\n]*+')"
_TOML_LINE = re.compile(rf"\s*(?:\[\[?[^\]]+\]\]?\s*$|{_TOML_NAME}(?:\s*\.\s*{_TOML_NAME})*\s*=)")
#: The start of what no properties file has: a table, or a key with a quoted or bracketed value.
_TOML_START = re.compile(r"^\s*(?:\[\[?[\w.\"-]+\]\]?\s*$|[\w.\"'-]+\s*=\s*[\"'\[{])", re.MULTILINE)
_PROPERTY_LINE = re.compile(r"\s*(?:[#!].*|(?:[^\s\\=:\"'{\[<]|\\.)+[ \t]*=(?!=).*)")
_YAML_LINE = re.compile(r"\s*(?:- |---|\? |[^\s\"',{\[][^,]*?:(?:\s|$)|[\"'][^\"']*[\"']:\s)")
_FLOW_YAML = re.compile(r"\{\s*[\w-]+\s*:\s|\[\s*[A-Za-z_](?!rue\b|alse\b|ull\b|aN\b|nfinity\b)[\w -]*[,\]]")
_JSON5_COMMENT = re.compile(r"(?:^|\s)(?://|/\*)", re.MULTILINE)
#: A list of TOON: its length, perhaps the names of its columns, and a colon.
_TOON_LIST = re.compile(
    r"^[ ]*(?:- )?(?:[\w.$-]+|\"(?:[^\"\\\n]|\\.)*+\")?\[\d+[|\t]?\](?P<columns>\{[^}\n]+\})?:(?:[ ]|$)",
    re.MULTILINE,
)


class Detection(NamedTuple):
    """A format, how sure it is, and the reason as a clause."""

    name: str
    certainty: Certainty
    why: str


def detect_format(text: str) -> str:
    """Return the most likely format of a text; YAML if no other fits.

    >>> [detect_format(text) for text in ("[1]", "[1]\\n[2]", "<a/>", "a = 1", "a,b\\n1,2", "a: b, c")]
    ['JSON', 'JSON Lines', 'XML', 'TOML', 'CSV', 'YAML']
    >>> [detect_format(text) for text in ("| a | b |\\n| --- | --- |\\n| 1 | 2 |", "{'a': None}", "a=b c")]
    ['Markdown table', 'Python literal', 'Properties']
    >>> [detect_format(text) for text in ("[2]{a,b}:\\n  1,x\\n  2,y", "{a: 1} // b", "<table><tr><td>a")]
    ['TOON', 'JSON5', 'HTML table']
    """
    return detect(text).name


def detect(text: str, file_name: str = "") -> Detection:
    """Return the format of a text. If nothing in the text decides, the ending of its file's name does.

    >>> detect("a: 1"), detect("Ann, Bob", "names.csv").why
    (Detection(name='YAML', certainty='likely', why='it has lines such as “a: 1”'), 'its name ends in .csv')
    """
    found = _detect_by_content(text)
    ending = Path(file_name).suffix.lower()
    if found.certainty == "guess" and ending in _ENDINGS:
        return Detection(_ENDINGS[ending], "likely", f"its name ends in {ending}")
    return found


def _detect_by_content(text: str) -> Detection:
    start = text.lstrip("\ufeff \t\r\n")
    if start.startswith("<"):
        if is_html_table(start):
            return Detection("HTML table", "certain", "it has a <table> with cells")
        return Detection("XML", "likely", "it begins with “<”")
    lines = _first_lines(start)
    if start[:1] in ("{", "["):
        return _detect_in_brackets(start, lines)
    if is_json(text):
        return Detection("JSON", "certain", "it is valid JSON")
    if start.startswith(("//", "/*")) and _is_json5(start):
        return Detection("JSON5", "certain", "it is valid JSON5")
    if toon := _detect_toon(text):
        return toon
    if any(_TOML_LINE.match(line) for line in lines if not line.lstrip().startswith("#")):
        if _is_toml(text):
            return Detection("TOML", "certain", "it is valid TOML")
        if _TOML_START.search(text):
            return Detection("TOML", "likely", "it has tables or quoted values as in TOML")
    if is_markdown_table(start):
        return Detection("Markdown table", "certain", "its second line is a table's rule")
    if lines and all(map(_PROPERTY_LINE.fullmatch, lines)) and "=" in text:
        return Detection("Properties", "likely", "each line is name=value")
    line = next((line for line in lines[:20] if _YAML_LINE.match(line)), None)
    if line is not None:
        return Detection("YAML", "likely", f"it has lines such as “{_shown(line)}”")
    delimiter = delimiter_of(lines)
    if delimiter and not (delimiter == "," and are_sentences(lines)):
        names = {"\t": "tabs", ",": "commas", SEMICOLON: "semicolons"}
        return Detection(dict(_DELIMITERS)[delimiter], "likely", f"{names[delimiter]} separate its cells")
    return Detection("YAML", "guess", "no other format fits, and YAML reads almost any text")


def _detect_in_brackets(start: str, lines: list[str]) -> Detection:
    """Detect the format of a text that begins with { or [."""
    if toon := _detect_toon(start):
        return toon
    is_first_json = is_json(lines[0])
    if _TOML_HEADER.match(start) and not is_first_json:
        if len(lines) == 1 and is_python(start):
            return Detection("Python literal", "likely", "it is what Python prints")
        return Detection("TOML", "likely", "it begins with a table's name")
    if len(lines) > 1 and is_first_json:  # with more after it, it is no JSON
        return Detection("JSON Lines", "certain", "its first line is valid JSON, and more lines follow")
    if is_first_json or is_json(start):
        return Detection("JSON", "certain", "it is valid JSON")
    if _is_json5(start) and not _is_python_literal(start):
        return Detection("JSON5", "certain", "it is valid JSON5 and not valid JSON")
    if is_python(start):
        return Detection("Python literal", "likely", "it is what Python prints")
    if _JSON5_COMMENT.search(start):
        return Detection("JSON5", "likely", "it has comments as in JSON5")
    if _FLOW_YAML.match(start):
        return Detection("YAML", "likely", "it has brackets and bare words")
    return Detection("JSON", "likely", f"it begins with “{start[0]}”")


def _detect_toon(text: str) -> Detection | None:
    lists = [*_TOON_LIST.finditer(text[:100_000])]
    if not lists:
        return None
    if _accepts(toon_format.loads, text):
        return Detection("TOON", "certain", f"it is valid TOON, with “{_shown(lists[0][0])}”")
    if any(found["columns"] for found in lists):
        return Detection("TOON", "likely", f"it has “{_shown(lists[0][0])}”")
    return None


def _shown(line: str) -> str:
    line = line.strip()
    return line if len(line) <= 30 else f"{line[:29]}…"


def _first_lines(text: str) -> list[str]:
    """Return the lines by which the format of a text is detected."""
    return [line for line in text.split("\n", _N_LINES_SEEN)[:_N_LINES_SEEN] if line.strip()]


def delimiter_of_table(text: str) -> str:
    """Return the delimiter of a text that is a table; "" if it does not look like one."""
    return delimiter_of(_first_lines(text))


def delimiter_of(lines: list[str]) -> str:
    """Return the delimiter of a table, given its first lines; "" if they are not a table.

    Spreadsheets write semicolons where numbers have a decimal comma. Code has semicolons too, but no column
    names.

    >>> delimiter_of(["sku;price", "A-1;1,20", "A-2;3,50"]), delimiter_of(["a = 1;", "b = 2;"])
    (';', '')
    """
    for delimiter, _ in _DELIMITERS:
        try:
            rows = list(csv.reader(io.StringIO("\n".join(lines[:-1] or lines)), delimiter=delimiter))
        except csv.Error:
            continue
        are_even = len(lines) > 1 and len(rows[0]) > 1 and all(len(row) == len(rows[0]) for row in rows)
        if are_even and (delimiter != SEMICOLON or all(map(_COLUMN_NAME.fullmatch, rows[0]))):
            return delimiter
    return next((delimiter for delimiter, _ in _DELIMITERS if _is_table(lines, delimiter)), "")


def _is_table(lines: list[str], delimiter: str) -> bool:
    """Whether lines look like rows, perhaps incomplete: column names, the delimiter in half of the lines.

    >>> _is_table(["id,name", "1", "2,Ann,x"], ","), _is_table(["Dear Ann, hello", "see you, Bob"], ",")
    (True, False)
    """
    names = lines[0].split(delimiter) if lines else []
    are_names = len(names) > 1 and all(_COLUMN_NAME.fullmatch(name) for name in names)
    return are_names and 2 * sum(delimiter in line for line in lines[1:]) >= len(lines[1:]) > 0


def refuse_constant(word: str) -> NoReturn:
    """Raise ValueError: NaN and Infinity are not JSON, though Python reads them."""
    raise ValueError(word)


def is_json(text: str) -> bool:
    """Whether a text is JSON by its standard.

    >>> is_json("[1]"), is_json("[NaN]")
    (True, False)
    """
    return _accepts(lambda json_text: json.loads(json_text, parse_constant=refuse_constant), text)


def _is_json5(text: str) -> bool:
    return _accepts(read_json5, text)


def _is_python_literal(text: str) -> bool:
    return "'" in text and is_python(text) and _accepts(read_python_literal, text)


def _is_toml(text: str) -> bool:
    return DEEP_TOML_KEY.search(text) is not None or _accepts(tomllib.loads, text)


def _accepts(read: Callable[[str], object], text: str) -> bool:
    """Whether a reader accepts a text."""
    try:
        read(text)
    except (ValueError, RecursionError, PlaygroundError, pyjson5.Json5Exception):
        return False
    return True
