"""Training runs: what a worker process learns of a corpus, and what the server keeps of it."""

import csv
import io
from itertools import pairwise

import numpy as np
import pytest

from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.registry import get_tokenizer
from playground.catalog.trained import TrainedTokenizer
from playground.core.errors import InvalidInputError
from playground.training import corpora, utf8_files
from playground.training.algorithms.registry import get_algorithm
from playground.training.corpora import BUNDLED, Corpus, novel, split_held_out, udhr
from playground.training.curve import curve_csv, curve_points
from playground.training.learned_tokens import learned_tokens
from playground.training.run import REFERENCES, RunSettings, Status, TrainingRun, learning
from playground.training.run.events import Changes
from playground.training.utf8_files import Utf8Rows, Utf8Text
from playground.workers.progress import listening
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
    monkeypatch.setattr(corpora, "PIECE_CHARACTERS", n_piece)
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


def test_a_run_learns_in_chunks_what_the_algorithm_learns_alone():
    settings = RunSettings(vocab_size=300, held_out_share=0.2)
    run = finished(udhr({"English": 1}), vocab_size=300, held_out_share=0.2)
    texts, _prepared = learning.count(udhr({"English": 1}), settings)
    alone = get_algorithm("bpe").start(texts, 300, {})
    alone.advance()
    assert run.status is Status.FINISHED
    assert run.changes() == alone.changes()
    assert run.curve().tolist() == alone.curve().tolist()
    assert run.token_bytes() == list(alone.token_bytes())
    text = run.held_out_texts[0]
    assert run.tokenizer("x").encode(text) == alone.tokenizer("x").encode(text)
    assert set(run.references) == set(REFERENCES)


def test_chunks_follow_each_other_without_a_gap_and_have_the_candidates_of_the_first_steps():
    texts, _prepared = learning.count(udhr({"English": 1}), RunSettings())
    learner, alone = (get_algorithm("bpe").start(texts, 900, {}) for _ in range(2))
    chunks = list(learning.iter_chunks(learner, lambda: False, chunk_seconds=0))
    assert len(chunks) > 10
    states = np.concatenate([chunk.states for chunk in chunks])
    assert states.tolist() == learner.curve().tolist()
    assert Changes.joined(chunk.changes for chunk in chunks).steps.tolist() == list(range(learner.n_steps))
    candidates = dict(each for chunk in chunks for each in chunk.candidates)
    assert set(range(257)) <= set(candidates)
    for step in (0, 5, learner.n_steps):
        alone.advance(step - alone.n_steps)
        assert candidates[step] == alone.candidates(8)


def test_a_run_that_is_over_early_keeps_what_it_learned():
    texts, _prepared = learning.count(DOGS, RunSettings())
    learner = get_algorithm("bpe").start(texts, 2_000, {"min_count": 1})
    chunks = list(learning.iter_chunks(learner, lambda: learner.n_steps >= 3, chunk_seconds=0))
    assert 3 <= learner.n_steps < 6
    assert sum(len(chunk.states) for chunk in chunks) == learner.n_steps + 1


def test_stop_keeps_what_a_run_has_learned_and_close_ends_it_at_once():
    stopped = TrainingRun(
        novel(), RunSettings(vocab_size=200_000, min_count=1, pattern=SplitPattern.named("none"))
    )
    wait_until(lambda: stopped.n_steps)
    stopped.stop()
    stopped.wait()
    assert stopped.status is Status.STOPPED
    assert 0 < stopped.n_steps < 199_744
    assert len(stopped.tokenizer("kept").vocabulary) == 256 + stopped.n_steps
    closed = TrainingRun(novel(), RunSettings(vocab_size=200_000))
    closed.close()
    closed.wait()
    assert (closed.status, closed.learned, closed.error) == (Status.STOPPED, None, "")


def test_a_run_ends_with_what_it_learned_when_its_time_is_used_up(monkeypatch):
    monkeypatch.setattr(learning, "MAX_SECONDS", 0.0)
    with listening(lambda _said: None):
        learned = learning.learn(DOGS, RunSettings(), None, "no such file")
    assert learned.is_stopped
    assert "train in a shell" in learned.stop_reason


def test_counting_reports_the_share_done(monkeypatch):
    monkeypatch.setattr(corpora, "PIECE_CHARACTERS", 10_000)
    said: list[object] = []
    with listening(said.append):
        learning.count(DOGS, RunSettings())
    assert said == sorted(said)  # type: ignore[type-var]
    assert said[0] == 0.0
    assert len(said) > 5


def test_a_long_text_is_kept_in_part_and_a_longer_one_is_refused_without_a_fast_scanner():
    run = finished(
        corpus=Corpus("long", ("it is a truth universally acknowledged\n" * 50_000,)), vocab_size=270
    )
    assert run.n_bytes + run.n_held_out_bytes == 50_000 * 39
    assert sum(map(len, run.training_texts)) == 1_000_000
    refused = finished(corpus=Corpus("long", ("a b\n" * 6_000_000,)), pattern=SplitPattern.named("none"))
    assert refused.status is Status.FAILED
    assert "24,000,000 characters" in refused.error


def test_a_base_of_the_catalog_and_one_of_the_visitors_reach_the_process():
    own = TrainedTokenizer("own", BpeModel(SplitPattern.named("gpt2"), ((104, 101, 256),)))
    for base in (get_tokenizer("gpt2"), own):
        run = finished(udhr({"Korean": 1}), algorithm="continue", vocab_size=260, base=base)
        assert (run.status, run.n_steps) == (Status.FINISHED, 4)


def test_impossible_settings_are_refused_with_the_reason():
    run = finished(special_tokens=("a\nb",))
    assert run.status is Status.FAILED
    assert "special token" in run.error
    nothing = finished(corpus=Corpus("none", ("",)))
    assert nothing.learned is not None
    assert nothing.learned.stop_reason.startswith("no pair is left")


def test_every_point_of_the_curve_is_measured():
    run = finished(vocab_size=290, min_count=1)
    points = curve_points(run)
    assert [point.n_merges for point in points] == list(range(run.n_steps + 1))
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
    assert [int(row["step"]) for row in rows] == list(range(run.n_steps + 1))
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
