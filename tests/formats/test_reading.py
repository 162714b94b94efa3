"""Input: what is detected, what becomes a note, and bombs that must end in a message."""

import csv
import io
import re
from contextlib import suppress
from datetime import date
from time import process_time
from typing import Any

import javaproperties
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from playground.core.errors import DataSyntaxError, InvalidInputError, PlaygroundError, TextTooLongError
from playground.formats.conversion import Job
from playground.formats.detection import detect_format
from playground.formats.reading import INPUT_FORMATS, read_document
from playground.formats.values import WriteOptions
from tests.formats.any_data import check_document, documents
from tests.formats.strategies import JSON_DATA, RECORDS

YAML_BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{name}: &{name} [{','.join(['*' + before] * 9)}]\n"
    for before, name in zip("abcdefghi", "bcdefghij", strict=True)
)
XML_BOMB = (
    '<!DOCTYPE r [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefghi", "bcdefghij", strict=True))
    + "]><r>&j;</r>"
)
XML_EXTERNAL = '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><r>&x;</r>'

#: Input, the format it is read as, a part of the message, and the line and column.
BAD_INPUTS = [
    (YAML_BOMB, "YAML", "aliases written out", (7, 29)),
    ("&a [*a]", "YAML", "contains itself", (1, 5)),
    ("x: *nope", "YAML", "no anchor &nope", (1, 4)),
    ("[" * 10_000, "YAML", "more than 100 levels", (1, 101)),
    ("[" * 10_000, "JSON", "more than 100 levels", (1, 101)),
    ("a = " + "[" * 10_000, "TOML", "more than 100 levels", (1, 105)),
    ("<a>" * 10_000 + "</a>" * 10_000, "XML", "more than 100 levels", None),
    (XML_BOMB, "XML", "entities", None),
    (XML_EXTERNAL, "XML", "entities", None),
    ("<a><b></a>", "XML", "mismatched tag", (1, 9)),
    ("a: !!python/object/apply:os.system [x]", "YAML", "tag !!python/object", (1, 4)),
    ("a: b: c", "YAML", "mapping values", (1, 5)),
    ("a: 1\nb: \x01", "YAML", "control characters", (2, 4)),
    ("a: 2001-99-99", "YAML", "not a valid timestamp", (1, 4)),
    ('{"a": 1,\n "b" 2}', "JSON", "delimiter", (2, 6)),
    ('{"a": ' + "9" * 5000 + "}", "JSON", "4,300 digits", (1, 7)),
    ("a: " + "9" * 5000, "YAML", "4,300 digits", (1, 4)),
    ("a: 0x" + "f" * 5000, "YAML", "4,300 digits", None),
    ("a: " + "1:" * 3000 + "1", "YAML", "4,300 digits", None),
    ("x = 1\n" + "a." * 200 + "b = 1", "TOML", "more than 100 levels", (2, 1)),
    ('{"a":1}\n{"a":\n', "JSON Lines", "not valid JSON", (2, 6)),
    ("a = 1\na = 2", "TOML", "overwrite", (2, 6)),
    ("[" * 10_000, "Python literal", "more than 100 levels", (1, 201)),
    ("-" * 20_000 + "1", "Python literal", "more than 100 levels", None),
    ("[" + "9" * 5000 + "]", "Python literal", "4,300 digits", None),
    ("{'a': 1", "Python literal", "'{' was never closed", (1, 1)),
    ("\n{'é': f(\n1)}", "Python literal", "'f(' is no data; valid are text, numbers, True", (2, 7)),
    ("{'a': {1, 2}}", "Python literal", "'{1, 2}' is no data", (1, 7)),
    ("{(1, 2): 3}", "Python literal", "'(1, 2)' is no key; valid are text, numbers", (1, 2)),
    ("{**{'a': 1}}", "Python literal", "has **", (1, 1)),
    ("a,b\n1,2\n3", "CSV", "not valid CSV: record 3 has 1 cell, and the first line has 2", None),
    ('a,b\n1,2\n"3,4\n5,6', "CSV", "never closed", (3, None)),
    (b'{"a": "\xc3\xa9 \xff"}', "JSON", "byte 0xFF at offset 10", (1, 10)),
]


