"""Commands that fail print one sentence, exit with a suitable status, and print no partial answer."""

import contextlib
import errno
import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from playground.shell.commands import COMMANDS
from playground.shell.main import main

ROOT = Path(__file__).resolve().parents[2]
CALLS = [
    ["count"],
    ["count", "--json"],
    ["encode"],
    ["decode", "--tokenizer", "utf8_bytes"],
    ["formats", "--json"],
    ["train", "--vocab-size", "257"],
]


def call(words, data=b"97 97 97", target=None):
    """Run a command in this process; return its status, output and errors."""
    written, errors = io.BytesIO(), io.StringIO()
    out = target or io.TextIOWrapper(written, encoding="utf-8", write_through=True)
    stdin, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(data))
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            try:
                status: object = main(words)
            except SystemExit as ending:
                status = ending.code
    finally:
        sys.stdin = stdin
    return status, written.getvalue().decode(errors="replace"), errors.getvalue()


def faults(errors):
    """Return the errors without the note on a training that writes no file."""
    return errors.removeprefix("note: nothing will be written; add --out FILE, such as --out my.json\n")


def run(*words, **options):
    command = [sys.executable, "-m", "playground", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, check=False, timeout=60, **options)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("words", CALLS, ids=" ".join)
def test_a_full_disk_is_one_sentence(words):
    with open("/dev/full", "w") as full:
        status, _, errors = call(words, target=full)
        with contextlib.suppress(OSError):
            full.close()
    assert (status, faults(errors)) == (1, "error: cannot write: No space left on device\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_python_prints_nothing_more_at_exit():
    command = f"echo 97 | {sys.executable} -m playground decode --tokenizer utf8_bytes > /dev/full"
    done = subprocess.run(command, shell=True, cwd=ROOT, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (1, b"error: cannot write: No space left on device\n")


@pytest.mark.parametrize(
    ("closed", "expected"),
    [
        ("<&-", (1, b"", b"error: standard input is closed; name a file\n")),
        (">&-", (1, b"", b"error: standard output is closed\n")),
        ("2>&-", (0, b"a", b"")),
    ],
)
def test_a_closed_stream_is_reported_if_possible(closed, expected):
    command = f"printf 97 | {sys.executable} -m playground decode --tokenizer utf8_bytes {closed}"
    done = subprocess.run(command, shell=True, cwd=ROOT, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == expected


@pytest.mark.parametrize("words", [words for words in CALLS if words[0] != "decode"], ids=" ".join)
def test_a_file_that_is_not_text_prints_no_partial_answer(words, tmp_path):
    path = tmp_path / "late.txt"
    path.write_bytes(b"a b c\n" * 2_000 + b"\xff")
    status, out, errors = call([*words, str(path)])
    assert (status, faults(errors).count("\n")) == (1, 1)
    assert str(path) in errors or words[0] == "formats"
    if "--json" in words and out:
        json.loads(out)
    assert out == "" or words in (["encode"], ["count", "--json"])


#: What each command is called with: what it requires, and where its input goes.
INPUTS = {
    "cut": ("--max-tokens", "5"),
    "train": ("--vocab-size", "257", "--out", "unwritten.json"),
    "convert": ("--out", "unwritten.tiktoken", "--tokenizer"),
    "health": ("--tokenizer",),
    "get-model": (),
    "export": ("tokens",),
    "difference": ("gpt2",),
    "lock": ("--out", "unwritten.json"),
    "check": (),
    **dict.fromkeys(("serve", "mcp", "models", "doctor"), ("--models",)),
    **dict.fromkeys(("count", "prompt", "encode", "decode", "compare", "report", "formats", "chat"), ()),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_ends_as_the_table_of_docs_says(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.json").write_bytes(b"\xff\xfe[\x00]\x00\x81")
    (tmp_path / "long.txt").write_text("Many words, and more than one of them.")
    status, out, errors = call([name, "--no-such-option"])
    assert (status, out, errors.count("\n")) == (2, "", 1)
    assert errors.startswith("error: ")
    assert errors.endswith(f"; see `tessera {name} --help`\n")
    if name in INPUTS:
        for file in ("no-such.txt", "bad.json"):
            status, out, errors = call([name, *INPUTS[name], file])
            if (name, file) == ("formats", "bad.json"):  # reads UTF-16
                continue
            assert (status, out, errors.count("\n")) == (1, "", 1)
            assert errors.startswith("error: ")
            assert file in errors
    if name in {"count", "prompt"}:
        assert call([name, "long.txt", "--max-tokens", "1"])[0] == 3

    def interrupted(_arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(f"playground.shell.{name.replace('-', '_')}.run.callback", interrupted)
    one = ["long.txt"]
    words = {"completion": ["bash"], "cut": ["--max-tokens", "5"], "export": ["tokens"]}
    words |= {"prompt": one, "verify": one, "lock": one, "difference": one * 2}
    assert call([name, *words.get(name, [])]) == (130, "", "note: stopped\n")


def test_a_file_name_that_is_not_utf8_is_printed_unchanged(tmp_path):
    path = os.fsencode(tmp_path) + b"/na\xefve.txt"
    Path(os.fsdecode(path)).write_text("abc")
    done = run("count", path, "--tokenizer", "utf8_bytes")
    assert (done.returncode, done.stderr) == (0, b"")
    assert path in done.stdout
    done = run("count", path + b"?", "--tokenizer", "utf8_bytes")
    assert path + b"?: No such file" in done.stderr


def test_an_output_that_cannot_be_written_is_refused_before_the_work(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "playground.shell.train._learn", lambda *_arguments, **_options: pytest.fail("worked")
    )
    (tmp_path / "folder.model").mkdir()
    status, _, errors = call(["train", "--out", str(tmp_path / "folder.model")])
    assert (status, "it is a folder" in errors) == (1, True)
    monkeypatch.setattr("os.access", lambda *_arguments: False)
    status, _, errors = call(["train", "--out", str(tmp_path / "my.model")])
    assert (status, "permission denied" in errors) == (1, True)


def test_nothing_stays_of_a_file_for_which_the_disk_has_no_room(tmp_path, monkeypatch):
    def write_half(path, raw):
        with path.open("wb") as file:
            file.write(raw[: len(raw) // 2])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", write_half)
    out = tmp_path / "gpt2.tiktoken"
    status, _, errors = call(["convert", "--tokenizer", "gpt2", "--out", str(out)])
    assert (status, errors) == (1, f"error: cannot write {out}: No space left on device\n")
    assert not out.exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize(
    ("number", "words", "message"),
    [
        (signal.SIGTERM, ["count"], "stopped"),
        (signal.SIGINT, ["train", "--json"], "stopped; nothing was written"),
        (
            signal.SIGINT,
            ["encode", "--tokenizer", "gpt2", "--out", "ids.bin"],
            "stopped; the same command continues from here, and ids.bin is written when it ends",
        ),
    ],
)
def test_a_stopped_command_says_so_and_ends_with_130(number, words, message, tmp_path):
    os.mkfifo(tmp_path / "endless")
    command = [sys.executable, "-m", "playground", *words, "endless"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        command,
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=hear_ctrl_c,
    )
    with process:
        with open(tmp_path / "endless", "wb"):  # once it reads
            process.send_signal(number)
        out, errors = process.communicate(timeout=60)
    assert (process.returncode, out, errors.decode()) == (130, b"", f"note: {message}\n")


def hear_ctrl_c() -> None:
    """Restore the handler: background jobs of a shell and their children ignore Ctrl+C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


HOSTILE = st.one_of(
    st.sampled_from(["", "-", "--", "0", "-1", "1e9", "9" * 30, "9" * 5_000, "nan", "gpt2", "gpt-4", "none"]),
    st.sampled_from(
        [
            "(",
            "(a+)+$",
            r"\p{L}+",
            "<|x|>",
            str(Path(__file__).parent),
            "/dev/null",
            "x.model/y.json",
            "\udcff",
        ]
    ),
    st.text(st.characters(exclude_characters="\0./~"), max_size=8),  # no paths, which may be large folders
)
OPTIONS = {
    "count": ["--tokenizer", "--models", "--pattern", "--allow-special", "--json"],
    "encode": ["--tokenizer", "--allow-special", "--json"],
    "decode": ["--tokenizer", "--json"],
    "health": ["--tokenizer", "--pattern", "--json"],
    "compare": ["--tokenizer", "--pattern", "--json"],
    "convert": ["--tokenizer", "--pattern", "--python"],
    "chat": ["--tokenizer", "--pattern", "--no-answer", "--variables", "--text", "--json"],
    "formats": ["--tokenizer", "--from", "--indent", "--sort-keys", "--ascii", "--minify", "--json"],
    "models": ["--models", "--json"],
    "cut": ["--tokenizer", "--tokens", "--by", "--keep", "--overlap"],
    "prompt": ["--tokenizer", "--model", "--order", "--style", "--no-gitignore"],
    "doctor": ["--models", "--json"],
    "check": ["--against", "--models", "--json"],
    "difference": ["--pattern", "--json"],
    "completion": [],
    "verify": [],
    "xray": ["--tokenizer", "--template", "--check", "--json"],
    "train": ["--vocab-size", "--pattern", "--ties", "--min-count", "--special", "--json"],
}
#: Servers, a report of minutes, a download, and files in this folder.
NOT_CALLED = {"serve", "mcp", "report", "get-model", "export", "lock"}


@st.composite
def calls(draw):
    name = draw(st.sampled_from(sorted(OPTIONS)))
    quick = {"train": ["--vocab-size", "300"], "health": ["--tokenizer", "utf8_bytes"]}
    words = [name, *quick.get(name, [])]
    for _ in range(draw(st.integers(0, 3)) if OPTIONS[name] else 0):
        words.append(draw(st.sampled_from(OPTIONS[name])))
        if draw(st.booleans()):
            words.append(draw(HOSTILE))
    if draw(st.booleans()):
        words.append(draw(HOSTILE))
    return words


def test_every_command_is_called_with_hostile_arguments():
    assert set(COMMANDS) == set(OPTIONS) | NOT_CALLED


@settings(max_examples=15)
@example(["chat", "\udd00"], b"")
@given(calls(), st.binary(max_size=30))
def test_no_arguments_end_in_a_traceback(words, data):
    status, out, errors = call(words, data)
    assert status in (0, 1, 2)
    if status == 1:
        assert all(line.startswith(("error: ", "note: ")) for line in errors.splitlines())
        assert "error: " in errors
    if status == 0 and "--json" in words and words[0] != "train":
        json.loads(out)
