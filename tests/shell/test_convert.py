"""`convert`: files for other libraries, which give the same ids; or why not."""

import shlex

import pytest
import tiktoken
import tokenizers

from playground.catalog.registry import get_tokenizer
from playground.files.tokenizer_json import write_tokenizer_json
from playground.shell.main import main
from playground.shell.tokenizer_arguments import chosen_tokenizer
from tests.catalog.kinds import trained_by_rank

TEXT = "def f(x):\n    return x + 1  # naïve 안녕"


def test_a_files_tokenizer_is_written_for_other_libraries_with_the_same_ids(tmp_path, capsys):
    tokenizer = trained_by_rank()
    (document,) = write_tokenizer_json(tokenizer.model, "x").values()
    (tmp_path / "mine.json").write_text(document)
    outs = [str(tmp_path / name) for name in ("a.tiktoken", "b.json", "c.vocab.bpe")]
    words = [word for out in outs for word in ("--out", out)]
    assert main(["convert", "--tokenizer", str(tmp_path / "mine.json"), "--python", *words]) == 0
    programs, told = capsys.readouterr()
    for out in outs:
        assert f"{out}: Equal in " in told
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
def test_two_files_are_called_as_asked_and_read_as_one(start, asked, beside, tmp_path, capsys):
    out = tmp_path / f"{start}{asked}"
    assert main(["convert", "--tokenizer", "python_docs_4k", "--out", str(out)]) == 0
    assert {path.name for path in tmp_path.iterdir()} == {out.name, f"{start}{beside}"}
    assert f"Also written: {start}{beside}." in capsys.readouterr().out
    read = chosen_tokenizer(str(out), "cl100k")
    assert read.encode(TEXT) == get_tokenizer("python_docs_4k").encode(TEXT)


def test_what_cannot_be_written_is_told_and_nothing_is_written(tmp_path, capsys):
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


def test_a_file_of_ranks_has_notes_on_what_its_format_cannot_store(tmp_path, capsys):
    out = str(tmp_path / "x.tiktoken")
    assert main(["convert", "--tokenizer", "r50k_base", "--out", out]) == 0
    special, split = capsys.readouterr().err.splitlines()
    assert special == f"note: {out} has no special tokens; its format can't store <|endoftext|>"
    assert split == f"note: {out} has no split pattern: open it with --pattern gpt2"


def test_a_file_of_ranks_opens_by_the_expression_that_is_told(tmp_path, capsys):
    (tmp_path / "text").write_text("ab12 ab12 ab12 " * 9)
    kept, out = str(tmp_path / "my.model"), str(tmp_path / "my.tiktoken")
    wishes = ["--vocab-size", "262", "--pattern", r"[a-z]+|[^a-z]", "--out", kept]
    assert main(["train", str(tmp_path / "text"), *wishes]) == 0
    assert main(["convert", "--tokenizer", kept, "--out", out]) == 0
    (*_, pattern) = shlex.split(capsys.readouterr().err)
    read = chosen_tokenizer(out, pattern)
    assert read.encode("ab12 ab") == chosen_tokenizer(kept, "").encode("ab12 ab")
    assert len(read.encode("ab12 ab")) == 5
