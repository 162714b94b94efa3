"""`chat`, `compare`, `formats` and `health`: tables for people, JSON for programs, errors."""

import base64
import dataclasses
import gzip
import io
import json
import os
import sys

import pytest

from playground.catalog.registry import get_tokenizer
from playground.formats import costs
from playground.formats.offloading import open_document
from playground.formats.registry import FORMATS
from playground.formats.tasks import Packed
from playground.shell.main import main
from tests.catalog.tokenizer_documents import document

REQUEST = {
    "messages": [
        {"role": "system", "content": "Be brief"},
        {"role": "user", "content": [{"type": "text", "text": "안녕 you"}, {"type": "image_url"}]},
        {"role": "assistant", "content": "Hi"},
        {"role": "user", "content": "Bye"},
    ],
    "tools": [{"type": "function", "function": {"name": "clock", "parameters": {}}}],
}


@pytest.fixture
def ask(tmp_path, capsys):
    (tmp_path / "chat.json").write_text(json.dumps(REQUEST))

    def asked(*words, status=0):
        assert main(["chat", str(tmp_path / "chat.json"), *words]) == status
        return capsys.readouterr()

    return asked


def test_a_chat_is_counted_part_by_part_with_its_sum(ask):
    said = ask("--tokenizer", "gpt-4o", "--json")
    answer = json.loads(said.out)
    assert sum(part["n_tokens"] for part in answer["parts"]) == answer["tokens"]
    assert (answer["model"], answer["mark"]) == ("GPT-4o", "at least ≈")
    assert answer["not_counted"] == ["the rest of 1 image of unknown size"]
    assert "OpenAI’s published formula" in said.err
    lines = ask("--tokenizer", "gpt-4o").out.splitlines()
    assert lines[-2].split()[:4] == ["at", "least", "≈", str(answer["tokens"])]
    assert lines[-1].endswith("Not in it: the rest of 1 image of unknown size.")
    assert "answer" in ask("--tokenizer", "gpt-4o", "--no-answer", status=1).err


def test_a_request_is_counted_for_the_model_that_it_names(tmp_path, capsys):
    path = tmp_path / "request.json"

    def asked(model, *words, status=0):
        path.write_text(json.dumps({**REQUEST, "model": model}))
        assert main(["chat", str(path), "--json", *words]) == status
        return capsys.readouterr()

    assert json.loads(asked("claude-sonnet-4-5").out)["model"] == "Claude Sonnet 4.5"
    assert json.loads(asked("gemini-3.5-flash").out)["model"] == "Gemini 3.5 Flash"
    assert "the request is for gpt-6" in asked("gpt-6", status=1).err
    said = asked("claude-sonnet-4-5", "--tokenizer", "gpt-4")
    assert json.loads(said.out)["model"] == "GPT-4"
    assert "the request is for claude-sonnet-4-5, and counted for GPT-4" in said.err
    said = asked("")
    assert "the request names no model: counted for GPT-4o" in said.err


def test_a_chat_in_a_models_own_template_includes_its_tools(ask):
    whole = json.loads(ask("--tokenizer", "qwen3", "--json").out)
    assert "clock" in whole["text"]
    qwen = get_tokenizer("qwen3")
    assert whole["ids"] == qwen.encode(whole["text"], allowed_special=frozenset(qwen.special_tokens))
    ended = ask("--tokenizer", "Qwen3", "--no-answer", "--text").out
    assert whole["text"].startswith(ended)
    assert len(whole["text"]) > len(ended)
    table = ask("--tokenizer", "qwen3").out.splitlines()
    assert table[0].split() == ["tokens", "frame", "part"]
    assert any(line.split()[:3] == ["with", "the", "next"] for line in table)
    assert f"= at least {whole['tokens']} tokens. Not in it: 1 image." in table[-1]


def test_the_template_in_the_folder_of_a_tokenizer_file_is_used(ask, tmp_path):
    path = tmp_path / "tokenizer.json"
    path.write_bytes(document("like Llama 3"))
    assert "Only contents are counted" in ask("--tokenizer", str(path)).err
    template = "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}"
    (tmp_path / "chat_template.jinja").write_text(template)
    text = ask("--tokenizer", str(path), "--text").out
    assert text == ask("--tokenizer", str(tmp_path), "--text").out
    assert text == "[system]Be brief[user]안녕 you[assistant]Hi[user]Bye"


