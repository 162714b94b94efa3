"""`count` of folders: what is counted, what is left out and said, tables, limits and changes of a branch."""

import csv
import gzip
import io
import json
import os
import subprocess

import pytest

from playground.catalog.registry import get_tokenizer
from playground.core.home import PACKAGE
from playground.corpora.tree_counts import MAX_WHOLE_BYTES
from playground.shell.count import TOO_MANY
from playground.shell.main import main

FILES = {
    "src/a.py": "def f():\n    return 1\n",
    "src/deep/b.py": "print('é')\n",
    "src/empty.py": "",
    "web/c.js": "const x = 1;\n",
    "notes.md": "# Notes\n",
    "web/dist/out.js": "ignored();\n",
    "debug.log": "ignored\n",
    "keep.log": "kept\n",
    ".github/ci.yml": "on: push\n",
    ".gitignore": "*.log\n!keep.log\n[z-a]\n",
    "web/.gitignore": "/dist/\n",
}


@pytest.fixture
def tree(tmp_path, monkeypatch):
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "logo.png").write_bytes(b"\x89PNG\0\0")
    monkeypatch.chdir(tmp_path)
    return tmp_path


IGNORED = {"debug.log", "web/dist/out.js"}
COUNTED = [name for name in FILES if name not in IGNORED]


def n_tokens(*names, tokenizer="gpt2"):
    return sum(len(get_tokenizer(tokenizer).encode(FILES[name]).ids) for name in names)


