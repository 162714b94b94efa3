"""Help is there at once, and a command loads only what it needs: told by the modules that are loaded."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from playground.shell.main import main
from playground.shell.usage import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
HEAVY = {
    "altair",
    "dask",
    "distributed",
    "fsspec",
    "numba",
    "numpy",
    "pandas",
    "regex",
    "sentencepiece",
    "streamlit",
    "tiktoken",
    "tokenizers",
    "yaml",
}
#: The heavy libraries that a command needs to do its work.
NEEDED = {
    "count": {"numpy", "regex", "tiktoken"},
    "encode": {"numpy", "regex", "tiktoken"},
    "decode": {"numpy", "regex", "tiktoken"},
    "compare": {"numpy", "regex", "tiktoken"},
    "train": {"numpy", "regex", "tiktoken"},
}
_PROGRAM = """
import io, json, sys
from playground.shell.main import main
sys.stdin = io.TextIOWrapper(io.BytesIO(b"65 66"))
out, sys.stdout = sys.stdout, io.TextIOWrapper(io.BytesIO())
for words in json.loads(sys.argv[1]):
    try:
        assert main(words) == 0
    except SystemExit as ending:
        assert ending.code == 0
json.dump(sorted(sys.modules), out)
"""


def modules_after(*calls):
    command = [sys.executable, "-c", _PROGRAM, json.dumps(calls)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


def test_help_loads_nothing_but_the_shell():
    loaded = modules_after(["--help"], *([name, "--help"] for name in COMMANDS))
    assert loaded & HEAVY == set()
    rooms = {name.split(".")[1] for name in loaded if name.startswith("playground.")}
    assert rooms == {"core", "shell", "training"}
    assert {name for name in loaded if name.startswith("playground.shell.")} == {
        "playground.shell.interruption",
        "playground.shell.main",
        "playground.shell.terminal",
        "playground.shell.usage",
    }


@pytest.mark.parametrize("name", NEEDED)
def test_a_command_loads_only_what_it_needs(name):
    call = [name, *(["--vocab-size", "257"] if name == "train" else [])]
    loaded = modules_after(call)
    if name == "train" and "numba" in loaded:
        loaded = modules_after(call)  # it may have compiled; what it keeps does without
    assert loaded & HEAVY == NEEDED[name]


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="the system does not tell threads")
def test_numpy_brings_no_threads(tmp_path):
    """They wait for work, at the cost of a fifth of the start."""
    (tmp_path / "some.txt").write_text("Hello world")
    program = """
import os, runpy, sys
os._exit = lambda status: print(status, "numpy" in sys.modules, len(os.listdir("/proc/self/task")))
runpy.run_module("playground", run_name="__main__")
"""
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    command = [sys.executable, "-c", program, "count", tmp_path / "some.txt", "--threads", "1"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "0 True 1"


def test_every_command_has_its_module():
    for name in COMMANDS:
        assert (ROOT / f"playground/shell/{name}.py").is_file()


def test_the_help_of_train_says_what_pretokens_are_before_it_counts_them(capsys):
    with pytest.raises(SystemExit):
        main(["train", "--help"])
    options = capsys.readouterr().out.partition("options:")[2].replace("\n", " ").split()
    assert " ".join(options).partition("pretokens")[0].endswith("texts are cut before any merge, into ")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("train", "256 bytes and a token a merge; special tokens come on top (default: 4096)"),
        ("train", "the one first seen in the text, "),
        ("train", "a pair must occur so often (default: 1)"),
        ("count", "(default: text of .parquet, and the whole of other files)"),
        ("encode", "and beside it FILE.json, which says how they were made"),
        ("compare", "`shared` is how many a tokenizer and the first have in common"),
        ("health", "is never used: many such are bad."),
        ("chat", "`template` those of them that the template adds"),
    ],
)
def test_help_says_what_figures_and_defaults_mean(name, told, capsys):
    with pytest.raises(SystemExit):
        main([name, "--help"])
    assert told in " ".join(capsys.readouterr().out.split())
