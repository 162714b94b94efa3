"""`prompt`: files joined to one text that stays in its budget, and what was left out."""

import io
import os
import sys
import types

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.catalog.registry import get_tokenizer
from playground.shell.count import TOO_MANY
from playground.shell.main import main
from playground.shell.prompt import Part, choose

GPT2 = get_tokenizer("gpt2")


@pytest.fixture
def tree(tmp_path, monkeypatch):
    (tmp_path / "src").mkdir()
    (tmp_path / "src/a.py").write_text("x = 1")
    (tmp_path / "src/b.md").write_text("```\ncode\n```\n")
    (tmp_path / "src/big.txt").write_text("many words here\n" * 200)
    (tmp_path / "src/logo.png").write_bytes(b"\0\1")
    (tmp_path / "src/latin.txt").write_bytes(b"caf\xe9")
    (tmp_path / ".gitignore").write_text("*.log\n")
    (tmp_path / ".git").mkdir()
    (tmp_path / "src/out.log").write_text("ignored")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_files_and_folders_are_joined_and_what_is_left_out_is_said(tree, capsys):
    command = ["prompt", "src/b.md", "src", "--tokenizer", "gpt2", "--max-tokens", "100"]
    assert main(command) == 1
    out, err = capsys.readouterr()
    assert out == "## src/b.md\n\n````md\n```\ncode\n```\n````\n\n## src/a.py\n\n```py\nx = 1\n```\n"
    assert "note: left out: src/big.txt, 8" in err
    assert "error: src/latin.txt: not UTF-8: byte 3 " in err
    assert "1 binary file" in err
    assert f"note: 2 files, {len(GPT2.encode(out).ids)} tokens in gpt2\n" in err


def test_order_style_and_out_hold_and_the_written_file_is_not_read_again(tree, capsys):
    (tree / "src/latin.txt").unlink()
    how = ["--order", "size", "--style", "xml", "--out", "src/prompt.xml", "--model", "gpt-4"]
    for _ in range(2):
        assert main(["prompt", "src", *how]) == 0
        text = (tree / "src/prompt.xml").read_text()
        names = [line for line in text.splitlines() if line.startswith("<file")]
        assert names == [f'<file path="src/{name}">' for name in ("a.py", "b.md", "big.txt")]
        assert "in cl100k_base" in capsys.readouterr().err


def test_a_prompt_ends_with_a_status_that_says_why_nothing_was_written(tree, capsys, monkeypatch):
    assert main(["prompt", "src/a.py", "--max-tokens", "3"]) == TOO_MANY
    assert capsys.readouterr().out == ""
    assert main(["prompt", "src/a.py", "--model", "gpt-4", "--tokenizer", "gpt2"]) == 1
    assert main(["prompt", "src/logo.png"]) == 1
    assert capsys.readouterr().err.endswith("error: src/logo.png: it is a binary file; name files of text\n")
    if os.path.exists("/dev/full"):
        assert main(["prompt", "src/a.py", "--out", "/dev/full"]) == 1
        assert capsys.readouterr().err == "error: cannot write /dev/full: No space left on device\n"
    monkeypatch.setattr(sys, "stdin", types.SimpleNamespace(buffer=io.BytesIO(b"hi"), isatty=lambda: False))
    assert main(["prompt", "-", "--style", "xml"]) == 0
    assert capsys.readouterr().out == '<file path="standard input">\nhi\n</file>\n'


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text("ab \n`é", max_size=30), max_size=8), st.integers(1, 60))
def test_the_chosen_files_are_those_that_fit_when_each_is_tried(texts, most):
    def count(text):
        return len(GPT2.encode(text.decode()).ids)

    parts = [Part(str(n), text.encode(), count(text.encode())) for n, text in enumerate(texts)]
    expected: list[Part] = []
    for part in parts:
        if count(b"\n".join(one.text for one in [*expected, part])) <= most:
            expected.append(part)
    taken, left_out = choose(parts, most, count)
    assert taken == expected
    assert sorted([*taken, *left_out], key=lambda part: int(part.path)) == parts
