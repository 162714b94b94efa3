"""`--tokenizer FILE` in every command, and `convert`, which writes files for other libraries."""

import io
import json
import shlex
import sys

import pytest
import tiktoken
import tokenizers

from playground.bpe.split_pattern import SplitPattern
from playground.catalog.opened import read_and_try, tokenizer_of
from playground.catalog.registry import get_tokenizer
from playground.catalog.trained import load_python_docs
from playground.files.gpt2 import write_gpt2
from playground.files.registry import FILE_FORMATS
from playground.files.tokenizer_json import write_tokenizer_json
from playground.shell.main import main
from playground.shell.tokenizer_arguments import chosen_tokenizer
from tests.catalog.kinds import trained_by_rank
from tests.catalog.sentencepiece_models import model_bytes
from tests.catalog.tokenizer_documents import document

CAT_TEXT = "the cat sat, naïve ﬁ\n"
VOCAB = b"[UNK]\n[CLS]\nthe\ncat\nsat\n,\nna\n##ive\n"
FILES = {
    "spiece.model": {"spiece.model": model_bytes("unigram, nmt_nfkc, symbols")},
    "tokenizer.json": {"tokenizer.json": document("like T5")},
    "vocab.txt": {"vocab.txt": VOCAB},
    "merges.txt": {
        name.replace("python_docs_4k.encoder.json", "vocab.json").replace(
            "python_docs_4k.vocab.bpe", "merges.txt"
        ): text.encode()
        for name, text in write_gpt2(load_python_docs().model, "python_docs_4k").items()
    },
}


def run(capsys, *words, typed=b""):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(typed)))
        status = main(words)
    said = capsys.readouterr()
    assert status == 0, said.err
    return said.out


@pytest.mark.parametrize("name", FILES)
def test_every_command_takes_a_file(name, tmp_path, capsysbinary):
    def ask(*words, typed=b""):
        return run(capsysbinary, *words, typed=typed)

    for file, raw in FILES[name].items():
        (tmp_path / file).write_bytes(raw)
    (tmp_path / "text").write_text(CAT_TEXT, encoding="utf-8")
    (tmp_path / "data").write_text('{"the": ["cat", "sat"]}')
    text, given = str(tmp_path / "text"), ["--tokenizer", str(tmp_path / name)]
    tokenizer = tokenizer_of("x", read_and_try(FILES[name], SplitPattern.named("cl100k")))
    ids = list(tokenizer.encode(CAT_TEXT))
    encoded = ask("encode", text, *given)
    assert encoded.split() == [b"%d" % token_id for token_id in ids]
    assert ask("decode", *given, typed=encoded) == tokenizer.decode(ids).encode()
    counted = json.loads(ask("count", text, "--json", *given))
    assert (counted["total"]["tokens"], counted["tokenizer"]) == (len(ids), name.rsplit(".", 1)[0])
    compared = json.loads(ask("compare", text, "--json", *given, "--tokenizer", "utf8_bytes"))
    assert compared["files"][0]["rows"][0]["n_tokens"] == len(ids)
    assert name.rsplit(".", 1)[0] in ask("formats", str(tmp_path / "data"), *given).decode()


def test_a_file_that_is_not_a_tokenizer_is_refused(tmp_path, capsys):
    (tmp_path / "vocab.txt").write_text("just a text\n")
    assert main(["count", "-", "--tokenizer", str(tmp_path / "vocab.txt")]) == 1
    assert "vocab.txt has no piece [UNK]; BERT's vocab.txt" in capsys.readouterr().err
    assert main(["count", "-", "--tokenizer", "llama 3"]) == 1
    assert "tokenizer.json" in capsys.readouterr().err


def test_special_tokens_are_read_from_a_config_in_the_same_folder(tmp_path, capsys):
    for file, raw in FILES["merges.txt"].items():
        (tmp_path / file).write_bytes(raw)
    given = [
        "count",
        str(tmp_path / "text"),
        "--json",
        "--allow-special",
        "--tokenizer",
        str(tmp_path / "merges.txt"),
    ]
    (tmp_path / "text").write_text("a<|end|>b")
    n_without = json.loads(run(capsys, *given))["total"]["tokens"]
    config = {"added_tokens_decoder": {"70000": {"content": "<|end|>", "special": True}}}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    assert json.loads(run(capsys, *given))["total"]["tokens"] == 3 < n_without
    encode = ["encode", *given[1:2], *given[3:]]
    assert run(capsys, *encode).split()[1] == "70000"
    (tmp_path / "tokenizer_config.json").write_text('{"chat_template": 7}')
    assert main(given) == 1
    assert "tokenizer_config.json, chat_template, item 1" in capsys.readouterr().err