@pytest.mark.parametrize(("source", "name", "part", "place"), BAD_INPUTS)
def test_bad_input_ends_in_a_message(source, name, part, place):
    with pytest.raises(DataSyntaxError) as caught:
        read_document(source, name)
    assert part in str(caught.value)
    if place:
        assert (caught.value.line, caught.value.column) == place


BOMBS = [YAML_BOMB, XML_BOMB, "[" * 2_000_000, "- " * 1_000_000, "{" * 2_000_000, "<a>" * 1_000_000]
BOMBS += ["a." * 1_000_000 + "b = 1"]  # tomllib would take a gigabyte for a twentieth of it


@pytest.mark.parametrize(
    ("source", "name"),
    [*((bomb, None) for bomb in BOMBS), ("[" * 2_000_000, "TOML"), ("[" * 2_000_000, "YAML")],
    ids=range(len(BOMBS) + 2),
)
def test_a_bomb_is_refused(source, name):
    with pytest.raises(PlaygroundError):
        read_document(source, name)


def test_an_empty_input_and_an_unknown_format_say_what_is_valid():
    for empty in ("", "  \n"):
        with pytest.raises(InvalidInputError, match="JSON, JSON Lines, YAML"):
            read_document(empty)
    with pytest.raises(InvalidInputError, match="'INI'; choose from JSON"):
        read_document("a", "INI")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('{"a": 1}', "JSON"),
        ('{"a":1}\n{"a":2}\n', "JSON Lines"),
        ('{"a":1}\n{"a":2\n', "JSON Lines"),
        ("a: 1\nb: [x, y]", "YAML"),
        ("{a: 1, b: [x]}", "YAML"),
        ("{'a': 1, 'b': None, 'c': True}", "Python literal"),
        ("[\n  (1, 'a'),\n]", "Python literal"),
        ('{"a": True}', "Python literal"),
        ('{"a": true, b: None}', "JSON"),
        ("{'a': null}", "JSON5"),
        ("[1, NaN, -Infinity]", "JSON5"),
        ('// settings\n{"a": 1,}', "JSON5"),
        ("{a: 1, // one\n b: [", "JSON5"),
        ("page: 1\nrows[2]{id,name}:\n  1,Ada\n  2,Bob", "TOON"),
        ("[2]{id,name}:\n  1,Ada\n  2", "TOON"),  # with a fault
        ("tags[2]: a,b", "TOON"),
        ('"a b" = 1', "TOML"),
        ("a = 1\nb = x\n[c]\n", "TOML"),
        ("# db\nserver.port = 80\nserver.host = db.example.org", "Properties"),
        ("DB_HOST=localhost\nDB_PORT=1", "Properties"),
        ("<table>\n<tr><th>a</th></tr></table>", "HTML table"),
        ("['a']\nb = 1", "TOML"),
        ('title = "x"\n[a.b]\nc = 1', "TOML"),
        ("<?xml version='1.0'?><a/>", "XML"),
        ("id,name\n1,Ada\n2,Grace\n", "CSV"),
        ("id\tname\n1\tAda\n", "TSV"),
        ("id,name,price\n1,Ann,2.5\n2,Bob\n", "CSV"),  # a fault is the table's to tell
        ("id,name\n1,Ann\n2,Bob,x\n", "CSV"),
        ("id\tname\n1\tAda\n2\tBob\tx\n", "TSV"),
        ("sku;name;price\nA-1;Äpfel;1,20\nA-2;Birnen;3,50\n", "CSV"),
        ('"Name";"Preis"\n"Müller; Söhne";"1,20"\nOtto;3', "CSV"),
        ("id,note\n1,a; b\n2,c; d\n", "CSV"),
        ("Dear Ann, hello\nsee you, Bob, soon\nand Max, too", "YAML"),
        ("time,event\n12:30,start: now\n", "CSV"),
        ('"just text"', "JSON"),
        ('{"a": 1,', "JSON"),
    ],
)
def test_the_format_of_each_sample_is_detected(text, name):
    assert detect_format(text) == name