def test_each_conversation_of_json_lines_is_counted_as_if_it_were_alone(tmp_path, capsys):
    chats = [[{"role": "user", "content": text}] for text in ("Hi", "one two three " * 9, "안녕")]
    path, out = tmp_path / "train.jsonl", tmp_path / "counts.json"
    path.write_text("".join(json.dumps({"messages": chat}) + "\n" for chat in chats))
    gpt_4o = get_tokenizer("o200k_base")
    sizes = [len(gpt_4o.encode(chat[0]["content"])) + 3 + 1 + 3 for chat in chats]
    assert main(["chat", str(path), "--tokenizer", "gpt-4o", "--json", "--out", str(out)]) == 0
    assert capsys.readouterr().out == ""
    answer = json.loads(out.read_text())
    assert [row["tokens"] for row in answer["conversations"]] == sizes
    assert (answer["tokens"], answer["longest"]["conversation"]) == (sum(sizes), 2)
    path.write_text(path.read_text() + "{}\n")
    assert main(["chat", str(path), "--tokenizer", "gpt-4o"]) == 1
    assert "conversation 4: this has no messages" in capsys.readouterr().err


def test_text_without_a_template_and_an_invalid_chat_are_refused(ask, tmp_path, capsys):
    error = ask("--tokenizer", "bert_uncased", "--text", status=1).err
    assert "bert_uncased has no chat template here" in error
    (tmp_path / "bad.json").write_text("{}")
    assert main(["chat", str(tmp_path / "bad.json")]) == 1
    assert "this has no messages" in capsys.readouterr().err


@pytest.fixture
def korean(tmp_path):
    path = tmp_path / "korean.txt"
    path.write_text("안녕하세요", encoding="utf-8")
    return str(path)


def test_compare_prints_differences_from_the_first_tokenizer(korean, capsys):
    assert main(["compare", korean, "--tokenizer", "gpt2", "--tokenizer", "gpt-4o"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split()[:3] == ["gpt2", "14", "0"]
    assert lines[2].split()[:3] == ["o200k_base", "2", "-12"]
    assert lines[3] == "boundaries: 1 in all, 0 in some, 12 in one only"


def test_compare_prints_json_for_standard_input(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"Hello world")))
    assert main(["compare", "--json"]) == 0
    (file,) = json.loads(capsys.readouterr().out)["files"]
    assert [row["n_tokens"] for row in file["rows"]] == [2, 2, 2]
    assert file["boundaries"] == {"in_all": 1, "in_some": 0, "in_one": 0}


def test_compare_names_unreadable_files_and_unknown_tokenizers(korean, tmp_path, capsys):
    (tmp_path / "bad.txt").write_bytes(b"\xff")
    assert main(["compare", str(tmp_path / "bad.txt"), korean]) == 1
    captured = capsys.readouterr()
    assert "gpt2" in captured.out
    assert "not UTF-8" in captured.err
    assert main(["compare", korean, "--tokenizer", "gpt9"]) == 1
    assert "no tokenizer or model is called 'gpt9'" in capsys.readouterr().err


def test_compare_uses_the_named_pattern_for_a_file_without_one(tmp_path, capsys):
    ranks = {bytes([byte]): byte for byte in range(256)} | {b"12": 256, b"34": 257, b"1234": 258}
    path, text = tmp_path / "mine.tiktoken", tmp_path / "1234.txt"
    path.write_bytes(b"".join(base64.b64encode(raw) + b" %d\n" % rank for raw, rank in ranks.items()))
    text.write_text("1234")
    for options, n_tokens in ((["--pattern", "cl100k"], "3"), (["--pattern", "gpt2"], "1")):
        assert main(["compare", str(text), "--tokenizer", str(path), *options]) == 0
        assert capsys.readouterr().out.splitlines()[1].split()[:2] == ["mine", n_tokens]


def test_compare_prints_a_table_for_each_file(korean, tmp_path, capsys):
    english = tmp_path / "english.txt"
    english.write_text("Hello world")
    assert main(["compare", korean, str(english), "--tokenizer", "gpt2"]) == 0
    tables = capsys.readouterr().out.split("\n\n")
    assert [table.splitlines()[0] for table in tables] == [korean, str(english)]
    assert [table.splitlines()[2].split()[:2] for table in tables] == [["gpt2", "14"], ["gpt2", "2"]]


