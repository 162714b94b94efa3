"""`train`: from files or standard input to tokenizer files that other libraries load."""

import io
import json
import signal
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
import regex
from tokenizers import Tokenizer

from playground.bpe import lecture
from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern, iter_pretokens
from playground.catalog.registry import get_tokenizer
from playground.catalog.trained import TrainedTokenizer
from playground.files.registry import read_model
from playground.shell.main import main
from playground.training.algorithms.bpe import BpeLearner
from playground.training.algorithms.learner import TrainingTexts
from playground.training.algorithms.registry import get_algorithm
from playground.training.corpora import Corpus, udhr_languages
from playground.training.merges import TIE_RULES
from playground.training.pretoken_counts import count_pretokens
from tests.shell.test_endings import hear_ctrl_c

NOVEL = Path(__file__).resolve().parents[2] / "assets/texts/pride_and_prejudice.txt"
MODULE = [sys.executable, "-m", "playground", "train"]


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_text("the cat sat on the mat, the cat that sat there\n" * 20)
    return path


def test_an_empty_corpus_is_refused(tmp_path, capsys):
    (tmp_path / "empty.txt").touch()
    out = tmp_path / "my.json"
    assert main(["train", str(tmp_path / "empty.txt"), "--vocab-size", "300", "--out", str(out)]) == 1
    assert "there is no text to train on: all input is empty" in capsys.readouterr().err
    assert not out.exists()


def test_events_equal_the_merges_of_the_lectures_code(capsys, monkeypatch):
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
        (["--min-count", "0"], "choose 1 or more"),
        (["--out", "."], ".tiktoken"),
        (["--pattern", "("], "does not compile"),
        (["--held-out", "0.9"], "0.9"),
        (["--pattern", "words"], "unknown split pattern 'words'; choose from none, gpt2, "),
        (["--out", "no-such-folder/my.model"], "no folder"),
    ],
)
def test_invalid_options_are_refused_with_what_is_valid(arguments, message, corpus, capsys):
    assert main(["train", str(corpus), *arguments]) == 1
    assert message in capsys.readouterr().err


def test_a_missing_and_a_binary_file_are_named(tmp_path, capsys):
    assert main(["train", str(tmp_path / "none.txt")]) == 1
    assert "none.txt" in capsys.readouterr().err
    (tmp_path / "x.bin").write_bytes(b"ab\xff")
    assert main(["train", str(tmp_path / "x.bin")]) == 1
    assert "x.bin: not UTF-8: byte 2 (0xff) cannot be read" in capsys.readouterr().err


def test_ctrl_c_writes_the_merges_learned_so_far(tmp_path):
    out = tmp_path / "my.model"
    wishes = ["--pattern", "none", "--vocab-size", "500000", "--json", "--out", str(out)]
    with subprocess.Popen(
        [*MODULE, str(NOVEL), *wishes], stdout=subprocess.PIPE, text=True, preexec_fn=hear_ctrl_c
    ) as process:
        assert process.stdout is not None
        for _ in range(200):
            assert json.loads(process.stdout.readline())["new_id"]
        process.send_signal(signal.SIGINT)
        n_events = 200 + len(process.stdout.readlines())
        assert process.wait(30) == 130
    merges = read_model({"my.model": out.read_bytes()}, SplitPattern.named("none")).merges
    assert 200 <= n_events <= len(merges) < 450_000


def test_every_pattern_and_tie_rule_can_be_chosen(corpus, tmp_path):
    for pattern in ("none", "gpt2", r"\w+|\W+"):
        for ties in TIE_RULES:
            out = tmp_path / "x.model"
            wishes = ["--pattern", pattern, "--ties", ties, "--vocab-size", "262", "--out", str(out)]
            assert main(["train", str(corpus), *wishes]) == 0
            pretokens = count_pretokens([corpus.read_text()], SplitPattern.parse(pattern))
            trainer = BpeLearner(pretokens, vocab_size=262, ties=ties)
            trainer.advance()
            written = read_model({"x.model": out.read_bytes()}, SplitPattern.named("none"))
            assert written.merges == tuple(map(tuple, trainer.columns()[:, :3].tolist()))
            assert written.pattern.expression == SplitPattern.parse(pattern).expression


@pytest.mark.parametrize(("name", "tokenizer"), [("gpt-4o", "o200k_base"), ("qwen3", "qwen3")])
def test_a_tokenizers_name_chooses_its_pattern(name, tokenizer, corpus, tmp_path):
    out = tmp_path / "x.model"
    wishes = ["--pattern", name, "--vocab-size", "262", "--out", str(out)]
    assert main(["train", str(corpus), *wishes]) == 0
    written = read_model({"x.model": out.read_bytes()}, SplitPattern.named("none"))
    parts = [part.text for part in get_tokenizer(tokenizer).iter_pretokens("I'll be 1234 \n ok")]
    assert [piece for piece, _ in iter_pretokens("I'll be 1234 \n ok", written.pattern)] == parts


