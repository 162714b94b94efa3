"""Help appears at once, and a command loads only the libraries it needs."""

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from playground.shell.main import main
from playground.shell.usage import COMMANDS, build_parser

ROOT = Path(__file__).resolve().parents[2]
HEAVY = {"altair", "dask", "distributed", "fsspec", "numpy", "pandas", "regex"}
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
    assert loaded & HEAVY == NEEDED[name]


def test_every_command_has_its_module():
    for name in COMMANDS:
        assert (ROOT / f"playground/shell/{name.replace('-', '_')}.py").is_file()


@pytest.mark.skipif(not shutil.which("bash"), reason="there is no bash")
@pytest.mark.parametrize(
    ("typed", "expected"),
    [("count --tokenizer cl100", "cl100k_base"), ("train --algorithm pi", "picky"), ("co", "count")],
)
def test_bash_completes_commands_options_and_names(typed, expected, capsys):
    assert main(["completion", "bash"]) == 0
    words = f"COMP_WORDS=(tessera {typed}); COMP_CWORD=${{#COMP_WORDS[@]}}; COMP_CWORD=$((COMP_CWORD - 1))"
    program = f"{capsys.readouterr().out}\n{words}\n_shtab_tessera\necho ${{COMPREPLY[*]}}"
    done = subprocess.run(["bash"], input=program, capture_output=True, text=True, check=True)
    assert expected in done.stdout.split()


@pytest.mark.parametrize("name", COMMANDS)
def test_each_commands_help_ends_with_two_valid_examples(name, capsys):
    with pytest.raises(SystemExit):
        main([name, "--help"])
    lines = [line.strip() for line in capsys.readouterr().out.partition("examples:\n")[2].splitlines()]
    assert len(lines) == 2
    for line in lines:
        words = shlex.split(line.partition("python -m playground ")[2].partition(" > ")[0])
        assert build_parser().parse_args(words).command == name
