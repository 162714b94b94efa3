"""Training runs in their own thread, their corpora, and their states."""

import csv
import io
import threading
import time
from contextlib import nullcontext
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

from playground.bpe.split_pattern import SplitPattern
from playground.core.errors import InvalidInputError, LimitExceededError
from playground.training import corpora, utf8_files
from playground.training.corpora import BUNDLED, Corpus, novel, split_held_out, udhr
from playground.training.curve import curve_csv, curve_points
from playground.training.learned_tokens import learned_tokens
from playground.training.run import RunSettings, Status, Together, TrainingRun, preparation
from playground.training.run.preparation import prepare
from playground.training.utf8_files import Utf8Rows, Utf8Text
from playground.workers import pool
from tests.waiting import wait_until

DOGS = Corpus("dogs", ("A dog. The dog! dog? dog. dog! my dog.\n" * 2000,))


def finished(corpus=DOGS, **settings):
    run = TrainingRun(corpus, RunSettings(**settings))
    run.wait()
    return run


@pytest.mark.parametrize("title", BUNDLED)
def test_bundled_corpora_have_text_that_can_be_held_out(title):
    corpus = BUNDLED[title]()
    training, held_out = split_held_out(corpus, 0.1)
    n_held_out = sum(map(len, held_out))
    assert sum(map(len, map("".join, training))) + n_held_out == corpus.n_characters > 20_000
    assert 0.05 < n_held_out / corpus.n_characters < 0.15


def test_the_novel_is_plain_text_without_a_publishers_words():
    (text,) = novel().texts
    assert text.startswith("PRIDE AND PREJUDICE\n\nBy Jane Austen\n\nChapter 1\n\nIt is a truth universally")
    assert text.endswith("had been the means of uniting them.\n")
    assert text.isascii()
    assert not {"\r", "\t", "_"} & set(text)
    assert "gutenberg" not in text.lower()


def test_a_small_corpus_can_be_held_out_in_part():
    for corpus in (udhr({"English": 1, "Korean": 1}), Corpus("tiny", ("one line\n" * 50,))):
        training, held_out = split_held_out(corpus, 0.1)
        assert 0.05 < sum(map(len, held_out)) / corpus.n_characters < 0.15
        pieces = [piece for text in training for piece in text]
        assert sorted("".join([*pieces, *held_out])) == sorted("".join(corpus.texts))


def test_nothing_is_held_out_of_a_share_of_zero_or_a_single_line():
    assert split_held_out(DOGS, 0)[1] == ()
    assert split_held_out(Corpus("line", ("one line",)), 0.5) == ((("one line",),), ())


def rows_of(texts):
    raws = [text.encode() for text in texts]
    return Utf8Rows(b"".join(raws), np.cumsum([*map(len, raws)]), sum(map(len, texts)))


def test_rows_are_separate_texts_and_held_out_whole():
    rows = ("né", "the cat\nsat", " on", "中") * 50
    corpus = Corpus("rows", ("before",), (rows_of(rows), Utf8Text(b"behind", 6)))
    assert (corpus.n_texts, corpus.n_characters) == (202, 12 + 50 * 17)
    training, held_out = split_held_out(corpus, 0.1)
    assert len(held_out) == 20
    assert sorted(["".join(pieces) for pieces in training] + [*held_out]) == sorted(
        ["before", *rows, "behind"] + [""] * 20
    )