@pytest.mark.parametrize("name", ["CSV", None])
def test_a_table_with_semicolons_keeps_the_commas_of_its_cells(name):
    found = read_document('sku;"net; price";n\nA-1;1,20;1\nA-2;3,50;2\n', name)
    assert found.data == [
        {"sku": "A-1", "net; price": "1,20", "n": 1}, {"sku": "A-2", "net; price": "3,50", "n": 2}
    ]  # fmt: skip
    assert (found.input_format, found.notes) == ("CSV", ("Semicolons separate the cells.",))
    assert read_document("id,note\n1,a;b\n", name).data == [{"id": 1, "note": "a;b"}]


@pytest.mark.parametrize("name", [*INPUT_FORMATS, None])
def test_half_a_surrogate_pair_is_read_as_the_tokenizers_do(name):
    """YAML's parser is C, and takes UTF-8; a share link may hold such a text."""
    with suppress(DataSyntaxError):
        assert "\ufffd" in str(read_document("a\udc00,b\n1,2", name).data)


def test_surprising_values_get_notes():
    found = read_document('{"a": 1, "a": 2, "big": 9007199254740993, "s": "\\ud83d"}')
    assert found.data["a"] == 2
    assert found.data["big"] == 9007199254740993
    assert found.data["s"] == "\ufffd"
    notes = " ".join(found.notes)
    for part in ("'a' is repeated", "2^53", "surrogate"):
        assert part in notes
    found = read_document("1: a\ntrue: b\nwhen: 2026-03-14\nx: no\ntwice: 1\ntwice: 2\n")
    assert found.data == {1: "b", "when": date(2026, 3, 14), "x": False, "twice": 2}
    notes = " ".join(found.notes)
    for part in ("Dates", "not text", "here 'no'.", "'twice' is repeated"):
        assert part in notes


def test_a_yaml_number_that_begins_with_0_gets_a_note():
    found = read_document("zip: 01067\nid: -007\nnone: 0\nhex: 0x1F\nshare: 0.5\nquoted: '010'\n")
    assert found.data == {"zip": 567, "id": -7, "none": 0, "hex": 31, "share": 0.5, "quoted": "010"}
    (note,) = found.notes
    assert "in base 8: here '01067' and 1 more." in note
    assert len(note) < 120


@pytest.mark.parametrize(
    ("digits", "said"),
    [
        ("12345678901234567890.123456789", "it is read as 1.2345678901234567e+19"),
        ("0.30000000000000004", ""),
        ("1.50000000000000000000", ""),
        ("1" + 50 * "0" + ".5", "1000"),
        ("1.0e+400", "it is read as infinity"),
    ],
)
@pytest.mark.parametrize(
    ("name", "text"),
    [("JSON", '{{"s": "{0}", "n": {0}}}'), ("YAML", 's: "{0}"\nn: {0}'), ("TOML", 's = "{0}"\nn = {0}'),
     ("JSON5", "{{s: '{0}', n: {0}}}"), ("Python literal", "{{'s': '{0}', 'n': {0}}}")],
)  # fmt: skip
def test_digits_that_a_double_loses_get_a_note_in_every_format(name, text, digits, said):
    if name == "JSON5" and "e+400" in digits:
        pytest.skip("pyjson5 refuses it")
    notes = [note for note in read_document(text.format(digits), name).notes if "NaN" not in note]
    assert [said in note for note in notes] == ([True] if said else [])
    assert all(len(note) < 120 for note in notes)


def test_a_note_on_json_lines_names_the_line():
    (note,) = read_document('{"n": 1}\n{"n": 0.12345678901234567890}').notes
    assert note.startswith("Line 2: The number")


