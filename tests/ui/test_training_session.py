"""A visitor's trainings: what is kept for comparison, and what is let go of."""

from playground.analysis.corpora import Corpus
from playground.analysis.training_run import RunSettings, Status
from playground.ui.training_session import MAX_EARLIER_RUNS, TrainingSession

TOY = Corpus("Toy: a b", ("ab ab abab\n" * 50,))


def start(session):
    session._last_wish = None  # as if the click before had been long ago
    session.start(RunSettings(), None)
    assert session.run is not None
    session.run.wait()


def test_a_click_that_is_sent_twice_begins_one_run():
    session = TrainingSession(chosen=TOY)
    start(session)
    start(session)
    run = session.run
    session.start(RunSettings(), None)
    assert session.run is run
    assert session.n_started == 2


def test_earlier_runs_are_kept_up_to_a_limit():
    session = TrainingSession(chosen=TOY)
    for _ in range(MAX_EARLIER_RUNS + 3):
        start(session)
    assert list(session.runs())[-1] == f"{MAX_EARLIER_RUNS + 3} · Toy, gpt2"
    assert len(session.earlier) <= MAX_EARLIER_RUNS + 1


def test_closing_ends_the_run_and_lets_go_of_texts():
    session = TrainingSession(chosen=TOY, uploaded=(("id",), TOY))
    session.start(RunSettings(), 1)
    run = session.run
    session.close()
    assert run is not None
    run.wait(5)
    assert run.status is Status.STOPPED
    assert not run._thread.is_alive()
    assert (session.run, session.chosen, session.uploaded, session.earlier) == (None, None, None, {})
    session.start(RunSettings(), None)
    assert session.run is None