def test_a_file_over_the_limit_is_refused_before_it_is_read(tmp_path, capsys, monkeypatch):
    name = "large.json"
    with open(tmp_path / name, "wb") as file:
        file.truncate(500_000_000)
    monkeypatch.setattr("pathlib.Path.read_bytes", lambda path: pytest.fail(f"{path} is read"))
    assert main(["health", "--tokenizer", str(tmp_path / name)]) == 1
    assert capsys.readouterr().err == f"error: {name} has 500,000,000 bytes; the limit is 41,943,040\n"


def test_a_models_folder_is_opened_and_named_for_the_folder(tmp_path, capsysbinary):
    folder = tmp_path / "my-model"
    folder.mkdir()
    (folder / "tokenizer.json").write_bytes(FILES["tokenizer.json"]["tokenizer.json"])
    (folder / "config.json").write_text("{}")
    said = json.loads(
        run(capsysbinary, "count", "--json", "--tokenizer", str(folder), typed=CAT_TEXT.encode())
    )
    tokenizer = tokenizer_of("x", read_and_try(FILES["tokenizer.json"], SplitPattern.named("cl100k")))
    assert (said["tokenizer"], said["total"]["tokens"]) == ("my-model", len(tokenizer.encode(CAT_TEXT)))


def test_files_with_equal_stems_get_distinct_names(tmp_path, monkeypatch, capsysbinary):
    monkeypatch.chdir(tmp_path)
    called = {
        "own/x.json": "x",
        "own/y.json": "y.json",
        "y.model": "y.model",
        "gpt2.json": "gpt2.json",
        "gpt2": "gpt2",
    }
    called |= {name: name for name in ("z.json", "own/z.json", "m", "own/m")}
    called |= {"models/n/tokenizer.json": "n/tokenizer.json", "models/o/tokenizer.json": "o/tokenizer.json"}
    for name in called:
        path = tmp_path / name if "." in name else tmp_path / name / "tokenizer.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        kind = "spiece.model" if path.suffix == ".model" else "tokenizer.json"
        if name != "gpt2":
            path.write_bytes(FILES[kind][kind])
    words = [word for name in called for word in ("--tokenizer", name)]
    answer = json.loads(run(capsysbinary, "count", "--json", *words, typed=b"a"))
    assert [*answer["total"]["tokens"]] == [*called.values()]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("none.tiktoken", "there is no file none.tiktoken"),
        ("empty", "empty contains no tokenizer file; expected one of tokenizer.json, "),
        ("none", "no tokenizer or model is called 'none'"),
    ],
)
def test_missing_files_and_folders_without_tokenizers_are_refused(name, said, tmp_path, monkeypatch, capsys):
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    assert main(["count", "--tokenizer", name]) != 0
    assert said in capsys.readouterr().err


def test_a_pattern_applies_only_to_files_without_one(tmp_path, capsys):
    (tmp_path / "text").write_text("12345 it's")
    ranks = FILE_FORMATS["tiktoken"].write(load_python_docs().model, "x")["x.tiktoken"]
    (tmp_path / "x.tiktoken").write_text(ranks)

    def said(*words):
        assert main(["count", str(tmp_path / "text"), "--json", *words]) == 0
        answer = capsys.readouterr()
        return json.loads(answer.out)["total"]["tokens"], answer.err

    given = ["--tokenizer", str(tmp_path / "x.tiktoken")]
    _, note = said("--tokenizer", "python_docs_4k", "--pattern", "bogus")
    assert note == (
        "note: --pattern bogus is not used for python_docs_4k: it only applies to files of "
        "ranks, such as .tiktoken and vocab.bpe\n"
    )
    assert main(["count", "-", *given]) == 1
    assert "x.tiktoken has no split pattern, and its ids depend on one" in capsys.readouterr().err
    split = "note: x has no split pattern of its own; it is split by"
    n_tokens = len(load_python_docs().encode("12345 it's"))
    assert said(*given, "--pattern", "cl100k_base") == (n_tokens, f"{split} cl100k\n")
    assert said(*given, "--pattern", r"\d|\D") == (10, f"{split} \\d|\\D\n")
    assert main(["count", "-", *given, "--pattern", "bogus"]) == 1
    assert "unknown split pattern 'bogus'" in capsys.readouterr().err


TEXT = "def f(x):\n    return x + 1  # naïve 안녕"