@pytest.mark.parametrize("line", ["ab cd\n", "x" * 700 + "\n", "né\n\n", "x" * 90_000 + "\n"])
@pytest.mark.parametrize("n_piece", [50, 3_000, 1 << 18])
def test_a_file_in_pieces_is_split_like_its_text(line, n_piece, monkeypatch):
    monkeypatch.setattr(corpora, "_PIECE_CHARACTERS", n_piece)
    monkeypatch.setattr(utf8_files, "_PIECE_BYTES", n_piece)
    text = (line + "end ") * (300_000 // len(line)) + "last"
    blocks, start = [], 0
    while start < len(text):
        end = text.find("\n", start + 2_000) + 1 or len(text)
        blocks.append(text[start:end])
        start = end
    due = [int(0.05 + 0.1 * n + 1e-9) for n in range(len(blocks) + 1)]
    is_held_out = [before < after for before, after in pairwise(due)]
    for corpus in (
        Corpus("text", (text,)),
        Corpus("file", files=(Utf8Text(text.encode(), len(text)),)),
    ):
        (kept,), held_out = split_held_out(corpus, 0.1)
        assert held_out == tuple(block for block, out in zip(blocks, is_held_out, strict=True) if out)
        assert "".join(kept) == "".join(
            block for block, out in zip(blocks, is_held_out, strict=True) if not out
        )
        assert max(map(len, kept)) <= n_piece + max(map(len, blocks)), "what is joined at once is bounded"


def test_languages_are_repeated_by_their_weights():
    assert len(udhr({"Korean": 3, "English": 1}).texts) == 4
    with pytest.raises(InvalidInputError, match="Korean"):
        udhr({"Klingon": 1})


def test_a_run_can_be_paused_stepped_resumed_and_stopped():
    run = TrainingRun(DOGS, RunSettings(vocab_size=2000, min_count=1), merges_per_second=20)
    wait_until(lambda: run.n_merges >= 1)
    run.pause()
    wait_until(lambda: run.status is Status.PAUSED)
    held = run.n_merges
    time.sleep(0.15)
    assert run.n_merges == held
    run.step(3)
    assert run.n_merges == held + 3
    assert not run.is_active
    run.merges_per_second = None
    run.resume()
    run.wait()
    assert run.status is Status.FINISHED
    assert "no pair is left" in run.stop_reason
    assert run.seconds > 0


def test_a_run_pauses_at_a_chosen_merge_and_continues():
    run = TrainingRun(udhr({"English": 1}), RunSettings(vocab_size=600), pause_at=100)
    wait_until(lambda: run.status is Status.PAUSED)
    assert run.n_merges == 100
    run.step(10)
    assert (run.n_merges, run.status) == (110, Status.PAUSED)
    run.pause_at = 100  # has passed already: the run doesn't wait
    run.resume()
    run.wait()
    assert (run.n_merges, run.status) == (344, Status.FINISHED)


def test_runs_side_by_side_advance_by_the_same_share_and_pause_together():
    together = Together()
    long, short = runs = [
        TrainingRun(
            udhr({"English": 1}),
            RunSettings(vocab_size=vocab_size),
            pause_at=200,
            starts_paused=True,
            together=together,
        )
        for vocab_size in (656, 296)
    ]
    wait_until(lambda: all(run.is_prepared for run in runs))
    for run in runs:
        run.resume()
    shares = []
    while long.is_active:
        with together.changed:
            shares.append([run.n_merges / run.n_merges_wanted for run in runs])
        time.sleep(0.001)
    assert [run.status for run in runs] == [Status.PAUSED] * 2
    assert long.n_merges == 200
    assert all(abs(share - other) < 0.01 + 1 / 40 + 1 / 400 for share, other in shares)
    assert abs(short.n_merges - 20) <= 1
    assert together.steps_to(100) == {long: 100, short: 30 - short.n_merges}
    for run in runs:
        run.resume()
    for run in runs:
        run.wait()
    assert [run.n_merges for run in runs] == [400, 40]


def test_a_long_text_is_freed_after_counting():
    run = finished(
        corpus=Corpus("long", ("it is a truth universally acknowledged\n" * 150_000,)), vocab_size=270
    )
    assert run.n_bytes + run.n_held_out_bytes == 150_000 * 39
    assert sum(map(len, run.training_texts)) == 1_000_000
    refused = finished(corpus=Corpus("long", ("a b\n" * 6_000_000,)), pattern=SplitPattern.named("none"))
    assert refused.status is Status.FAILED
    assert "24,000,000 characters" in refused.error


class StoppedHalfway(TrainingRun):
    """A run that is stopped when half of its text is counted."""

    def _tell_prepared(self, share):
        if share >= 0.5:
            self.stop()
        super()._tell_prepared(share)


def prepared(corpus, told):
    return prepare(
        [corpus], RunSettings(), at_work=nullcontext(), on_progress=told, stopped=threading.Event()
    )


@pytest.mark.parametrize("where", ["here", "in a process"])
def test_counting_reports_the_share_done(monkeypatch, where):
    monkeypatch.setattr(corpora, "_PIECE_CHARACTERS", 10_000)
    corpus = DOGS
    if where == "in a process":
        monkeypatch.setattr(preparation, "MAX_CHARACTERS_HERE", 0)
        corpus = Corpus("dogs", files=(Utf8Text("".join(DOGS.texts).encode() * 20, DOGS.n_characters * 20),))
    shares: list[float] = []
    prepared(corpus, shares.append)
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)
    assert len(shares) > 5