@pytest.mark.parametrize(
    ("text", "said"),
    [("a,b\n1\n2,3,4", "not valid CSV: record 2 has 1 cell"),
     ("? [1, 2]\n: x", "a list or an object is a key here")],
)  # fmt: skip
def test_text_that_is_nearly_data_is_refused_with_the_reason(text, said):
    with pytest.raises(DataSyntaxError, match=said):
        read_document(text)


def test_parts_of_xml_that_are_lost_get_a_note():
    found = read_document("<orders><order id='1'>Pen</order></orders>")
    assert found.data == {"order": {"id": "1", "#text": "Pen"}}
    assert "root's name" in " ".join(found.notes)


def test_yaml_merge_keys_and_aliases_are_written_out():
    text = "base: &b {x: 1, y: 2}\none:\n  <<: *b\n  y: 3\nlist: [*b, *b]\nvalue: <<"
    base = {"x": 1, "y": 2}
    assert read_document(text).data == {
        "base": base,
        "one": {"x": 1, "y": 3},
        "list": [base, base],
        "value": "<<",
    }


def test_csv_cells_keep_their_text():
    found = read_document("id,zip,score,ok,note\n1,007,1.50,true,\n2,123,2.25,false,x\n")
    assert found.data == [
        {"id": 1, "zip": "007", "score": "1.50", "ok": True, "note": None},
        {"id": 2, "zip": "123", "score": "2.25", "ok": False, "note": "x"},
    ]


def test_pythons_printed_data_is_read_without_running_it():
    found = read_document(" {'a': (1, -2.5, +3), 1: None, 'b': 'x' 'y', 'b': True,} \n")
    assert found.data == {"a": [1, -2.5, 3], 1: None, "b": True}
    assert found.input_format == "Python literal"
    for part in ("Tuples (1)", "'b' is repeated in a dict", "not text"):
        assert part in " ".join(found.notes)
    with pytest.raises(DataSyntaxError, match="not a Python literal"):
        read_document("['a', __import__('os')]")
    with pytest.raises(TextTooLongError, match="1,000,003 bytes; at most 1,000,000 are read"):
        read_document(f"['{'x' * 999_999}']")


def test_a_rounded_number_is_noted_among_thousands_of_others_in_little_time():
    n_numbers = 3_000
    text = "[None, 'é', 0.12345678901234567890,\r\n 1_0.123456789012345678, '''\r''', -1e999,\n"
    started = process_time()
    found = read_document(text + ",\r".join(f"0.{n}5" for n in range(n_numbers)) + "]", "Python literal")
    assert process_time() - started < 2
    assert isinstance(found.data, list)
    assert len(found.data) == n_numbers + 6
    noted = ["0.12345678901234567890", "1_0.123456789012345678", "1e999"]
    assert [note.split()[2] for note in found.notes[:3]] == noted


_WRITTEN_AS = {
    "JSON": "json_pretty", "YAML": "yaml", "Python literal": "python", "JSON5": "json5", "TOON": "toon"
}  # fmt: skip


@pytest.mark.parametrize("name", _WRITTEN_AS)
@settings(max_examples=30, deadline=None)
@given(data=JSON_DATA)
def test_written_text_is_read_back(name, data):
    text = Job(data, WriteOptions()).convert(_WRITTEN_AS[name]).text
    assert text is not None
    if text.strip():
        assert read_document(text, name).data == data


def without_controls(value: Any) -> Any:
    """The same data without the characters that Markdown has not, or has no entity for."""
    match value:
        case str():
            return re.sub(r"[\0-\t\x0b-\x1f\x7f-\x9f]", "", value)
        case list():
            return [without_controls(item) for item in value]
        case dict():
            return {without_controls(key): without_controls(item) for key, item in value.items()}
    return value


@settings(max_examples=40, deadline=None)
@given(data=RECORDS.map(without_controls))
def test_a_markdown_or_html_table_is_read_as_the_same_csv(data):
    job = Job(data, WriteOptions())
    comma = job.convert("csv").text
    for entry, input_format in (("markdown", "Markdown table"), ("html", "HTML table")):
        text = job.convert(entry).text
        if text is not None and comma is not None and has_distinct_names(comma):
            for name in (input_format, None):
                assert stripped(read_document(text, name).data) == stripped(read_document(comma, "CSV").data)


