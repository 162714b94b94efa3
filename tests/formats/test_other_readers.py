"""Lossless output is lossless for other readers, too, on text made to be misread."""

import io
import re
from collections.abc import Callable
from typing import Any

import pandas as pd
import pyarrow.csv
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from playground.formats import tables
from playground.formats.conversion import Job
from playground.formats.values import WriteOptions
from tests.formats import other_readers
from tests.formats.equality import strict_equal
from tests.formats.strategies import JSON_DATA, RECORDS, TEXTS

#: Characters that some format takes for more than themselves.
ACTIVE = " \t\n\r\x0b\x0c\x00\x85\u2028\ufeff\x7f\x9f\xa0é日😀𝒜#:-?,[](){}&*!|>'\"%@`~=<./\\_^$;"
ACTIVE += "0123456789exoabynNtrEZTw"
ACTIVE_TEXTS = st.text(st.sampled_from(ACTIVE), max_size=8)
#: Texts that some reader takes for something else.
_NOT_TEXT = [
    *("08", "1e5", "0o7", "y", "N", "1_000", "12:30:45", "190:20:30.15", ".inf", "~", "=", "<<", "0b1"),
    *("+.INF", "-_", "2001-12-14t21:59:43.10-05:00", "...\n", "1\n", "a\u2028b", "NA", "null", "None"),
    *("*x*", "_x_", "a_b", "__init__", "a\\|b", "a\\", "\\\n", "`x`", "[a](b)", "![a](b)", "<b>", "&amp;"),
    *("http://a.b/_c_", "www.a.b/c|d", "a@b.c_", "~x~", "&#0;", "&notit;", " x ", "\x000", "\x009", "x\x00"),
    *("0x1F", "9" * 25, "2020-01-01", "12:30", "2020-01-01 12:30", "TRUE", "infinity", "1.0", "-0"),
]  # fmt: skip
MISREAD = st.one_of(ACTIVE_TEXTS, TEXTS, st.sampled_from(_NOT_TEXT))
TREES = st.recursive(
    st.one_of(MISREAD, JSON_DATA),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3), st.dictionaries(MISREAD, inner, min_size=1, max_size=3)
    ),
    max_leaves=5,
)
TABLES = st.one_of(
    RECORDS,
    st.lists(st.dictionaries(MISREAD, MISREAD, min_size=1, max_size=3), min_size=1, max_size=4),
    st.builds(
        lambda names, rows: [dict(zip(names, row, strict=False)) for row in rows],
        st.lists(MISREAD, min_size=3, max_size=3, unique=True),
        st.lists(st.lists(MISREAD, min_size=3, max_size=3), min_size=1, max_size=3),
    ),
    st.builds(
        lambda name, cells: [{name: cell} for cell in cells],
        MISREAD,
        st.one_of(
            [
                st.lists(kind, min_size=1, max_size=3)
                for kind in (st.integers(), st.floats(), st.dates().map(str))
            ]
        ),
    ),
)
NEWLINE = re.compile("\r\n?")
#: It takes these for white space around a cell, or refuses to read their escapes.
ODD_FOR_MARKDOWN_IT = "\x0b\x0c\x1c\x1d\x1e\x1f\x85"
OPTIONS = st.builds(
    WriteOptions,
    is_ascii=st.booleans(),
    is_minified=st.booleans(),
    indent=st.sampled_from([2, 4]),
    has_trailing_newline=st.booleans(),
)
READERS: list[tuple[str, Callable[[str], Any]]] = [
    *(
        (name, lambda text, v=version: other_readers.read_yaml(text, v))
        for name in ("yaml", "yaml_flow")
        for version in ((1, 1), (1, 2))
    ),
    *(
        (name, other_readers.read_json)
        for name in ("json_pretty", "json_pretty_4", "json_dumps", "json_compact")
    ),
    ("json_lines", other_readers.read_json_lines),
    ("json5", other_readers.read_json5),
    ("toml", other_readers.read_toml),
    ("xml_elements", other_readers.read_xml),
    ("xml_attributes", other_readers.read_xml),
    ("properties", other_readers.read_properties),
    ("toon", other_readers.read_toon),
]


