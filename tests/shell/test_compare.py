import base64
import io
import json
import sys

import pytest

from playground.shell.main import main


@pytest.fixture
def korean(tmp_path):
    path = tmp_path / "korean.txt"
    path.write_text("안녕하세요", encoding="utf-8")
    return str(path)


def test_the_table_holds_the_first_against_the_others(korean, capsys):
    assert main(["compare", korean, "--tokenizer", "gpt2", "--tokenizer", "gpt-4o"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split()[:3] == ["gpt2", "14", "0"]
    assert lines[2].split()[:3] == ["o200k_base", "2", "-12"]
    assert lines[3] == "boundaries: 1 in all, 0 in some, 12 in one only"


def test_json_and_standard_input(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"Hello world")))
    assert main(["compare", "--json"]) == 0
    (file,) = json.loads(capsys.readouterr().out)["files"]
    assert [row["n_tokens"] for row in file["rows"]] == [2, 2, 2]
    assert file["boundaries"] == {"in_all": 1, "in_some": 0, "in_one": 0}


def test_what_cannot_be_read_or_does_not_exist_is_named(korean, tmp_path, capsys):
    (tmp_path / "bad.txt").write_bytes(b"\xff")
    assert main(["compare", str(tmp_path / "bad.txt"), korean]) == 1
    captured = capsys.readouterr()
    assert "gpt2" in captured.out
    assert "not UTF-8" in captured.err
    assert main(["compare", korean, "--tokenizer", "gpt5"]) == 1
    assert "unknown tokenizer 'gpt5'" in capsys.readouterr().err


def test_a_file_without_a_split_pattern_gets_the_one_that_is_named(tmp_path, capsys):
    ranks = {bytes([byte]): byte for byte in range(256)} | {b"12": 256, b"34": 257, b"1234": 258}
    path, text = tmp_path / "mine.tiktoken", tmp_path / "1234.txt"
    path.write_bytes(b"".join(base64.b64encode(raw) + b" %d\n" % rank for raw, rank in ranks.items()))
    text.write_text("1234")
    for options, n_tokens in (([], "3"), (["--pattern", "gpt2"], "1")):
        assert main(["compare", str(text), "--tokenizer", str(path), *options]) == 0
        assert capsys.readouterr().out.splitlines()[1].split()[:2] == ["mine", n_tokens]


def test_each_of_several_files_has_its_table_below_its_name(korean, tmp_path, capsys):
    english = tmp_path / "english.txt"
    english.write_text("Hello world")
    assert main(["compare", korean, str(english), "--tokenizer", "gpt2"]) == 0
    tables = capsys.readouterr().out.split("\n\n")
    assert [table.splitlines()[0] for table in tables] == [korean, str(english)]
    assert [table.splitlines()[2].split()[:2] for table in tables] == [["gpt2", "14"], ["gpt2", "2"]]


def test_a_folder_is_told_what_is_taken(tmp_path, capsys):
    assert main(["compare", str(tmp_path)]) == 1
    told = f"{tmp_path} is a folder; compare takes files of UTF-8 text, such as {tmp_path}/*.txt"
    assert capsys.readouterr().err == f"error: {told}\n"