def has_distinct_names(comma: str) -> bool:
    """Whether the names of the columns differ without the white space around them."""
    names = next(csv.reader(io.StringIO(comma)))
    return len({name.strip() for name in names}) == len(names)


def stripped(data: Any) -> Any:
    """A browser does not show white space around a cell."""
    return [
        {
            key.strip(): (value.strip() or None) if isinstance(value, str) else value
            for key, value in row.items()
        }
        for row in data
    ]


@settings(max_examples=200)
@given(text=st.text("ab=:# !\\\n\r\tuf0é", max_size=20))
@example("\\\r 0")
def test_properties_are_read_as_java_does(text):
    text = f"k=v\n{text}"
    try:
        expected = javaproperties.loads(text)
    except javaproperties.InvalidUEscapeError:
        with pytest.raises(DataSyntaxError, match="four hexadecimal digits"):
            read_document(text, "Properties")
    else:
        assert read_document(text, "Properties").data == expected


@pytest.mark.parametrize(
    ("text", "rows", "notes"),
    [
        (
            "<!DOCTYPE html><p>Prices</p><TABLE class=x><thead><tr><th>id<th>name</thead><tr><td> 1\n<td>A "
            "&amp; <b>B</b><br>C<script>x()</script></table><table><tr><td>2</table>",
            [{"id": 1, "name": "A & B\nC"}],
            ["Further tables (1) were left out.", "The text outside the table was left out."],
        ),
        ("<table><tr><td>zip</tr><tr><td>00001</tr></table>", [{"zip": "00001"}], None),
    ],
)
def test_an_html_table_is_read_as_a_browser_shows_it(text, rows, notes):
    found = read_document(text)
    assert (found.input_format, found.data) == ("HTML table", rows)
    assert notes is None or [*found.notes] == notes


@pytest.mark.parametrize(
    ("text", "name", "part"),
    [
        ("<table><tr><td colspan=2>a</table>", "HTML table", "spans several columns or rows"),
        ("<table><tr><td><table><tr><td>a</table>", "HTML table", "a table within a table"),
        ("<p>a</p>", "HTML table", "there is no <table>"),
        ("a[3]: 1,2", "TOON", "declared length 3 but found 2 (line 1)"),
        ("{a: 1,\n b 2}", "JSON5", "Expected colon, found U+0032 (line 2, column 4)"),
        ('{"s": "NaN",\n "n": NaN}', "JSON", "NaN is not in the standard; JSON5 has it (line 2, column 7)"),
        ("[?x]", "YAML", "a ? directly before a name in brackets; put the name in quotes (line 1, column 2)"),
        ("{ ?foo: bar }", "YAML", "a ? directly before a name in brackets"),
        ("&an:chor value", "YAML", "where the name &an:chor ends"),
    ],
)
def test_what_readers_disagree_on_or_cannot_hold_is_refused(text, name, part):
    with pytest.raises(DataSyntaxError, match=re.escape(part)):
        read_document(text, name)


def test_yaml_that_only_looks_ambiguous_is_read():
    text = 'q: what?x\n"?a": [b?, "?c"]\n? d\n: &a [x, &b y]\ne: *a\nf: [*b, *b]\n'
    assert read_document(text).data == {
        "q": "what?x", "?a": ["b?", "?c"], "d": ["x", "y"], "e": ["x", "y"], "f": ["y", "y"]
    }  # fmt: skip
    assert "YAML 1.1 reads '1e3' as text" in " ".join(read_document("a: 1e3").notes)


def test_repeated_keys_and_mixed_content_are_noted():
    assert "Repeated keys in an object (1)" in " ".join(read_document("{a: 1, 'a': ':'} // b: 2").notes)
    assert "Repeated names (1)" in " ".join(read_document("a=x y\na=z").notes)
    found = read_document("<p>Press <b>Go</b> now</p>")
    assert found.data == {"b": "Go", "#text": "Press  now"}
    assert "between elements in <p>" in " ".join(found.notes)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