def test_each_written_file_is_verified_in_its_library(corpus, tmp_path, capsys):
    outs = [tmp_path / name for name in ("my.model", "my.tiktoken", "my.json", "my.vocab.bpe")]
    arguments = [argument for out in outs for argument in ("--out", str(out))]
    assert main(["train", str(corpus), "--vocab-size", "270", "--special", "<|end|>", *arguments]) == 0
    lines = capsys.readouterr().out.splitlines()
    for out, library in zip(outs, ("minbpe", "tiktoken", "tokenizers", "tokenizers"), strict=True):
        assert any(line.startswith(f"{out}: Equal in {library}") and " ids." in line for line in lines)


@pytest.mark.parametrize(
    ("wishes", "message"),
    [
        (["--pattern", r"\p{L}+", "--out", "{}.tiktoken"], "my.tiktoken: tiktoken 0.14.0 leaves out text"),
        (["--special", ""], "special token ''"),
        (
            ["--special", "a b", "--out", "{}.model"],
            "my.model: a .model file cannot hold the special token 'a b'",
        ),
    ],
)
def test_a_format_that_cannot_store_the_model_is_refused_before_the_work(
    wishes, message, corpus, tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr("playground.shell.train.read_corpus", None)
    assert main(["train", str(corpus), *[wish.replace("{}", str(tmp_path / "my")) for wish in wishes]]) == 1
    assert message in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["corpus.txt"]


def test_a_format_that_fails_after_the_work_does_not_affect_other_files(corpus, tmp_path, capsys):
    outs = [str(tmp_path / name) for name in ("my.json", "my.model")]
    wishes = ["--vocab-size", "270", "--special", "at", "--out", outs[0], "--out", outs[1]]
    assert main(["train", str(corpus), *wishes]) == 1
    captured = capsys.readouterr()
    assert "my.json: this format spells the special token 'at' as it spells token 256" in captured.err
    assert f"{outs[1]}: Equal in minbpe" in captured.out
    assert not (tmp_path / "my.json").exists()
    assert (tmp_path / "my.model").exists()


def test_a_run_that_writes_nothing_is_noted_before_the_work(corpus, tmp_path, capsys, monkeypatch):
    note = "note: nothing will be written; add --out FILE, such as --out my.json\n"
    kept = str(tmp_path / "counts.parquet")
    for wishes in (["--json"], ["--keep-counts", kept], ["--out", str(tmp_path / "my.json")]):
        assert main(["train", str(corpus), "--vocab-size", "257", *wishes]) == 0
        assert capsys.readouterr().err == ""

    def stop(_arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("playground.shell.train.read_corpus", stop)
    assert main(["train", str(corpus), "--vocab-size", "257"]) == 130
    assert capsys.readouterr().err == f"{note}note: stopped; nothing was written\n"


@pytest.mark.parametrize(
    ("wishes", "notes"),
    [
        (["--pattern", "cl100k_base"], ["{} has no split pattern: open it with --pattern cl100k"]),
        (["--pattern", "gpt2"], ["{} has no split pattern: open it with --pattern gpt2"]),
        (
            ["--special", "<a>", "--special", "<b>", "--pattern", r"\w+|\W+"],
            [
                "{} has no special tokens; its format can't store <a>, <b>",
                "{} has no split pattern: open it with --pattern '\\w+|\\W+'",
            ],
        ),
    ],
)
def test_notes_name_what_a_file_of_ranks_cannot_store(wishes, notes, corpus, tmp_path, capsys):
    outs = [str(tmp_path / name) for name in ("my.tiktoken", "my.model")]
    out = ["--out", outs[0], "--out", outs[1]]
    assert main(["train", str(corpus), "--vocab-size", "260", *wishes, *out]) == 0
    assert capsys.readouterr().err.splitlines() == [f"note: {note.format(outs[0])}" for note in notes]


def test_the_tokens_of_a_held_out_share_are_printed(tmp_path, capsys):
    out = tmp_path / "my.tiktoken"
    wishes = ["--vocab-size", "600", "--held-out", "0.1", "--pattern", "gpt2", "--out", str(out)]
    assert main(["train", str(NOVEL), *wishes]) == 0
    learned, held_out = regex.findall(r"([\d,]+) bytes became ([\d,]+) tokens", capsys.readouterr().out)
    n_learned, n_held_out = (int(found[0].replace(",", "")) for found in (learned, held_out))
    assert n_learned + n_held_out == NOVEL.stat().st_size
    assert 0.08 < n_held_out / NOVEL.stat().st_size < 0.12
    model = read_model({out.name: out.read_bytes()}, SplitPattern.named("gpt2"))
    whole = len(TrainedTokenizer("whole", model).encode(NOVEL.read_text(encoding="utf-8")))
    assert whole == sum(int(n.replace(",", "")) for _, n in (learned, held_out))


def test_each_event_has_the_tokens_of_a_held_out_file(corpus, tmp_path, capsys):
    other = tmp_path / "other.txt"
    other.write_text("the hat that sat on the cat\n")
    assert main(["train", str(corpus), "--vocab-size", "264", "--json", "--held-out", str(other)]) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    alone = ["train", str(corpus), "--vocab-size", "264", "--json"]
    assert main(alone) == 0
    without = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [event | {"n_held_out_tokens": 0} for event in events] == without
    left = [other.stat().st_size, *(event["n_held_out_tokens"] for event in events)]
    assert all(before >= after for before, after in pairwise(left))
    pattern = SplitPattern.named("cl100k")
    model = BpeModel(pattern, tuple((e["left"], e["right"], e["new_id"]) for e in events))
    assert len(TrainedTokenizer("x", model).encode(other.read_text())) == left[-1] < left[0]


def test_a_held_out_file_is_not_trained_on(corpus, tmp_path, capsys):
    (tmp_path / "other.txt").write_text("the hat that sat on the cat\n")
    held_out = f"{tmp_path}/../{tmp_path.name}/other.txt"
    wishes = ["--vocab-size", "260"]
    assert main(["train", str(tmp_path), *wishes, "--held-out", held_out]) == 0
    said = capsys.readouterr()
    assert f"{corpus.stat().st_size:,} bytes became" in said.out.splitlines()[1]
    assert "other.txt: 1 file of 2 not used for training" in said.err
    assert main(["train", str(corpus), *wishes, "--held-out", str(tmp_path)]) == 1
    assert "no other file is left to train on" in capsys.readouterr().err


def test_a_missing_held_out_file_is_named_before_the_work(tmp_path, capsys, monkeypatch):
    (tmp_path / "a.txt").write_text("one two")
    monkeypatch.setattr("playground.shell.training_corpus.count_with_held_out", None)
    assert main(["train", str(tmp_path), "--held-out", "missing.txt", "--out", str(tmp_path / "o.json")]) == 1
    assert capsys.readouterr().err == "error: --held-out missing.txt: No such file or directory\n"


def test_saved_counts_give_the_same_training(corpus, tmp_path, capsys):
    kept = str(tmp_path / "counts.parquet")
    other = tmp_path / "other.txt"
    other.write_text("that mat\n")
    wishes = ["--vocab-size", "300", "--json", "--min-count", "30"]
    assert main(["train", str(corpus), *wishes, "--held-out", str(other), "--keep-counts", kept]) == 0
    events = capsys.readouterr().out
    last = json.loads(events.splitlines()[-1])
    assert last["pair_count"] >= 30
    assert last["new_id"] < 299
    assert main(["train", kept, *wishes, "--held-out", str(other)]) == 0
    assert capsys.readouterr().out == events
    assert main(["train", str(other), "--vocab-size", "258", "--held-out", kept]) == 0
    assert f"held out: {corpus.stat().st_size:,} bytes became" in capsys.readouterr().out
    assert main(["train", kept, "--held-out", "0.1"]) == 1
    assert "no share of saved counts can be held out" in capsys.readouterr().err


def test_continue_and_prune_write_proven_files_and_list_their_tokens(corpus, tmp_path, capsys):
    base, more, less = (str(tmp_path / name) for name in ("base.json", "more.json", "less.tiktoken"))
    assert main(["train", str(corpus), "--vocab-size", "262", "--out", base]) == 0
    start = ["train", str(corpus), "--base", base]
    assert main([*start, "--algorithm", "continue", "--new-tokens", "5", "--out", more]) == 0
    said = capsys.readouterr().out
    assert "5 tokens added to base\n" in said
    assert "more.json: Equal in tokenizers" in said
    assert main([*start, "--algorithm", "continue", "--new-tokens", "5", "--json"]) == 0
    added = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    opened = read_model({"more.json": Path(more).read_bytes()}, SplitPattern.named("gpt2"))
    assert [(each["left"], each["right"], each["id"]) for each in added] == list(opened.merges[6:])
    learned = len(added) + 6
    assert main(["train", str(corpus), "--base", "gpt2", "--algorithm", "prune", "--out", less]) == 0
    said = capsys.readouterr().out
    assert "less.tiktoken: Equal in tiktoken" in said
    assert len(Path(less).read_text().splitlines()) < 300
    assert learned == len(opened.merges)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--algorithm", "continue"], "name it: --base cl100k_base"),
        (["--algorithm", "prune", "--base", "bert_uncased"], "has no merges of bytes; choose byte-level BPE"),
        (["--algorithm", "prune", "--base", "gpt2", "--pattern", "none"], "omit --pattern"),
        (["--algorithm", "prune", "--base", "gpt2", "--special", "<x>"], "omit --special"),
        (["--algorithm", "prune", "--base", "gpt2", "--vocab-size", "300"], "omit --vocab-size"),
        (["--base", "gpt2"], "--base is for --algorithm continue and prune; omit it"),
    ],
)
def test_what_continue_and_prune_cannot_do_is_refused(corpus, arguments, message, capsys):
    assert main(["train", str(corpus), *arguments]) == 1
    assert message in capsys.readouterr().err