def test_a_long_text_counted_in_a_process_gives_the_same_merges(monkeypatch):
    corpus = udhr({"Korean": 1, "English": 2, "Thai": 1})
    here = finished(corpus, vocab_size=300, pattern=SplitPattern.named("o200k"))
    wait_until(lambda: len(here.references) == 3)
    for most in ("MAX_CHARACTERS_HERE", "MAX_TEXT_HERE"):
        monkeypatch.setattr(preparation, most, 0)
    asked: list[str] = []

    def run(function, *arguments, **how):
        asked.append(function)
        return pool.run(function, *arguments, **how)

    monkeypatch.setattr(preparation, "pool", SimpleNamespace(run=run))
    there = finished(corpus, vocab_size=300, pattern=SplitPattern.named("o200k"))
    wait_until(lambda: len(there.references) == 3)
    assert there.references == here.references
    counted = "playground.training.run.preparation."
    assert asked[0] == f"{counted}count_here"
    assert asked.count(f"{counted}count_tokens_here") >= 3  # the thread of an earlier run may ask, too
    assert there.merges() == here.merges()
    assert there.training_texts == here.training_texts
    assert there.held_out_texts == here.held_out_texts
    finished(corpus, vocab_size=260, pattern=SplitPattern.typed(r"\w+"))
    assert asked.count(asked[0]) == 1, "a typed pattern has processes of its own"


def test_a_run_counts_a_long_text_itself_if_no_process_is_available(monkeypatch):
    here = finished(DOGS, vocab_size=262)
    monkeypatch.setattr(preparation, "MAX_CHARACTERS_HERE", 0)

    def refuse(function, *arguments, **how):
        raise LimitExceededError("splitting and counting the text gave more than 200 MB", limit="answer")

    monkeypatch.setattr(preparation, "pool", SimpleNamespace(run=refuse))
    run = finished(DOGS, vocab_size=262)
    assert run.merges() == here.merges()
    assert len(run.merges()) == 6


@pytest.mark.parametrize("where", ["here", "in a process"])
def test_a_stop_ends_the_counting(monkeypatch, where):
    monkeypatch.setattr(corpora, "_PIECE_CHARACTERS", 10_000)
    corpus = DOGS
    if where == "in a process":
        monkeypatch.setattr(preparation, "MAX_CHARACTERS_HERE", 0)
        corpus = Corpus("dogs", files=(Utf8Text("".join(DOGS.texts).encode() * 20, DOGS.n_characters * 20),))
    run = StoppedHalfway(corpus, RunSettings())
    run.wait()
    assert (run.status, run.n_pretokens, run.error) == (Status.STOPPED, 0, "")
    assert 0.5 <= run.share_prepared < 1
    assert run.model().merges == ()


def test_a_stopped_run_keeps_what_it_learned_and_ends_its_thread():
    run = TrainingRun(DOGS, RunSettings(vocab_size=2000), merges_per_second=5)
    wait_until(lambda: run.n_merges >= 1)
    run.close()
    run.wait()
    assert not run._thread.is_alive()
    assert run.status is Status.STOPPED
    assert run.tokenizer("kept").encode("dog")


def test_impossible_settings_are_refused_with_the_reason():
    run = finished(special_tokens=("a\nb",))
    assert run.status is Status.FAILED
    assert "special token" in run.error
    assert finished(corpus=Corpus("none", ("",))).stop_reason.startswith("no pair is left")


def test_every_point_of_the_curve_is_measured():
    run = finished(vocab_size=290, min_count=1)
    points = curve_points(run)
    assert [point.n_merges for point in points] == list(range(run.n_merges + 1))
    assert (points[0].training, points[0].held_out) == (1.0, 1.0), "a token for each byte"
    last = run.tokenizer("x")
    n_tokens = sum(len(last.encode(text)) for text in run.training_texts)
    assert points[-1].training == pytest.approx(run.n_bytes / n_tokens)
    held_out_tokens = sum(len(last.encode(text)) for text in run.held_out_texts)
    assert points[-1].held_out == pytest.approx(run.n_held_out_bytes / held_out_tokens)
    assert sum(point.saved for point in points) == run.n_bytes - n_tokens
    rows = list(csv.DictReader(io.StringIO(curve_csv(run))))
    assert [int(row["new_id"]) for row in rows] == [merge.new_id for merge in run.merges()]


def test_the_curve_of_an_algorithm_without_byte_merges_is_saved_with_a_line_for_each_state():
    run = finished(vocab_size=60, algorithm="wordpiece", min_count=1)
    rows = list(csv.DictReader(io.StringIO(curve_csv(run))))
    assert [int(row["step"]) for row in rows] == list(range(run.n_merges + 1))
    assert [int(row["tokens"]) for row in rows] == run.curve()[:, 1].tolist()


def test_tokens_cross_categories_only_without_a_pattern():
    def crossing(pattern):
        run = finished(vocab_size=300, pattern=SplitPattern.named(pattern))
        learned = learned_tokens(run.tokenizer("x"), run.merges(), run.held_out_texts)
        return {token.raw for token in learned.crossing}, learned

    without, learned = crossing("none")
    assert any(b"dog." in raw for raw in without)
    assert crossing("gpt2")[0] == set()
    used = {token_id for text in ("dog.",) for token_id in [*text.encode()]}
    assert not used & {token.id for token in learned.unused}
    assert len(learned.longest[0].raw) >= len(learned.longest[-1].raw)