def test_compare_compares_each_text_of_a_folder_and_leaves_out_the_rest(tmp_path, capsys):
    (tmp_path / "a.txt").write_text("Hello world")
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(b"Hello world"))
    (tmp_path / "logo.png").write_bytes(b"\0\1")
    (tmp_path / "ignored.log").write_text("Hello world")
    (tmp_path / ".gitignore").write_text("*.log\n.*")
    assert main(["compare", str(tmp_path), "--tokenizer", "gpt2"]) == 0
    out, err = capsys.readouterr()
    tables = out.split("\n\n")
    assert err == "note: left out: 2 ignored, 1 data file, 1 binary file\n"
    assert len(tables) == 1
    assert main(["encode", f"{tmp_path}/b.txt.gz", "--tokenizer", "gpt2"]) == 0
    assert capsys.readouterr().out == "15496 995\n"


def test_formats_converts_into_one_format(tmp_path, capsys, monkeypatch):
    source, out = tmp_path / "a.json", tmp_path / "a.yaml"
    source.write_text('{"a": [1, 2]}')
    assert main(["formats", str(source), "--to", "yaml", "--out", str(out)]) == 0
    assert out.read_text() == "a:\n- 1\n- 2\n"
    assert main(["formats", str(source), "--to", "yaml"]) == 0
    assert capsys.readouterr().out == out.read_text()
    assert main(["formats", str(source), "--to", "csv"]) == 1
    assert capsys.readouterr().err.startswith(f"error: {source} cannot be converted to CSV: ")
    assert main(["formats", str(source), "--out", str(out)]) == 1
    assert "--out requires --to" in capsys.readouterr().err
    large = dataclasses.replace(open_document(b'{"a": 1}', "JSON"), data=Packed.of({"a": 1}))
    monkeypatch.setattr("playground.shell.formats.open_document", lambda *_, **_options: large)
    assert main(["formats", str(source), "--to", "yaml"]) == 0
    assert capsys.readouterr().out == "a: 1\n"


DATA = [{"id": 1, "zip": "10000"}, {"id": 2, "zip": "20000"}]


@pytest.fixture
def data_file(tmp_path):
    path = tmp_path / "data.json"
    path.write_text(json.dumps(DATA))
    return str(path)


def test_formats_prints_json_as_a_list_of_rows(data_file, capsys):
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


def test_formats_prints_lossless_formats_first(data_file, capsys):
    assert main(["formats", data_file, "--tokenizer", "cl100k_base"]) == 0
    out = capsys.readouterr().out
    table, advice = out.split("\n\n")
    lines = table.splitlines()[1:]
    kinds = [next(k for k in ("equal", "lossy", "cannot") if f"  {k}" in line) for line in lines]
    assert kinds == sorted(kinds, key=["equal", "lossy", "cannot"].index)
    assert advice.startswith("In cl100k_base, ")
    assert "drops the types of “zip”" in out


def test_formats_names_the_place_of_invalid_data(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a: 1\n")))
    assert main(["formats", "--json"]) == 0
    assert "yaml" in capsys.readouterr().out
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"a" 1}')))
    assert main(["formats", "--from", "JSON"]) == 1
    assert "line 1, column 6" in capsys.readouterr().err


def test_formats_refuses_large_input_and_prints_notes_apart_from_json(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b" " * ((5 << 20) + 1))))
    assert main(["formats"]) == 1
    assert "more than 5,000,000 bytes" in capsys.readouterr().err
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"a": 1, "a": 2}')))
    assert main(["formats", "--json", "--from", "json"]) == 0
    out, err = capsys.readouterr()
    assert len(json.loads(out)) == len(FORMATS)
    assert "'a' is repeated" in err


def test_formats_refuses_prose_with_the_option_that_reads_it(tmp_path, capsys):
    prose = tmp_path / "prose.txt"
    prose.write_text("It was a bright cold day in April, and the clocks were striking thirteen.\n")
    assert main(["formats", str(prose)]) != 0
    assert "prose, not data; use --from FORMAT to read it" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "text", "input_format"),
    [
        ("a.csv", "Dear Ann, hello to you all\nI am well, and so are we\n", "CSV"),
        ("A.YML", "It was a bright cold day in April, and the clocks were striking thirteen.\n", "YAML"),
    ],
)
def test_formats_reads_a_file_by_its_ending(name, text, input_format, tmp_path, monkeypatch):
    (tmp_path / name).write_text(text)
    asked = []

    def asking(*words, **options):
        asked.append(options)
        return costs.measure(*words, **options)

    monkeypatch.setattr("playground.shell.formats.measure", asking)
    assert main(["formats", str(tmp_path / name), "--tokenizer", "utf8_bytes"]) == 0
    assert asked[0]["read_as"] == input_format