def test_a_tree_is_counted_without_ignored_and_binary_files(tree, capsys):
    assert main(["count", ".", "--tokenizer", "gpt2", "--by", "language", "--json"]) == 0
    out, err = capsys.readouterr()
    answer = json.loads(out)
    assert {one["file"]: one["tokens"] for one in answer["files"]} == {
        f"./{name}": n_tokens(name) for name in COUNTED
    }
    assert answer["left_out"] == {"ignored": 2, "binary file": 1}
    assert "note: left out: 2 ignored, 1 binary file\n" in err
    assert "the pattern '[z-a]' is invalid and is not used" in err
    assert {one["language"]: one["files"] for one in answer["groups"]}["Python"] == 3
    assert main(["count", ".", "--no-gitignore", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["files"]) == len(FILES)


def test_the_gitignore_of_the_repository_holds_in_a_folder_of_it(tree, capsys):
    (tree / ".git").mkdir()
    (tree / ".gitignore").write_text("/web/*.js\n/web/.gitignore\n")
    assert main(["count", "web", "--json"]) == 1
    assert "web: the folder has no file to count" in capsys.readouterr().err


def test_what_cannot_be_read_is_said_and_the_rest_is_counted(tree, capsys):
    os.symlink("nowhere", tree / "link")
    os.mkfifo(tree / "pipe")
    (tree / "wide.txt").write_bytes("text".encode("utf-16"))
    (tree / "latin.txt").write_bytes(b"caf\xe9")
    (tree / os.fsdecode(b"na\xffme.txt")).write_text("counted")
    (tree / "same.txt").symlink_to(tree / os.fsdecode(b"na\xffme.txt"))
    (tree / "rows.txt.gz").write_bytes(gzip.compress(b"one two"))
    (tree / "src/tokenizer.json").write_text("{}")
    assert main(["count", ".", "--tokenizer", "gpt2", "--by", "language"]) == 0
    out, err = capsys.readouterr()
    for part in (
        "1 broken link",
        "1 special file",
        "2 non-UTF-8 files",
        "2 data files",
    ):
        assert part in err
    assert out.splitlines()[-1].split()[0] == str(n_tokens(*COUNTED) + 1 + len("counted") // 7)
    assert main(["count", "src", "src/tokenizer.json", "latin.txt", "rows.txt.gz", "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert [one["file"] for one in answer["files"]][-2:] == ["src/tokenizer.json", "rows.txt.gz"]
    assert answer["errors"][0].startswith("latin.txt: not UTF-8: byte 3 ")


FIGURES = [
    "tokens", "bytes", "characters", "documents", "left_out_rows", "bytes_per_token", "tokens_per_document",
]  # fmt: skip


def test_json_of_a_folder_has_the_keys_that_docs_shell_says(tree, capsys):
    assert main(["count", ".", "--by", "language", "--model", "gpt-4", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    keys = ["tokenizer", "files", "total", "by_library", "errors", "left_out", "groups", "models"]
    assert list(answer) == keys
    assert list(answer["total"]) == FIGURES
    assert list(answer["files"][0]) == ["file", *FIGURES]
    assert list(answer["groups"][0]) == ["language", "files", *FIGURES]
    assert list(answer["models"][0]) == ["model", "tokens", "context_tokens", "input_price_usd", "fidelity"]
    documented = (PACKAGE.parent / "docs/shell.md").read_text()
    named = {*keys, *FIGURES, *answer["models"][0], *answer["left_out"]}
    assert [key for key in named if f"`{key}`" not in documented] == []
    assert main(["count", ".", "-t", "gpt2", "-t", "gpt-4", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["tokenizers"] == list(answer["total"]["tokens"]) == ["gpt2", "cl100k_base"]


def test_the_bar_is_full_when_all_is_counted_or_left_out(tree, monkeypatch):
    (tree / "big.bin").write_bytes(bytes(MAX_WHOLE_BYTES + 1))
    parent, child = os.openpty()
    with open(child, "w") as terminal:
        monkeypatch.setattr("sys.stderr", terminal)
        assert main(["count", ".", "--tokenizer", "gpt2"]) == 0
    assert b"100%" in os.read(parent, 1_000_000)


def test_control_characters_in_names_are_shown(tree, capsys):
    (tree / "red\x1b[31m\n.py").write_text("x")
    assert main(["count", ".", "--tokenizer", "gpt2", "--tree"]) == 0
    assert "red\\x1b[31m\\n.py" in capsys.readouterr().out


def test_tables_have_the_largest_rows_the_rest_and_the_total(tree, capsys):
    assert main(["count", ".", "--tokenizer", "gpt2", "--by", "folder", "--top", "1", "--csv"]) == 0
    rows = list(csv.reader(io.StringIO(capsys.readouterr().out)))
    assert rows[0] == ["tokens", "share", "files", "bytes", "folder"]
    assert rows[1][4] == "."
    assert rows[2][4] == "(3 more)"
    assert rows[3][0] == str(n_tokens(*COUNTED)) == str(int(rows[1][0]) + int(rows[2][0]))
    assert main(["count", "src", "--tokenizer", "gpt2", "--tree"]) == 0
    n_deep = n_tokens("src/deep/b.py")
    assert f"{n_deep}    deep/" in capsys.readouterr().out
    assert main(["count", "src", "--markdown", "--json"]) == 1


def test_models_have_a_share_of_their_context_and_a_price(tree, capsys):
    assert main(["count", ".", "--model", "gpt-4", "--model", "gpt-3.5-turbo", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    n = n_tokens(*COUNTED, tokenizer="cl100k_base")
    assert [(one["model"], one["tokens"]) for one in answer["models"]] == [("gpt-4", n), ("gpt-3.5-turbo", n)]
    assert answer["tokenizer"] == "cl100k_base"
    assert answer["models"][0]["input_price_usd"] == pytest.approx(n * 30 / 1e6), "$30 a million, by OpenAI"
    for text, price in (("a", "<$0.0001"), ("", "$0.0000")):
        (tree / "own.txt").write_text(text)
        assert main(["count", "own.txt", "--model", "gpt-4"]) == 0
        assert capsys.readouterr().out.split()[-1] == price
    assert main(["count", ".", "--model", "gtp-4o"]) == 1
    assert "--model gtp-4o: no model has this name" in capsys.readouterr().err


def git(*words):
    identity = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
    subprocess.run(["git", *identity, *words], check=True, capture_output=True)


def test_files_that_git_tracks_count_in_spite_of_a_pattern_and_git_itself_does_not(tree, capsys, monkeypatch):
    git("init", "-q")
    git("add", "-f", "web/dist/out.js")
    (tree / "web/dist/new.js").write_text("ignored();")
    assert main(["count", "web", "--json"]) == 0
    names = [one["file"] for one in json.loads(capsys.readouterr().out)["files"]]
    assert names == ["web/.gitignore", "web/c.js", "web/dist/out.js"]
    (tree / ".git/HEAD").write_text("broken")
    assert main(["count", "web", "--json"]) == 0
    out, err = capsys.readouterr()
    assert len(json.loads(out)["files"]) == 2
    assert "files that git tracks in spite of .gitignore are left out: fatal: " in err
    monkeypatch.setenv("PATH", str(tree / "src"))
    assert main(["count", "web", "--json"]) == 0
    assert ".gitignore are left out: git is not installed\n" in capsys.readouterr().err


def test_a_folder_that_cannot_be_read_and_a_full_disk_are_said(tree, capsys, monkeypatch):
    real = os.scandir

    def refuse(place):
        if os.path.basename(place) == "deep":
            raise PermissionError(13, "Permission denied")
        return real(place)

    monkeypatch.setattr(os, "scandir", refuse)
    assert main(["count", "src", "--json"]) == 1
    out, err = capsys.readouterr()
    assert "error: src/deep: Permission denied\n" in err
    assert [one["file"] for one in json.loads(out)["files"]] == ["src/a.py", "src/empty.py"]
    with open("/dev/full", "w") as full:
        monkeypatch.setattr("sys.stdout", full)
        assert main(["count", "src"]) == 1
    assert "No space left on device" in capsys.readouterr().err


def test_the_tokens_that_a_branch_adds_are_counted_and_limited(tree, capsys, monkeypatch):
    git("init", "-q", "-b", "main")
    git("add", "-A")
    git("commit", "-q", "-m", "a")
    git("checkout", "-q", "-b", "branch")
    (tree / "notes.md").unlink()
    (tree / "new.md").write_text("Hello world")
    (tree / "rows.csv").write_text("a,b")
    (tree / "latin.txt").write_bytes(b"caf\xe9")
    command = ["count", ".", "--diff", "main", "--tokenizer", "gpt2"]
    assert main([*command, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    changes = {one["file"]: one["change"]["gpt2"] for one in answer["files"]}
    assert changes == {"new.md": 2, "notes.md": -n_tokens("notes.md")}
    assert answer["left_out"] == {"data file": 1, "non-UTF-8 file": 1}
    (tree / "notes.md").write_text(FILES["notes.md"])
    assert main([*command, "--max-tokens", "2"]) == 0
    assert main([*command, "--max-tokens", "1"]) == TOO_MANY
    assert "2 tokens in gpt2: more than --max-tokens 1" in capsys.readouterr().err
    capsys.readouterr()
    assert main(["count", ".", "--diff", "nothing"]) == 1
    assert capsys.readouterr().err == "error: --diff: there is no revision nothing\n"
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")  # as in a container of CI
    assert main(["count", ".", "--diff", "main"]) == 1
    assert "error: --diff: detected dubious ownership in repository at" in capsys.readouterr().err
    monkeypatch.delenv("GIT_TEST_ASSUME_DIFFERENT_OWNER")
    assert main(["count", "notes.md", "--max-tokens", "1"]) == TOO_MANY