def test_a_files_tokenizer_is_written_for_other_libraries_with_the_same_ids(tmp_path, capsys):
    tokenizer = trained_by_rank()
    (document,) = write_tokenizer_json(tokenizer.model, "x").values()
    (tmp_path / "mine.json").write_text(document)
    outs = [str(tmp_path / name) for name in ("a.tiktoken", "b.json", "c.vocab.bpe")]
    words = [word for out in outs for word in ("--out", out)]
    assert main(["convert", "--tokenizer", str(tmp_path / "mine.json"), "--python", *words]) == 0
    programs, said = capsys.readouterr()
    for out in outs:
        assert f"{out}: Equal in " in said
    compile(programs, "standard output", "exec")
    assert {path.name for path in tmp_path.iterdir()} == {
        "mine.json", "a.tiktoken", "b.json", "c.encoder.json", "c.vocab.bpe",
    }  # fmt: skip
    program = programs[: programs.index("print(encoding")]
    names: dict[str, tiktoken.Encoding] = {}
    exec(program.replace('"a.tiktoken"', repr(outs[0])), names)
    loaded = tokenizers.Tokenizer.from_file(outs[1])
    assert names["encoding"].encode_ordinary(TEXT) == loaded.encode(TEXT).ids == tokenizer.encode(TEXT)


@pytest.mark.parametrize(
    ("start", "asked", "beside"), [("", "vocab.bpe", "encoder.json"), ("my-", "encoder.json", "vocab.bpe")]
)
def test_a_tokenizer_of_two_files_is_written_and_read_as_one(start, asked, beside, tmp_path, capsys):
    out = tmp_path / f"{start}{asked}"
    assert main(["convert", "--tokenizer", "python_docs_4k", "--out", str(out)]) == 0
    assert {path.name for path in tmp_path.iterdir()} == {out.name, f"{start}{beside}"}
    assert f"Also written: {start}{beside}." in capsys.readouterr().out
    read = chosen_tokenizer(str(out), "cl100k")
    assert read.encode(TEXT) == get_tokenizer("python_docs_4k").encode(TEXT)


def test_a_tokenizer_that_a_format_cannot_store_is_refused(tmp_path, capsys):
    calls = {
        "bert_uncased": ("bert.tiktoken", "bert_uncased does not merge bytes"),
        "gpt2": ("gpt.model", "numbers bytes 0 to 255"),
        "qwen3": ("qwen.txt", "no tokenizer format is called"),
        "utf8_bytes": ("none/x.model", "there is no folder"),
    }
    for name, (out, said) in calls.items():
        assert main(["convert", "--tokenizer", name, "--out", str(tmp_path / out)]) == 1
        error = capsys.readouterr().err
        assert said in error
        assert error.startswith("error: ")
        assert error.count("\n") == 1
    assert main(["convert", "--tokenizer", "gpt2"]) == 1
    assert "give --out FILE" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_ranks_opens_with_the_pattern_in_the_note(tmp_path, capsys):
    (tmp_path / "text").write_text("ab12 ab12 ab12 " * 9)
    kept, out = str(tmp_path / "my.model"), str(tmp_path / "my.tiktoken")
    wishes = ["--vocab-size", "262", "--pattern", r"[a-z]+|[^a-z]", "--out", kept]
    assert main(["train", str(tmp_path / "text"), *wishes]) == 0
    assert main(["convert", "--tokenizer", kept, "--out", out]) == 0
    (*_, pattern) = shlex.split(capsys.readouterr().err)
    read = chosen_tokenizer(out, pattern)
    assert read.encode("ab12 ab") == chosen_tokenizer(kept, "").encode("ab12 ab")
    assert len(read.encode("ab12 ab")) == 5


def test_a_model_on_this_machine_is_listed_and_used_by_its_name(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = tmp_path / "tokenizers"
    for path in (
        folder / "llama-3.1" / "tokenizer.json",
        tmp_path / "hub/models--org--m/snapshots/a/tokenizer.json",
    ):
        path.parent.mkdir(parents=True)
        path.write_text(*write_tokenizer_json(load_python_docs().model, "x").values())
    (tmp_path / "text").write_text("Hello world")
    assert main(["models", "--json", "--models", str(folder), "llama-3.1"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert [model["name"] for model in answer["on_this_machine"]] == ["llama-3.1"]
    assert [answer["models"][0][key] for key in ("name", "fidelity")] == ["Llama 3.1", "file"]
    for name in ("llama-3.1", "org/m"):
        words = ["count", str(tmp_path / "text"), "--tokenizer", name, "--json"]
        assert main([*words, "--models", str(folder)]) == 0
        answer = json.loads(capsys.readouterr().out)
        assert answer["tokenizer"] == name
        assert answer["total"]["tokens"] == len(load_python_docs().encode("Hello world"))
        words = ["cut", str(tmp_path / "text"), "--tokenizer", name, "--tokens", "9"]
        assert main([*words, "--models", str(folder)]) == 0
        assert json.loads(capsys.readouterr().out)["n_tokens"] == answer["total"]["tokens"]
    assert main(["count", str(tmp_path / "text"), "--tokenizer", "llama-3.1"]) == 1
    assert "give that file's path in place of the name" in capsys.readouterr().err
    assert main(["models", "nothing at all", "--models", str(folder / "gone")]) == 1
    assert "there is no such folder" in capsys.readouterr().err
