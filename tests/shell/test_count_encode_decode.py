"""`count`, `encode` and `decode`: exact counts and ids, and errors that name the file."""

import gzip
import io
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from playground.catalog.openai import load_openai
from playground.catalog.registry import get_tokenizer
from playground.corpora import id_files, text_files
from playground.shell.main import main
from playground.shell.terminal import print_error

ROOT = Path(__file__).resolve().parents[2]
ENGLISH = "Everyone has the right to life, liberty and security of person.\n"


class StandardInput:
    def __init__(self, data):
        self.buffer = io.BytesIO(data)

    def isatty(self):
        return False


@pytest.fixture
def article(tmp_path):
    path = tmp_path / "article.txt"
    path.write_text(ENGLISH)
    return str(path)


def npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def run_shell(*arguments, **options):
    command = [sys.executable, "-m", "playground", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, check=False, timeout=60, **options)


def test_count_prints_a_table_with_a_total(article, tmp_path, capsys):
    nepali = tmp_path / "नेपाली.txt"
    nepali.write_text("सबै मानिस")
    assert main(["count", article, str(nepali), "--tokenizer", "gpt-4"]) == 0
    encoding = load_openai("cl100k_base")
    n_english, n_nepali = len(encoding.encode(ENGLISH)), len(encoding.encode("सबै मानिस"))
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == ["tokens", "bytes", "characters", "bytes/token", "file"]
    assert lines[1] == [str(n_english), "64", "64", f"{64 / n_english:.2f}", article]
    assert lines[2][:3] == [str(n_nepali), "25", "9"]
    assert lines[3][:3] == [str(n_english + n_nepali), "89", "73"]
    assert lines[3][-1] == "total"


def test_count_prints_json_for_standard_input(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", StandardInput(b"egg Egg EGG"))
    assert main(["count", "--json", "--tokenizer", "gpt2"]) == 0
    answer = json.loads(capsys.readouterr().out)
    n_tokens = len(load_openai("gpt2").encode("egg Egg EGG"))
    assert answer["total"] == {
        "tokens": n_tokens,
        "bytes": 11,
        "characters": 11,
        "documents": 1,
        "left_out_rows": 0,
        "bytes_per_token": round(11 / n_tokens, 4),
        "tokens_per_document": n_tokens,
    }
    assert answer["files"][0]["file"] == "-"
    assert answer["errors"] == []


def test_ids_come_in_order_and_special_tokens_stay_whole(tmp_path, monkeypatch, capsys):
    text = "one two<|endoftext|>three\n<|endoftext|>" * 4
    path = tmp_path / "special.txt"
    path.write_text(text)
    monkeypatch.setattr(text_files, "BLOCK_BYTES", 1)
    encoding = load_openai("gpt2").encoding
    for options, ids in (
        ([], encoding.encode(text, disallowed_special=())),
        (["--allow-special"], encoding.encode(text, allowed_special="all")),
    ):
        assert main(["encode", str(path), "--tokenizer", "gpt2", *options]) == 0
        assert [int(word) for word in capsys.readouterr().out.split()] == ids


def test_the_ids_of_each_row_are_printed_in_a_line(tmp_path, capsys):
    rows = ["one two", "", "東京"]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps({"text": row}) + "\n" for row in [*rows, None]))
    words = ["encode", str(path), "--field", "text", "--tokenizer", "gpt2", "--skip-bad-rows"]
    ids = [load_openai("gpt2").encoding.encode_ordinary(row) for row in rows]
    assert main(words) == 0
    said = capsys.readouterr()
    assert said.out.splitlines() == [" ".join(map(str, each)) for each in ids]
    assert "left out 1 row without text" in said.err
    assert main([*words, "--json", "--separator", "<|endoftext|>"]) == 0
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert answers == [{"ids": [*each, 50256], "count": len(each) + 1} for each in ids]


def test_control_characters_in_errors_are_escaped(capsys):
    print_error("a\x1b[31m\x7f\x9f\n é\xa0~")
    assert capsys.readouterr().err == "error: a\\x1b[31m\\x7f\\x9f\\n é\xa0~\n"


