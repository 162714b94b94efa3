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
    assert lines[2].split()[:3] == ["o200k_base", "2", "12"]
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


def test_a_tokenizer_file_stands_beside_named_ones(korean, tmp_path, capsys):
    ranks = {bytes([byte]): byte for byte in range(256)} | {"안".encode()[:2]: 256, "안".encode(): 257}
    path = tmp_path / "mine.tiktoken"
    path.write_bytes(b"".join(base64.b64encode(raw) + b" %d\n" % rank for raw, rank in ranks.items()))
    assert main(["compare", korean, "--tokenizer", "utf8_bytes", "--tokenizer", str(path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split()[:2] == ["utf8_bytes", "15"]
    assert lines[2].split()[:3] == ["mine", "13", "2"]