def test_unigram_and_wordpiece_are_learned_with_their_own_options(corpus, tmp_path, capsys):
    pieces, words = tmp_path / "pieces.json", tmp_path / "words.txt"
    start = ["train", str(corpus), "--vocab-size"]
    assert (
        main([*start, "290", "--algorithm", "unigram", "--option", "shrink=0.8", "--out", str(pieces)]) == 0
    )
    assert Tokenizer.from_file(str(pieces)).encode("the cat").ids
    more = ["--algorithm", "wordpiece", "--out", str(words)]
    assert main([*start, "40", *more, "--option", "min_count=3"]) == 0
    assert words.read_text().startswith("[PAD]")
    for option, message in (
        ("x=1", "choose from score, min_count, lowercase"),
        ("min_count=0", "choose 1 to 1e+06"),
        ("lowercase=maybe", "the value must be true or false"),
        ("score=y", "choose from"),
    ):
        assert main([*start, "40", *more, "--option", option]) == 1
        assert message in capsys.readouterr().err
    for wrong, message in (
        (["--ties", "lowest-pair"], "WordPiece has no --ties; omit it"),
        (["--ids", "kept"], "--ids is for --algorithm prune; omit it"),
        (
            ["--algorithm", "magic"],
            "unknown algorithm 'magic'; choose from bpe, character-bpe, superbpe, parity, ",
        ),
    ):
        assert main([*start, "40", *more, *wrong]) == 1
        assert message in capsys.readouterr().err
    assert main([*start, "40", "--algorithm", "words", "--json"]) == 0
    said = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [each["id"] for each in said] == list(range(len(said)))
    assert main([*start, "290", "--algorithm", "unigram", "--out", str(words)]) == 1
    assert "choose a name that ends in .json" in capsys.readouterr().err


