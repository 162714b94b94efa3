"""Pages run one after another, others beside a slow one; whoever waits for work elsewhere lets others run."""

import threading
import time
from contextlib import ExitStack
from typing import Any

import pytest

from playground.formats.offloading import _Asking
from playground.ui import page, turns
from playground.ui.work import Work
from playground.workers import pool


@pytest.fixture
def crowd():
    """Threads that take turns: how to start one, and how many have a turn."""
    with ExitStack() as held:
        may_end = threading.Event()
        has_turn, threads = threading.Semaphore(0), []

        def run(work=lambda: None):
            def take_a_turn():
                with turns.turn():
                    work()
                    has_turn.release()
                    may_end.wait(20)

            threads.append(threading.Thread(target=take_a_turn))
            threads[-1].start()

        held.callback(may_end.set)
        yield run, has_turn, may_end
    for thread in threads:
        thread.join(20)


def test_one_runs_at_a_time_while_runs_are_quick(crowd, monkeypatch):
    monkeypatch.setattr(turns, "SLOW_SECONDS", 60.0)
    run, has_turn, may_end = crowd
    for _ in range(turns.N_AT_ONCE):
        run()
    assert has_turn.acquire(timeout=20)
    assert not has_turn.acquire(timeout=0.2)
    may_end.set()
    for _ in range(turns.N_AT_ONCE - 1):
        assert has_turn.acquire(timeout=20)


def test_beside_slow_runs_one_more_waits_until_another_ends(crowd):
    run, has_turn, may_end = crowd
    for _ in range(turns.N_AT_ONCE + 1):
        run()
    for _ in range(turns.N_AT_ONCE):
        assert has_turn.acquire(timeout=20)
    assert not has_turn.acquire(timeout=0.2)
    may_end.set()
    assert has_turn.acquire(timeout=20)


def test_who_waits_elsewhere_lets_others_run(crowd):
    run, has_turn, _ = crowd
    work_is_done, n_waiting = threading.Event(), threading.Semaphore(0)

    def wait():
        with turns.waiting_elsewhere():
            n_waiting.release()
            assert work_is_done.wait(20)

    for _ in range(2 * turns.N_AT_ONCE):
        run(wait)
    for _ in range(2 * turns.N_AT_ONCE):
        assert n_waiting.acquire(timeout=20)
    work_is_done.set()
    for _ in range(turns.N_AT_ONCE):
        assert has_turn.acquire(timeout=20)
    assert not has_turn.acquire(timeout=0.2), "the turn that was given away is taken again"


def test_an_error_gives_the_turn_back():
    for _ in range(turns.N_AT_ONCE + 1):
        with pytest.raises(KeyError), turns.turn(), turns.waiting_elsewhere():
            raise KeyError


def test_without_a_turn_there_is_none_to_give():
    with turns.waiting_elsewhere():
        pass
    assert turns.n_running() == 0


def test_who_waits_for_a_process_lets_others_run():
    def work():
        with turns.turn():
            pool.run("time.sleep", 2, what="sleeping", visitor="who has a turn")

    thread = threading.Thread(target=work)
    thread.start()
    deadline = time.monotonic() + 20
    while not (pool._POOL.running["who has a turn"] and turns.n_running() == 0):
        assert time.monotonic() < deadline
        assert thread.is_alive(), "the turn was held to the end"
        time.sleep(0.02)
    thread.join(20)


def test_work_beside_a_page_takes_turns_with_the_runs():
    may_end, n_working = threading.Event(), threading.Semaphore(0)

    def work(_tell):
        n_working.release()
        may_end.wait(20)

    works = [Work(work) for _ in range(turns.N_AT_ONCE + 1)]
    for _ in range(turns.N_AT_ONCE):
        assert n_working.acquire(timeout=20)
    assert not n_working.acquire(timeout=0.2)
    may_end.set()
    assert all(one.wait(20) for one in works)


@pytest.mark.parametrize("wait", [lambda work: work.wait(20), lambda work: work.result() is None])
def test_a_run_that_waits_for_its_work_lets_it_have_the_turn(wait):
    """Each turn is had by a run that waits, and the work of each is done."""
    all_run, is_done = threading.Barrier(turns.N_AT_ONCE), []

    def run():
        with turns.turn():
            all_run.wait(20)
            is_done.append(wait(Work(lambda _tell: None)))

    threads = [threading.Thread(target=run, daemon=True) for _ in range(turns.N_AT_ONCE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert is_done == [True] * turns.N_AT_ONCE


def test_work_that_waits_for_processes_lets_others_run():
    def ask(_tell):
        with _Asking("who asks for work") as asking:
            asking.ask("", "time.sleep", 2, what="sleeping", seconds=20)
            return list(asking.iter_answers(lambda: None))

    work = Work(ask)
    deadline = time.monotonic() + 20
    while not (pool._POOL.running["who asks for work"] and turns.n_running() == 0):
        assert time.monotonic() < deadline
        assert not work.is_over, "the turn was held to the end"
        time.sleep(0.02)
    assert work.result() == [("", None)]


def test_all_of_a_page_runs_in_its_turn(monkeypatch):
    monkeypatch.setattr(page, "_run", lambda pages: pages.append(turns.n_running()))
    running: list[Any] = []
    page.run(running)
    assert running == [1]
