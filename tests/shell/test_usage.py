"""Help appears at once, a command loads only the libraries it needs, and shells complete what it takes."""

import io
import json
import os
import shlex
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from playground.shell.commands import COMMANDS
from playground.shell.main import main
from playground.shell.terminal import BAR_FROM_BYTES, part_bar, read_bar

ROOT = Path(__file__).resolve().parents[2]
HEAVY = {"altair", "argparse", "dask", "distributed", "fsspec", "numpy", "pandas", "regex"}
HEAVY |= {"importlib.metadata", "pathspec", "sentencepiece", "streamlit", "tiktoken", "tokenizers", "yaml"}
#: The heavy libraries that a command needs to do its work.
NEEDED = {
    "count": {"numpy", "regex", "tiktoken"},
    "encode": {"numpy", "regex", "tiktoken"},
    "decode": {"numpy", "regex", "tiktoken"},
    "compare": {"numpy", "pathspec", "regex", "tiktoken"},
    "train": {"numpy", "regex", "tiktoken"},
}
_PROGRAM = """
import io, json, sys
from playground.shell.main import main
from playground.shell.terminal import BAR_FROM_BYTES, part_bar, read_bar
sys.stdin = io.TextIOWrapper(io.BytesIO(b"65 66"))
out, sys.stdout = sys.stdout, io.TextIOWrapper(io.BytesIO())
for words in json.loads(sys.argv[1]):
    assert main(words) == 0
json.dump(sorted(sys.modules), out)
"""


def modules_after(*calls, **environment):
    command = [sys.executable, "-c", _PROGRAM, json.dumps(calls)]
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | environment, capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stdout))


def test_help_and_the_completion_of_commands_load_nothing_but_the_frame():
    loaded = modules_after(["--help"], ["--version"])
    loaded |= modules_after(["-"], _TESSERA_COMPLETE="bash_complete", COMP_WORDS="tessera co", COMP_CWORD="1")
    assert loaded & HEAVY == set()
    assert {name for name in loaded if name.startswith("playground.shell.")} == {
        "playground.shell.commands",
        "playground.shell.interruption",
        "playground.shell.main",
        "playground.shell.terminal",
    }


@pytest.mark.parametrize("name", NEEDED)
def test_a_command_loads_only_what_it_needs(name):
    call = [name, *(["--vocab-size", "257"] if name == "train" else [])]
    loaded = modules_after(call)
    assert loaded & HEAVY == NEEDED[name]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("count -t cl100", {"plain,cl100k_base"}),
        ("train --algorithm pi", {"plain,picky"}),
        ("co", {"plain,count", "plain,compare", "plain,convert", "plain,completion"}),
        ("cut --ov", {"plain,--overlap"}),
        ("count --model claude-opus-4-8", {"plain,claude-opus-4-8"}),
        ("formats --to yaml_f", {"plain,yaml_flow"}),
        ("prompt REA", {"file,REA"}),
        ("serve --models ~/a", {"dir,~/a"}),
    ],
)
def test_a_shell_completes_commands_options_names_and_files(typed, expected, capsys, monkeypatch):
    words = f"tessera {typed}"
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
    monkeypatch.setenv("_TESSERA_COMPLETE", "bash_complete")
    assert main([]) == 0
    assert set(capsys.readouterr().out.splitlines()) == expected


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_program_for_a_shell_asks_tessera(shell, capsys):
    assert main(["completion", shell]) == 0
    assert f"_TESSERA_COMPLETE={shell}_complete" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["count", "--tokeniser", "gpt2"], "'--tokenizer'"),
        (["conut"], "'count'"),
        (["cut"], "missing option '--max-tokens'"),
        (["encode", "--validation-share", "nan"], "'nan' is not a number; see `tessera encode --help`"),
    ],
)
def test_a_wrong_word_is_named_with_the_near_one(words, message, capsys):
    assert main(words) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("name", COMMANDS)
def test_each_commands_help_ends_with_two_valid_examples(name, capsys):
    assert main([name, "--help"]) == 0
    lines = [line.strip() for line in capsys.readouterr().out.partition("Examples:\n")[2].splitlines()]
    assert len(lines) == 2
    command = import_module(f"playground.shell.{name.replace('-', '_')}").run
    for line in lines:
        words = shlex.split(line.partition("tessera ")[2].partition(" > ")[0])
        assert words[0] == name
        with command.make_context(name, words[1:]):
            pass


def test_bars_end_at_100_percent_also_where_parts_are_left_out(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr("playground.shell.terminal._QUIET_SECONDS", -1)
    for bar, step in (
        (part_bar("Measuring"), lambda update: update(0.6, "")),
        (read_bar([], "Counting", n_bytes=BAR_FROM_BYTES), lambda update: update(10)),
    ):
        terminal = Terminal()
        monkeypatch.setattr("sys.stderr", terminal)
        with bar as update:
            step(update)
        assert "100%" in terminal.getvalue().rpartition("\r")[2]
