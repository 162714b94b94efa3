"""Processes that convert: the same answers as this one, and none of their troubles."""

import os
import signal
import sys
import threading
from datetime import date

import pytest

from playground.catalog.registry import get_tokenizer
from playground.formats import workers
from playground.formats.conversion import Job
from playground.formats.costs import measure
from playground.formats.registry import FORMATS
from playground.formats.values import WriteOptions
from playground.formats.workers import iter_conversions

DATA = {"page": 1, "rows": [{"id": n, "é": "x\ud83d", "at": date(2026, 3, 1), "n": None} for n in range(9)]}


@pytest.fixture(autouse=True)
def all_data_is_large(monkeypatch):
    """A pool of the test's own."""
    pool = workers._Pool()
    monkeypatch.setattr(workers, "_POOL", pool)
    monkeypatch.setattr(workers, "MIN_CHARACTERS", 0)
    yield pool
    if pool.timer:
        pool.timer.cancel()
    for worker in pool.workers:
        worker.end()


def test_processes_convert_as_this_one_does():
    options = WriteOptions(is_sorted=True, indent=4)
    found = {c.format_name: c for c in iter_conversions(DATA, options)}
    assert found == {name: Job(DATA, options).convert(name) for name in FORMATS}
    assert list(found) != list(FORMATS)  # the slowest were begun first
    table = measure({"a": 1}, [get_tokenizer("gpt2")])
    assert [c.format_name for c in table.conversions] == list(FORMATS)


def test_a_process_that_ends_is_told_and_replaced(all_data_is_large, monkeypatch):
    names = ["json_compact", "yaml", "toml", "csv"]
    started = workers._started

    def start_and_kill():
        process = started()
        os.kill(process.pid, signal.SIGKILL)
        return process

    monkeypatch.setattr(workers, "_started", start_and_kill)
    found = {c.format_name: c for c in iter_conversions(DATA, formats=names)}
    assert {c.fidelity for c in found.values()} == {"cannot"}
    assert "process that converted to it ended" in found["yaml"].reason
    monkeypatch.setattr(workers, "_started", started)
    found = {c.format_name: c for c in iter_conversions(DATA, formats=names)}
    assert found == {name: Job(DATA, WriteOptions()).convert(name) for name in names}


def test_where_no_process_starts_this_one_converts(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    found = {c.format_name: c for c in iter_conversions(DATA, formats=["toml", "python"])}
    assert found == {name: Job(DATA, WriteOptions()).convert(name) for name in ("toml", "python")}
    assert found["toml"].text


def test_whoever_stops_early_leaves_the_processes_free(all_data_is_large):
    def stop(_part, _what):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measure(DATA, [get_tokenizer("gpt2")], on_progress=stop)
    assert not all_data_is_large.lock.locked()
    assert len(list(iter_conversions(DATA))) == len(FORMATS)


def test_idle_processes_end(all_data_is_large, monkeypatch):
    monkeypatch.setattr(workers, "IDLE_SECONDS", 0.01)
    list(iter_conversions(DATA, formats=["yaml", "csv"]))
    processes = [w.process for w in all_data_is_large.workers if w.process]
    assert isinstance(all_data_is_large.timer, threading.Timer)
    all_data_is_large.timer.join(20)
    assert [w.process for w in all_data_is_large.workers] == [None, None]
    assert all(process.returncode is not None for process in processes)


def test_small_data_needs_no_process(all_data_is_large, monkeypatch):
    monkeypatch.setattr(workers, "MIN_CHARACTERS", 300_000)
    assert [c.format_name for c in iter_conversions(DATA)] == list(FORMATS)
    assert all(worker.process is None for worker in all_data_is_large.workers)
