"""`train` in the shell: from files or standard input to files that other tools load."""

import io
import json
import subprocess
import sys

import pytest
from tokenizers import Tokenizer

from playground.bpe import lecture
from playground.bpe.files import read_model
from playground.bpe.split_pattern import SplitPattern
from playground.shell.main import main


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_text("the cat sat on the mat, the cat that sat there\n" * 20)
    return path


def test_every_format_in_one_go(corpus, tmp_path, capsys):
    outs = [tmp_path / name for name in ("my.model", "my.tiktoken", "my.json")]
    arguments = [argument for out in outs for argument in ("--out", str(out))]
    assert main(["train", str(corpus), "--vocab-size", "270", *arguments]) == 0
    assert "14 merges, 270 tokens" in capsys.readouterr().out
    pattern = SplitPattern.named("cl100k")
    models = [read_model({out.name: out.read_bytes()}, pattern) for out in outs]
    assert models[0].merges == models[1].merges == models[2].merges
    assert Tokenizer.from_file(str(outs[2])).get_vocab_size() == 270


def test_events_are_the_lectures_merges(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"aaabdaaabac")))
    assert main(["train", "-", "--pattern", "none", "--vocab-size", "259", "--json"]) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    learned = {(event["left"], event["right"]): event["new_id"] for event in events}
    assert learned == lecture.train([b"aaabdaaabac"], 3)
    assert events[-1]["raw"] == b"aaab".hex()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--vocab-size", "100"], "257"),
        (["--pattern", "("], "does not compile"),
        (["--out", "my.txt"], ".tiktoken"),
        (["--out", "no-such-folder/my.model"], "no folder"),
    ],
)
def test_bad_wishes_say_what_is_valid(arguments, message, corpus, capsys):
    assert main(["train", str(corpus), *arguments]) == 1
    assert message in capsys.readouterr().err


def test_a_missing_and_a_binary_file_are_named(tmp_path, capsys):
    assert main(["train", str(tmp_path / "none.txt")]) == 1
    assert "none.txt" in capsys.readouterr().err
    (tmp_path / "x.bin").write_bytes(b"ab\xff")
    assert main(["train", str(tmp_path / "x.bin")]) == 1
    assert "x.bin is not UTF-8 text: byte 0xFF at position 2" in capsys.readouterr().err


def test_ctrl_c_keeps_what_was_learned(corpus, tmp_path, monkeypatch, capsys):
    from playground.bpe.train import Trainer

    advance = Trainer.advance

    def interrupted(self, n_merges=None):
        if self.n_merges >= 5:
            raise KeyboardInterrupt
        return advance(self, 5)

    monkeypatch.setattr(Trainer, "advance", interrupted)
    out = tmp_path / "my.model"
    assert main(["train", str(corpus), "--out", str(out)]) == 130
    assert len(read_model({"my.model": out.read_bytes()}, SplitPattern.named("cl100k")).merges) == 5
    assert "5 merges, 261 tokens: interrupted" in capsys.readouterr().out


def test_other_commands_do_not_wait_for_numba():
    code = "import playground.shell.main, sys; print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