def test_health_prints_the_counts_of_its_json(capsys):
    assert main(["health", "--tokenizer", "python_docs_4k"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "python_docs_4k: 4,096 tokens"
    assert main(["health", "--tokenizer", "python_docs_4k", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert lines[2].startswith(f"{len(answer['under_trained']):,} were merged into a longer token")
    assert lines[3].startswith(f"{len(answer['lost']):,} encode to other tokens")
    assert lines[5].startswith(f"{len(answer['not_utf8']):,} are not valid UTF-8 by themselves")
    assert len(lines) == 8


def test_a_text_is_cut_into_chunks_or_to_its_ends(tmp_path, capsys):
    text = "One sentence here. Another one follows! " * 9
    (tmp_path / "text.txt").write_text(text)
    words = ["cut", str(tmp_path / "text.txt"), "--tokenizer", "gpt2", "--tokens", "20"]
    assert main([*words, "--by", "sentences"]) == 0
    chunks = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert "".join(chunk["text"] for chunk in chunks) == text
    gpt2 = get_tokenizer("gpt2")
    assert all(len(gpt2.encode(chunk["text"])) == chunk["n_tokens"] <= 20 for chunk in chunks)
    assert main([*words, "--keep", "end"]) == 0
    kept = capsys.readouterr()
    assert text.endswith(kept.out)
    assert len(gpt2.encode(kept.out)) == 20
    assert "20 tokens in gpt2" in kept.err
    assert main([*words, "--keep", "end", "--overlap", "3"]) == 1
    assert "--overlap is for chunks" in capsys.readouterr().err
    (tmp_path / "text.txt").write_text("<|endoftext|>" * 20)
    assert main([*words, "--allow-special"]) == 0
    assert json.loads(capsys.readouterr().out)["n_tokens"] == 20


def test_xray_compares_requests_and_says_by_its_status_where_the_prefix_broke(tmp_path, capsys):
    paths = [tmp_path / name for name in ("one.json", "two.json")]
    for path, day in zip(paths, (28, 29), strict=True):
        system = {"role": "system", "content": f"Today is 2026-11-{day}."}
        path.write_text(json.dumps({**REQUEST, "model": "gpt-4o", "messages": [system]}))
    names = [str(path) for path in paths]
    assert main(["xray", names[0], "--check"]) == 0
    capsys.readouterr()
    assert main(["xray", *names, "--check"]) == 1
    said = capsys.readouterr()
    assert "prefix broken at turn 2: message 1, system: a date or a time" in said.err
    assert "turn 2 breaks the prefix at message 1, system: a date or a time" in said.out
    assert main(["xray", *names, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert [turn["prefix_kept"] for turn in answer["turns"]] == [None, False]
    assert [turn["title"] for turn in answer["turns"]] == names


def test_doctor_names_what_is_cached_and_clean_removes_it_and_nothing_else(tmp_path, monkeypatch, capsys):
    for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME", "TMPDIR"):
        monkeypatch.setenv(name, str(tmp_path / name))
        (tmp_path / name).mkdir()
    monkeypatch.setattr("tempfile.tempdir", None)
    models = tmp_path / "XDG_DATA_HOME/tessera/models"
    compiled = tmp_path / "XDG_CACHE_HOME/tessera/numba-1", tmp_path / "TMPDIR/tessera-me/numba-1"
    old, new, own = models / "fetching-old", models / "opened-new", models / "own"
    for folder in (*compiled, old, new, own):
        folder.mkdir(parents=True)
        (folder / "file").write_bytes(bytes(1500))
    os.utime(old, (0, 0))
    cached = [*map(str, compiled), str(old)]
    assert main(["doctor", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["cached"] == [{"path": one, "bytes": 1500} for one in cached]
    assert main(["doctor"]) == 0
    assert capsys.readouterr().out.count("1,500 bytes in ") == 3
    assert main(["doctor", "--clean"]) == 0
    assert capsys.readouterr().out == "".join(f"removed {one}: 1,500 bytes\n" for one in cached)
    assert [path.name for path in sorted(models.iterdir())] == ["opened-new", "own"]
    assert main(["doctor", "--clean"]) == 0
    assert capsys.readouterr().out == "nothing is cached\n"
