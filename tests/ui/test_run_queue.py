"""Runs of pages begin one after another, and a slow run does not keep the next one waiting."""

import threading
from concurrent.futures import ThreadPoolExecutor

from playground.ui import run_queue


def test_a_run_begins_when_the_latest_has_ended(monkeypatch):
    monkeypatch.setattr(run_queue, "MAX_SECONDS", 60.0)
    n_running, n_most = 0, 0

    def run() -> None:
        nonlocal n_running, n_most
        with run_queue.turn():
            n_running += 1
            n_most = max(n_most, n_running)
            threading.Event().wait(0.002)
            n_running -= 1

    with ThreadPoolExecutor(8) as threads:
        for done in [threads.submit(run) for _ in range(40)]:
            done.result(30)
    assert n_most == 1


def test_a_run_begins_beside_a_slow_one(monkeypatch):
    monkeypatch.setattr(run_queue, "MAX_SECONDS", 0.01)
    may_end = threading.Event()

    def run() -> None:
        with run_queue.turn():
            assert may_end.wait(30)

    with ThreadPoolExecutor(1) as threads:
        slow = threads.submit(run)
        with run_queue.turn():  # beside the slow run, or before it
            pass
        with run_queue.turn():
            may_end.set()
        slow.result(30)
    with run_queue.turn():
        pass
