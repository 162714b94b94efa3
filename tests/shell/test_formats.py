"""The shell's `formats`: the table, JSON for programs, and messages for bad input."""

import io
import json
import sys

import pytest

from playground.catalog.registry import get_tokenizer
from playground.formats import costs, offloading
from playground.formats.registry import FORMATS
from playground.shell import terminal
from playground.shell.main import main

DATA = [{"id": 1, "zip": "10000"}, {"id": 2, "zip": "20000"}]


@pytest.fixture
def data_file(tmp_path):
    path = tmp_path / "data.json"
    path.write_text(json.dumps(DATA))
    return str(path)


def test_json_is_a_list_of_plain_rows(data_file, capsys):
    assert main(["formats", data_file, "--json", "--tokenizer", "o200k_base", "--tokenizer", "gpt-4"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["format"] for row in rows] == list(FORMATS)
    compact = next(row for row in rows if row["format"] == "json_compact")
    text = json.dumps(DATA, separators=(",", ":"))
    assert compact == {
        "format": "json_compact",
        "fidelity": "equal",
        "bytes": len(text),
        "tokens": {name: len(get_tokenizer(name).encode(text)) for name in ("o200k_base", "cl100k_base")},
    }
    assert next(row for row in rows if row["format"] == "csv")["fidelity"] == "lossy"


def test_the_table_is_sorted_with_losses_apart(data_file, capsys):
    assert main(["formats", data_file, "--tokenizer", "cl100k_base"]) == 0
    out = capsys.readouterr().out
    table, advice = out.split("\n\n")
    lines = table.splitlines()[1:]
    kinds = [next(k for k in ("equal", "lossy", "cannot") if f"  {k}" in line) for line in lines]
    assert kinds == sorted(kinds, key=["equal", "lossy", "cannot"].index)
    assert advice.startswith("In cl100k_base, ")
    assert "drops the types of “zip”" in out


def test_standard_input_and_a_message_for_bad_data(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a: 1\n")))
    assert main(["formats", "--json"]) == 0
    assert "yaml" in capsys.readouterr().out
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"a" 1}')))
    assert main(["formats", "--from", "JSON"]) == 1
    assert "line 1, column 6" in capsys.readouterr().err


def test_too_much_is_refused_and_notes_do_not_disturb_json(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b" " * ((5 << 20) + 1))))
    assert main(["formats"]) == 1
    assert "more than 5,242,880 bytes" in capsys.readouterr().err
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"a": 1, "a": 2}')))
    assert main(["formats", "--json", "--from", "json"]) == 0
    out, err = capsys.readouterr()
    assert len(json.loads(out)) == len(FORMATS)
    assert "'a' stands twice" in err


def test_prose_is_told_with_the_option_that_reads_it(tmp_path, capsys):
    prose = tmp_path / "prose.txt"
    prose.write_text("It was a bright cold day in April, and the clocks were striking thirteen.\n")
    assert main(["formats", str(prose)]) != 0
    assert "prose, not data; use --from FORMAT to read it" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "text", "input_format"),
    [
        ("a.csv", "Dear Ann, hello to you all\nI am well, and so are we\n", "CSV"),
        ("a.csv", "a\tb\n1\t2\n", "TSV"),
        ("a.json", '{"a": 1}\n{"a": 2}\n', "JSON Lines"),
        ("A.YML", "It was a bright cold day in April, and the clocks were striking thirteen.\n", "YAML"),
    ],
)
def test_a_files_ending_says_what_it_holds(name, text, input_format, tmp_path, monkeypatch):
    (tmp_path / name).write_text(text)
    asked = []

    def asking(*words, **options):
        asked.append(options)
        return costs.measure(*words, **options)

    monkeypatch.setattr("playground.shell.formats.measure", asking)
    assert main(["formats", str(tmp_path / name), "--tokenizer", "utf8_bytes"]) == 0
    assert asked[0]["read_as"] == input_format
    assert asked[0]["seconds"] > 10 * offloading.CONVERT_SECONDS, "nobody waits but who asked"


def test_a_terminal_sees_how_far_a_long_conversion_is(data_file, monkeypatch, capsys):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    assert main(["formats", data_file, "--tokenizer", "utf8_bytes"]) == 0
    assert "Converting" not in capsys.readouterr().err, "it takes no second"
    monkeypatch.setattr(terminal, "_QUIET_SECONDS", -1.0)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    assert main(["formats", data_file, "--tokenizer", "utf8_bytes"]) == 0
    assert "Converting" in capsys.readouterr().err