def test_a_file_is_read_in_its_encoding(encoding):
    found = read_document("name,price\nMüller,3 €\n".encode(encoding))
    assert found.data == [{"name": "Müller", "price": "3 €"}]
    assert any("was read as" in note for note in found.notes) == (
        encoding in ("utf-16-le", "utf-16-be", "cp1252")
    )


def test_a_format_that_was_chosen_replaces_the_one_that_is_detected():
    found = read_document("a: 1", instead={"YAML": "Properties"})
    assert (found.data, found.input_format) == ({"a": "1"}, "Properties")
    assert found.detected is not None
    assert found.detected.name == "YAML"
    assert read_document('{"a": 1}', instead={"YAML": "Properties"}).input_format == "JSON"
    with pytest.raises(DataSyntaxError) as caught:
        read_document("a: 1", instead={"YAML": "JSON"})
    assert caught.value.detected == "YAML"


@pytest.mark.parametrize(
    ("text", "rows", "notes"),
    [
        ("| name | age |\n|:--|---:|\n| Ada | 36 |\n", [{"name": "Ada", "age": 36}], []),
        (
            "\nname | code\r\n-|-\r\nAda | 007\r\n",
            [{"name": "Ada", "code": "007"}],
            ["Kept as text to preserve how they are written: 'code' ('007')."],
        ),
        (r"| a | b |" "\n|-|-|\n" r"| x\|y | &lt;\*<br>z |", [{"a": "x|y", "b": "<*\nz"}], []),
        ("| a | b |\n|-|-|\n| 1 |", [{"a": 1, "b": None}], ["Empty cells (1) were read as null."]),
        (
            "| a |\n|-|\n| 1 | 2 |  |\n\nand more\n\n| b |",
            [{"a": 1}],
            [
                "Cells beyond the header's columns (1) were left out, as GitHub does.",
                "Text after the table was left out (lines: 2).",
            ],
        ),
    ],
)
def test_markdown_tables_are_read_by_githubs_rules(text, rows, notes):
    for name in (None, "markdown table"):
        found = read_document(text, name)
        assert (found.input_format, found.data, [*found.notes]) == ("Markdown table", rows, notes)


@settings(max_examples=30)
@given(case=documents())
def test_a_damaged_text_is_read_and_written_or_refused(case):
    check_document(*case)


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        (
            "price,zip,ok,name\n3.50,01234,true,x\n4.25,,false,2",
            [
                "Empty cells (1) were read as null.",
                "Kept as text to preserve how they are written: 'price' ('3.50') and 'zip' ('01234').",
            ],
        ),
        (
            "a,b,c,d,e\n+1,1e5,.5,-0,1\n",
            [
                "Kept as text to preserve how they are written: 'a' ('+1'), 'b' ('1e5'), 'c' ('.5') and "
                "1 more."
            ],
        ),
        ("price,at\n3.5,2026-01-02\n4,12:30", []),
    ],
)
def test_a_column_of_numbers_read_as_text_gets_a_note(text, notes):
    document = read_document(text, "CSV")
    assert [*document.notes] == notes


def test_a_table_without_its_delimiter_is_reported():
    note = "No line has a tab, so there is one column."
    assert note in read_document("id,name\n1,x", "TSV").notes
    assert note not in read_document("id\tname\n1\tx", "TSV").notes
    assert note not in read_document("name\nx, y", "TSV").notes


def test_a_parquet_file_is_refused_as_such():
    with pytest.raises(InvalidInputError, match="a Parquet file is not read here; valid are JSON, "):
        read_document(b"PAR1\x15\x04\x80")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_the_first_column_of_a_csv_from_excel_has_its_name(encoding):
    raw = "name,n\r\né,1\r\n".encode(encoding)
    for source in (raw, raw.decode(encoding.removesuffix("-sig"))):
        assert read_document(source, "CSV").data == [{"name": "é", "n": 1}]