@pytest.mark.parametrize(
    ("name", "read"), READERS, ids=[f"{name}-{i}" for i, (name, _) in enumerate(READERS)]
)
@settings(max_examples=12)
@given(data=TREES, options=OPTIONS)
@example(
    data=["_", "-_", "+__", "._", "-._"], options=WriteOptions()
)  # ruamel takes some for numbers, and fails
def test_lossless_output_is_lossless_for_another_reader(name, read, data, options):
    found = Job(data, options).convert(name)
    if found.fidelity == "equal":
        assert found.text is not None
        assert strict_equal(data, read(found.text)), found.text


def cells_of(data: Any) -> list[list[str]]:
    columns, rows = tables.cells_of(data)
    return [columns, *rows]


CELL_READERS: list[tuple[str, Callable[[str], list[list[str]]]]] = [
    ("csv", lambda text: other_readers.csv_cells(text, ",")),
    ("tsv", lambda text: other_readers.csv_cells(text, "\t")),
    ("html", other_readers.html_cells),
]


@pytest.mark.parametrize(("name", "read"), CELL_READERS, ids=["csv", "tsv", "html"])
@settings(max_examples=30)
@given(data=TABLES, options=OPTIONS)
def test_another_reader_gets_exactly_the_cells(name, read, data, options):
    found = Job(data, options).convert(name)
    if found.text is None:
        assert name == "html", "the others hold every text"
        assert options.is_ascii
        return
    expected = cells_of(data)
    if name == "html" and is_in(expected, "\0"):
        assert found.fidelity == "lossy"
    else:
        assert read(found.text) == expected


MARKDOWN_READERS = [other_readers.github_markdown_cells, other_readers.markdown_it_cells]


@pytest.mark.parametrize("read", MARKDOWN_READERS)
@settings(max_examples=40, deadline=None)
@given(data=TABLES, options=OPTIONS)
@example(data=[{"a": "\\\n", "b": "a\\|b"}], options=WriteOptions(is_minified=True))
def test_a_markdown_reader_shows_exactly_the_cells(read, data, options):
    """Line ends are all one break, and NUL is U+FFFD; both are reported as losses."""
    found = Job(data, options).convert("markdown")
    assert found.text is not None
    expected = cells_of(data)
    if is_in(expected, "\0\r"):
        assert found.fidelity == "lossy"
    if read is other_readers.github_markdown_cells or not is_in(expected, ODD_FOR_MARKDOWN_IT):
        as_shown = [[NEWLINE.sub("\n", cell).replace("\0", "\ufffd") for cell in row] for row in expected]
        assert read(found.text) == as_shown


def is_in(cells: list[list[str]], characters: str) -> bool:
    return any(character in cell for row in cells for cell in row for character in characters)


@pytest.mark.parametrize(("name", "delimiter"), [("csv", ","), ("tsv", "\t")])
@settings(max_examples=30)
@given(data=TABLES)
def test_an_equal_table_is_equal_for_pandas_and_for_arrow(name, delimiter, data):
    found = Job(data, WriteOptions()).convert(name)
    if found.fidelity != "equal":
        return
    assert found.text is not None
    frame = pd.read_csv(io.StringIO(found.text), sep=delimiter, skip_blank_lines=False, index_col=False)
    by_pandas = [
        [None if pd.isna(value) else value for value in row]
        for row in frame.astype(object).to_numpy().tolist()
    ]
    table = pyarrow.csv.read_csv(
        io.BytesIO(found.text.encode()),
        parse_options=pyarrow.csv.ParseOptions(
            delimiter=delimiter, newlines_in_values=True, ignore_empty_lines=False
        ),
        convert_options=pyarrow.csv.ConvertOptions(strings_can_be_null=True),
    )
    assert strict_equal([list(row.values()) for row in data], by_pandas)
    assert strict_equal(data, table.to_pylist())