@pytest.mark.parametrize(("data", "position"), [(b"abc\xff", 3), ("é한".encode()[:-1], 2)])
def test_bytes_that_are_not_utf8_are_named(tmp_path, article, capsys, monkeypatch, data, position):
    path = tmp_path / "latin.txt"
    path.write_bytes(data)
    monkeypatch.setattr(text_files, "BLOCK_BYTES", 1)
    assert main(["count", str(path), article]) == 1
    out, err = capsys.readouterr()
    assert f"{path}: not UTF-8: byte {position} " in err
    assert article in out  # the other file is still counted


@pytest.mark.parametrize(
    "command", [["count"], ["encode", "--out", "ids.npy"], ["train", "--vocab-size", "257"]]
)
def test_a_file_named_twice_is_read_once_with_a_note(command, article, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main([*command, article, article]) == 0
    assert "note: 1 file of 2 named again" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command", [["count"], ["encode", "--out", "ids.npy"], ["train", "--vocab-size", "257"]]
)
def test_rows_without_a_text_are_left_out_with_a_note(command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("a.jsonl").write_text('{"text": "one one"}\n{"text": null}\n{"text": 5}\nbroken\n{"text": "two"}\n')
    words = [*command, "a.jsonl", "--field", "text", "--json"]
    assert main(words) == 1
    assert (
        "a.jsonl: line 2: field 'text' is null, not text; --skip-bad-rows leaves" in capsys.readouterr().err
    )
    assert main([*words, "--skip-bad-rows"]) == 0
    said = capsys.readouterr()
    assert said.err == "note: left out 3 rows without text\n"
    if command[0] != "train":  # which prints merges
        answer = json.loads(said.out)
        assert answer.get("total", answer)["left_out_rows"] == 3
        assert (answer["files"][0]["tokens"], answer["files"][0]["documents"]) == (3, 2)


def test_an_empty_file_has_no_tokens(tmp_path, capsys):
    path = tmp_path / "empty.txt"
    path.touch()
    assert main(["count", str(path)]) == 0
    assert capsys.readouterr().out.splitlines()[1].split()[:4] == ["0", "0", "0", "0.00"]
    assert main(["encode", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"tokenizer": "o200k_base", "ids": [], "count": 0}


@pytest.mark.parametrize("spelling", ["{}", "[{}]"])
def test_encode_and_decode_are_inverse(spelling, article, monkeypatch, capsysbinary):
    assert main(["encode", article, "--tokenizer", "r50k_base"]) == 0
    ids = capsysbinary.readouterr().out.decode()
    assert [int(word) for word in ids.split()] == load_openai("r50k_base").encode(ENGLISH)
    monkeypatch.setattr(sys, "stdin", StandardInput(spelling.format(ids.strip()).encode()))
    assert main(["decode", "--tokenizer", "r50k_base"]) == 0
    assert capsysbinary.readouterr().out == ENGLISH.encode()


@pytest.mark.parametrize("tokenizer", ["gpt2", "bert_uncased"])
@pytest.mark.parametrize("ending", [".bin", ".npy", ".parquet"])
def test_decode_reads_what_encode_writes(tokenizer, ending, article, tmp_path, monkeypatch, capsysbinary):
    monkeypatch.setattr(id_files, "BLOCK_IDS", 7)
    out = str(tmp_path / f"ids{ending}")
    assert main(["encode", article, "--tokenizer", tokenizer, "--out", out]) == 0
    capsysbinary.readouterr()
    text = get_tokenizer(tokenizer).decode(get_tokenizer(tokenizer).encode(ENGLISH))
    assert main(["decode", out]) == 0
    assert capsysbinary.readouterr().out == text.encode()
    assert main(["decode", out, "--json"]) == 0
    said = json.loads(capsysbinary.readouterr().out)
    assert (said["tokenizer"], said["text"]) == (tokenizer, text)


def test_a_named_tokenizer_decides_how_a_file_of_ids_is_read(article, tmp_path, capsys):
    out = tmp_path / "ids.bin"
    assert main(["encode", article, "--tokenizer", "gpt2", "--out", str(out)]) == 0
    capsys.readouterr()
    assert main(["decode", str(out), "--tokenizer", "cl100k_base"]) == 0
    as_cl100k = get_tokenizer("cl100k_base").decode(get_tokenizer("gpt2").encode(ENGLISH))
    assert capsys.readouterr().out == as_cl100k != ENGLISH
    about = out.with_name("ids.bin.json")
    about.write_text(about.read_text().replace('"gpt2"', '"mine"'))
    assert main(["decode", str(out)]) == 1
    assert (
        "ids.bin was written with mine, a tokenizer file: pass it as --tokenizer FILE"
        in capsys.readouterr().err
    )
    about.unlink()
    assert main(["decode", str(out), "--tokenizer", "gpt2"]) == 1
    assert "ids.bin.json beside it tells whether an id has two bytes or four" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "raw", "message"),
    [
        ("x.bin", b"abc", "x.bin is cut off within an id"),
        ("x.npy", npy(np.array([[1.5]])), "x.npy has 2 dimensions"),
        ("x.npy", npy(np.array([70_000])), "70000"),
        ("none.npy", b"", "none.npy: No such file"),
    ],
)
def test_invalid_files_of_ids_are_refused(name, raw, message, tmp_path, capsys):
    if raw:
        (tmp_path / name).write_bytes(raw)
    (tmp_path / "x.bin.json").write_text('{"dtype": "uint16"}')
    assert main(["decode", str(tmp_path / name), "--tokenizer", "gpt2"]) == 1
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("packed", "by"),
    [(gzip.compress(b"a"), "gzip"), (pa.compress(b"a", "zstd", asbytes=True), "zstd")],
    ids=["gzip", "zstd"],
)
def test_compressed_standard_input_is_refused(packed, by, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", StandardInput(packed))
    assert main(["encode"]) == 1
    assert capsys.readouterr().err == f"error: -: it is packed by {by}; unpack it\n"


def test_decode_writes_bytes_as_they_are(monkeypatch, capsysbinary):
    first = load_openai("gpt2").encode("한")[:1]
    monkeypatch.setattr(sys, "stdin", StandardInput(json.dumps(first).encode()))
    assert main(["decode", "--tokenizer", "gpt2"]) == 0
    assert capsysbinary.readouterr().out == load_openai("gpt2").vocabulary.raw_of(first[0])


@pytest.mark.parametrize(("words", "message"), [("12 x", "“x” (line 1, column 4)"), ("99999999", "99999999")])
def test_decode_names_invalid_ids(words, message, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", StandardInput(words.encode()))
    assert main(["decode", "--tokenizer", "gpt2"]) == 1
    assert message in capsys.readouterr().err


def test_the_command_ends_without_messages_even_if_its_reader_closes_the_pipe(article):
    counted = run_shell("count", article, "--tokenizer", "gpt2")
    assert (counted.returncode, counted.stderr) == (0, b"")
    assert article.encode() in counted.stdout
    assert run_shell("no-such-command").returncode == 2
    many = subprocess.run(
        f"yes 'a b c' | head -c 600000 | {sys.executable} -m playground encode --tokenizer gpt2 | head -c 5",
        shell=True, cwd=ROOT, capture_output=True, check=True,
    )  # fmt: skip
    assert len(many.stdout) == 5
    assert many.stderr == b""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["count", "Hello world"], "there is no file 'Hello world'"),
        (["encode", "it's 3.5"], """echo 'it'"'"'s 3.5' | tessera encode"""),
        (["formats", '{"a": 1}'], """echo '{"a": 1}' | tessera formats"""),
        (["count", "no-such-file.txt"], "no-such-file.txt: No such file or directory"),
        (["decode", "a/b", "c.txt"], "decode reads one file or the shards of one, not 2 files"),
    ],
)
def test_a_text_in_place_of_a_file_is_refused_with_the_way_to_pass_it(words, said, capsys):
    assert main(words) == 1
    err = capsys.readouterr().err
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert said in err


def test_a_file_may_have_any_name(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "15496").write_text("995")
    (tmp_path / "two words").write_text("egg")
    assert main(["decode", "15496", "--tokenizer", "gpt2"]) == 0
    assert capsys.readouterr().out == " world"
    assert main(["count", "two words", "missing"]) == 1  # the others are counted
    assert "two words" in capsys.readouterr().out


def test_reading_from_a_terminal_is_noted(monkeypatch, capsys):
    typed = StandardInput(b"egg")
    monkeypatch.setattr(typed, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stdin", typed)
    assert main(["encode", "--tokenizer", "gpt2"]) == 0
    printed = capsys.readouterr()
    assert printed.out == "33856\n"
    assert "Ctrl-D" in printed.err