def test_superbpe_and_parity_learn_from_texts_as_on_the_page(tmp_path, capsys):
    languages = udhr_languages()
    files = {"a/one.txt": languages["English"], "a/two.txt": languages["Dutch"], "hi.txt": languages["Hindi"]}
    for name, text in files.items():
        (tmp_path / "texts" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "texts" / name).write_text(text)
    texts, out, held_out = str(tmp_path / "texts"), str(tmp_path / "my.json"), str(tmp_path / "no.txt")
    (tmp_path / "no.txt").write_text("the unseen text")

    def learned(name, corpus):
        pattern = SplitPattern.named("gpt2")
        pretokens = count_pretokens([[text] for text in corpus.texts], pattern)
        learner = get_algorithm(name).start(TrainingTexts(pretokens, None, corpus, pattern), 400, {})
        learner.advance()
        return list(learner.tokenizer("x").encode("the human rights of everyone"))

    start = ["train", texts, "--vocab-size", "400", "--pattern", "gpt2", "--out", out, "--held-out", held_out]
    for name, corpus in (
        ("superbpe", Corpus("", tuple(files.values()))),
        ("parity", Corpus("", ("\n".join([*files.values()][:2]), files["hi.txt"]))),
    ):
        assert main([*start, "--algorithm", name]) == 0
        said = capsys.readouterr().out
        assert "held out: 15 bytes became" in said
        assert Tokenizer.from_file(out).encode("the human rights of everyone").ids == learned(name, corpus)
    assert "bytes per token: hi " in said
    assert main(["train", f"{texts}/a", f"{texts}/hi.txt", "--algorithm", "parity"]) == 0
    assert "bytes per token: a " in capsys.readouterr().out
    for arguments, message in (
        ([f"{texts}/hi.txt", "--algorithm", "parity"], "needs at least two languages, and there is 1"),
        ([texts, "--algorithm", "superbpe", "--engine", "dask"], "Dask can't count in parts; omit --engine"),
        ([texts, "--algorithm", "superbpe", "--option", "transition=0"], "choose 1 to 99"),
    ):
        assert main(["train", *arguments]) == 1
        assert message in capsys.readouterr().err
