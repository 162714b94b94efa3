"""A visitor's trainings: what is kept for comparison, and what is let go of."""

import json
import time

from playground.bpe.split_pattern import SplitPattern
from playground.catalog.registry import get_tokenizer
from playground.server.api import answer_encode
from playground.training.corpora import Corpus, novel
from playground.training.run import RunSettings, Status
from playground.ui.train.session import MAX_EARLIER_RUNS, TrainingSession

TOY = Corpus("Toy: a b", ("ab ab abab\n" * 50,))


LONG = RunSettings(vocab_size=500_000, pattern=SplitPattern.named("none"), min_count=1)


def start(session):
    session.start(TOY, RunSettings(), None)
    assert session.run is not None
    session.run.wait()


def test_a_press_that_is_sent_again_begins_one_run():
    session = TrainingSession()
    start(session)
    for _ in range(3):  # the button was drawn once
        session.start(TOY, RunSettings(), None, n_seen=1)
    assert session.n_started == 2
    session.start(TOY, RunSettings(min_count=3), None, n_seen=1)
    assert session.n_started == 3, "another wish is another press"
    session.start(TOY, RunSettings(min_count=3), None, n_seen=3)
    assert session.n_started == 4, "the button was drawn anew"


def test_earlier_runs_are_kept_up_to_a_limit():
    session = TrainingSession()
    for _ in range(MAX_EARLIER_RUNS + 3):
        start(session)
    assert session.run is not None
    n_learned = 256 + session.run.n_merges
    assert n_learned < RunSettings().vocab_size, "no pair was left"
    titles = [f"{n} · Toy · {n_learned} tokens · gpt2" for n in range(3, MAX_EARLIER_RUNS + 4)]
    assert list(session.runs()) == titles
    assert len(session.earlier) == MAX_EARLIER_RUNS


def test_closing_ends_the_run_and_lets_go_of_texts():
    session = TrainingSession(uploaded=(("id",), TOY))
    session.start(TOY, RunSettings(), 1)
    run = session.run
    session.close()
    assert run is not None
    run.wait()
    assert run.status is Status.STOPPED
    assert not run._thread.is_alive()
    assert (session.run, session.uploaded, session.earlier) == (None, None, {})
    session.start(TOY, RunSettings(min_count=3), None)
    assert session.run is None, "another wish, so it is no click that was sent twice"


def test_two_trainings_at_full_speed_do_not_hold_up_a_third_who_types():
    for name in ("gpt2", "cl100k_base", "o200k_base"):
        get_tokenizer(name)  # what loads once is not what is measured
    corpus = Corpus("a novel, many times", novel().texts * 3)
    sessions = [TrainingSession() for _ in range(2)]
    for session in sessions:
        session.start(corpus, LONG, None, pause_at=1)  # else one may end before the other has begun
    runs = [session.run for session in sessions if session.run is not None]
    deadline = time.monotonic() + 60
    while any(run.status is not Status.PAUSED for run in runs):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    body = json.dumps({"text": "key " * 40, "encoding": "gpt2"}).encode()
    n_answers = 0
    wanted = [run.n_merges + 10 for run in runs]
    for run in runs:
        run.resume()
    while any(run.n_merges < n for run, n in zip(runs, wanted, strict=True)):
        answer_encode(body)
        n_answers += 1
        assert time.monotonic() < deadline
    statuses = [run.status for run in runs]
    for session in sessions:
        session.close()
    assert statuses == [Status.RUNNING] * 2
    assert n_answers > 50  # where the interpreter is held, merges go by between two answers
