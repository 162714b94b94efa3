"""A visitor's runs over HTTP: the buttons, the view that the browser draws, and freed memory."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from playground.bpe.split_pattern import SplitPattern
from playground.catalog.registry import get_tokenizer
from playground.core.errors import LimitExceededError
from playground.server.train.session import MAX_EARLIER_RUNS, TrainSession, progress_of
from playground.training.algorithms.bpe import BpeLearner
from playground.training.algorithms.merge_learner import StopReason
from playground.training.algorithms.registry import ALGORITHMS
from playground.training.corpora import Corpus
from playground.training.film import LOST_TEXT
from playground.training.pretoken_counts import count_pretokens
from playground.training.run import RunSettings, Status
from tests.server.browser_side import post
from tests.waiting import wait_until

CATS = Corpus("Toy: cats", ("the cat sat on the mat, the cat that sat there\n" * 300,))
NONE = SplitPattern.named("none")


@pytest.fixture
def session():
    session = TrainSession()
    session.set_pace("full speed", None)
    yield session
    session.close()


def start(session, corpus=CATS, *, is_paused=False, **settings):
    chosen: dict[str, Any] = {"vocab_size": 280, "pattern": NONE, **settings}
    session.start(corpus, RunSettings(**chosen), is_paused=is_paused)
    wait_until(lambda: session.run.status is not Status.PREPARING)
    return session.run


def look(session, *, sample="training", **choice):
    return post(session, "look", {"seen": "", "sample": sample, **choice}).json()["view"]


def test_a_paused_run_shows_the_text_at_merge_0_and_steps_as_pressed(session):
    run = start(session, is_paused=True)
    view = look(session)
    assert (view["status"], view["film"]["n"], view["share"]) == ("paused", 0, 0.0)
    assert len(view["film"]["tokens"]["start"]) == len(view["film"]["text"].encode())
    for n_merges, n_done in ((1, 1), (10, 11)):
        assert post(session, "step", {"n_merges": n_merges}).status_code == 200
        assert look(session)["film"]["n"] == run.n_merges == n_done
    assert post(session, "resume", {}).status_code == 200
    wait_until(lambda: run.status is Status.FINISHED)
    view = look(session)
    assert view["progress"].startswith("Finished · 24 of 24 merges · ")
    assert (view["film"]["is_over"], view["film"]["last"]) == (True, 24)


def test_the_merge_to_pause_at_can_be_set_and_cleared(session):
    assert post(session, "pace", {"speed": "full speed", "pause_at": 5}).status_code == 200
    run = start(session)
    wait_until(lambda: run.status is Status.PAUSED)
    assert run.n_merges == 5
    view = look(session)
    assert (view["speed"], view["pause_at"]) == ("full speed", 5)
    post(session, "pace", {"speed": "full speed", "pause_at": 9})
    post(session, "pace", {"speed": "full speed", "pause_at": None})
    post(session, "resume", {})
    wait_until(lambda: run.status is Status.FINISHED)
    assert run.n_merges == 24
    assert look(session)["pause_at"] is None


@pytest.mark.parametrize(
    "body", [{"speed": "7", "pause_at": None}, {"speed": "5", "pause_at": 0}, {"speed": "5"}]
)
def test_an_unknown_pace_is_refused(session, body):
    assert post(session, "pace", body).status_code == 400


def test_reset_forgets_what_was_learned_and_waits_at_merge_0_of_the_same_corpus(session):
    first = start(session)
    first.wait()
    post(session, "reset", {})
    wait_until(lambda: session.run.status is Status.PAUSED)
    assert (session.run.n_merges, session.run.settings, session.earlier) == (0, first.settings, {})
    post(session, "resume", {})
    session.run.wait()
    assert session.run.columns().tolist() == first.columns().tolist()


def test_stop_ends_the_run_and_keeps_what_it_has_learned(session):
    run = start(session, is_paused=True)
    post(session, "step", {"n_merges": 3})
    post(session, "stop", {})
    view = look(session)
    assert (view["status"], view["film"]["n"], view["film"]["last"]) == ("stopped", 3, 3)
    assert run.tokenizer("x").vocabulary is not None


def test_only_an_unfinished_run_that_the_visitor_started_would_be_discarded(session):
    assert not session.would_discard
    start(session, is_paused=True)
    assert not session.would_discard, "nobody has started or touched it"
    post(session, "step", {"n_merges": 1})
    assert session.would_discard
    post(session, "stop", {})
    assert not session.would_discard
    start(session, is_paused=True)
    assert session.would_discard


def test_the_browser_gets_a_view_once_for_each_revision(session):
    start(session, is_paused=True)
    wait_until(lambda: not session.run.is_measuring)
    first = post(session, "look", {"seen": "", "sample": "training"}).json()
    body = {"seen": first["revision"], "sample": "training"}
    assert post(session, "look", body).json() == {"revision": first["revision"], "view": None}
    assert not first["view"]["is_changing"], "so it need not ask again"
    assert post(session, "look", {**body, "word": " cat"}).json()["view"]["film"]["word"] == " cat"
    before = first["view"]["result"]
    post(session, "step", {"n_merges": 1})
    assert post(session, "look", body).json()["view"]["result"] != before, "the page's results are old"


def test_the_film_belongs_to_its_run_and_text(session):
    found = []
    for learned, texts in (("abababab", ("ababab", "bcbcab")), ("babcbabc", ("bcbcab", "ababab"))):
        run = start(session, Corpus(learned, (learned,)), vocab_size=258, min_count=1, held_out_share=0)
        run.wait()
        for text in texts:
            film = look(session, sample="own", own_text=text)["film"]
            tokens = film["tokens"]
            columns = zip(tokens["start"], tokens["id"], tokens["gone"], strict=True)
            ids = sorted((start, token_id) for start, token_id, gone in columns if gone < 0)
            assert [token_id for _, token_id in ids] == list(run.tokenizer("x").encode(text))
            found.append(tuple(ids))
    assert len(set(found)) == 4


def test_pairs_and_merges_equal_the_trainers(session):
    start(session, is_paused=True, held_out_share=0)
    post(session, "step", {"n_merges": 7})
    film = look(session)["film"]
    trainer = BpeLearner(count_pretokens(CATS.texts, NONE), vocab_size=280, min_count=2)
    trainer.advance(7)
    rows = [[*parts, made, n] for _step, _kind, made, parts, n, *_ in film["changes"]]
    assert rows == trainer.columns()[:, :4].tolist()
    assert [row[:3] for row in film["candidates"]] == [
        [pair.left, pair.right, pair.count] for pair in trainer.candidates(8)
    ]


@pytest.mark.parametrize("name", [*ALGORITHMS])
def test_the_film_of_each_algorithm_ends_with_what_its_tokenizer_does(session, name):
    text = "the cat that sat there, unseen"
    corpus = Corpus("cats", (CATS.texts[0], "cat the sat cat the\n" * 20))  # parity needs two languages
    base = get_tokenizer("gpt2") if ALGORITHMS[name].needs_base else None
    chosen = {"pattern": SplitPattern.named("gpt2"), "algorithm": name, "base": base}
    run = start(session, corpus, vocab_size=330, **chosen)
    run.wait()
    assert run.status is Status.FINISHED, run.error
    film = look(session, sample="own", own_text=text)["film"]
    tokens = film["tokens"]
    ends = zip(tokens["end"], tokens["gone"], tokens["id"], strict=True)
    n_shown = sum(gone < 0 and token_id != LOST_TEXT for _end, gone, token_id in ends)
    assert n_shown == len(run.tokenizer("x").encode(text))
    assert film["curve"]["name"] == ALGORITHMS[name].title
    assert film["curve"]["vocabulary"] == run.curve()[film["curve"]["merges"], 0].tolist()
    assert {change[0] for change in film["changes"]} <= set(range(1, run.n_merges + 1))


def test_a_label_of_a_token_of_thousands_of_letters_is_short(session):
    run = start(session, Corpus("a", ("a" * 5_000 + "\n" + "a" * 5_000,)), min_count=1, held_out_share=0)
    run.wait()
    labels = look(session)["film"]["labels"].values()
    assert max(map(len, labels)) < 90
    assert any("bytes)" in label for label in labels)


@pytest.mark.parametrize("share", [0, 0.1])
def test_a_run_with_held_out_text_shows_the_text_and_its_curve(session, share):
    start(session, held_out_share=share).wait()
    film = look(session, sample="held_out")["film"]
    assert ("held_out" in film["samples"]) == bool(share)
    assert film["sample"] == ("held_out" if share else "training")
    assert (film["curve"]["held_out"] is not None) == bool(share)
    assert len(film["curve"]["training"]) == len(film["curve"]["merges"]) == 25


def test_without_a_run_the_view_says_how_to_start_one(session):
    view = look(session)
    assert (view["status"], view["film"]) == ("", None)
    assert "press Start" in view["notes"][0]["text"]


def test_a_text_that_a_typed_pattern_takes_too_long_for_is_an_error_in_the_view(session, monkeypatch):
    run = start(session, is_paused=True)

    def refuse(*_given):
        raise LimitExceededError("the pattern takes too long", limit="time")

    monkeypatch.setattr("playground.training.algorithms.merge_learner.FollowingFilm", refuse)
    view = look(session)
    assert (view["film"], run.status) == (None, Status.PAUSED)
    assert view["notes"][-1] == {"kind": "error", "text": "the pattern takes too long"}


RUN = {
    "n_merges": 3, "n_merges_wanted": 3, "status": Status.FINISHED, "error": "", "seconds": 1.0,
    "stage": "Counting", "seconds_left": None, "n_pretokens": 1, "n_bytes": 100, "n_unmatched_bytes": 0,
    "share_prepared": 0.0, "stop_reason": StopReason.NO_PAIR.value, "is_prepared": True, "pace": 0.0,
    "settings": RunSettings(vocab_size=259),
}  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "share", "line", "notes"),
    [
        ({}, 1.0, "Finished · 3 of 3 merges · 1 s of CPU time · 100 bytes of X in 1 distinct pretoken", []),
        ({"n_merges": 1, "n_merges_wanted": 4}, 1.0, "Finished · 1 of 4 merges", [
            "This text gives 1 merge, so a vocabulary of 257: then no pair is left: every pretoken is one "
            "token. To learn more, choose a longer text."]),
        ({"n_merges_wanted": 4, "stop_reason": StopReason.MIN_COUNT.value}, 1.0, "Finished",
         ["To learn more, choose a longer text, or a lower minimum count."]),
        ({"n_unmatched_bytes": 1}, 1.0, "Finished", ["The split pattern leaves 1 byte unmatched."]),
        ({"status": Status.FAILED, "error": "<b>_no_"}, 0.0, "Failed", ["<b>_no_"]),
        ({"status": Status.RUNNING, "n_merges_wanted": 1000, "seconds_left": 100, "pace": 10}, 0.003,
         "Running · 3 of 1,000 merges · 10 merges per second, 2 min left", []),
        ({"status": Status.PREPARING}, 0.0, "Counting …", []),
        ({"status": Status.PREPARING, "share_prepared": 0.4}, 0.4, "Counting · 40%", []),
        ({"status": Status.STOPPED, "is_prepared": False}, 0.0, "Stopped", ["Nothing was learned."]),
    ],
)  # fmt: skip
def test_progress_has_a_share_a_line_and_notes_on_the_end(changes, share, line, notes):
    run: Any = SimpleNamespace(**RUN | changes)
    run.curve = lambda: np.array([[256 + run.n_merges, 0, 0]])
    found_share, found_line, found_notes = progress_of(run, "X")
    assert found_share == share
    assert line in found_line
    assert len(found_notes) == len(notes)
    assert all(note in found["text"] for note, found in zip(notes, found_notes, strict=True))


def test_earlier_runs_are_kept_up_to_a_limit_with_the_size_that_they_reached(session):
    for _ in range(MAX_EARLIER_RUNS + 3):
        start(session, Corpus("Toy: a b", ("ab ab abab\n" * 50,)), vocab_size=1256).wait()
    n_learned = 256 + session.run.n_merges
    assert n_learned < 1256, "no pair was left"
    titles = [f"{n} · BPE · Toy · {n_learned:,} tokens · none" for n in range(3, MAX_EARLIER_RUNS + 4)]
    assert list(session.runs()) == titles


def test_closing_ends_the_run_and_frees_its_texts(session):
    run = start(session, is_paused=True)
    session.close()
    run.wait()
    assert run.status is Status.STOPPED
    assert (session.run, session.earlier, session._corpus) == (None, {}, None)
    session.start(CATS, RunSettings())
    session.reset()
    assert session.run is None
