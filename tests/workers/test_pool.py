"""Worker processes: limits end them with a typed error, and visitors share them fairly."""

import os
import pickle
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial

import pytest

from playground.core.errors import DataSyntaxError, LimitExceededError
from playground.workers import pool, process, progress
from playground.workers.pool import run
from playground.workers.priority import PROCESS_NICE
from playground.workers.process import CancelledError
from tests.waiting import wait_until

WORK = "tests.workers.work."
MB = 1_000_000
needs_proc = pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs proc(5)")


@pytest.fixture(autouse=True)
def own_pool(monkeypatch):
    own = pool.Pool()
    monkeypatch.setattr(pool, "_POOL", own)
    yield own
    own.close()
    assert not own.waiting
    assert not own.running


def is_running(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_one_process_answers_several_requests_even_if_it_prints():
    first = run(f"{WORK}pid", what="it")
    assert first != os.getpid()
    assert run(f"{WORK}print_and_return", {"a": [1, "é"]}, what="it") == {"a": [1, "é"]}
    assert run(f"{WORK}pid_asked_for_by_a_worker", what="it") == first, "a worker asks no other worker"


def test_progress_is_reported_before_the_answer_also_without_a_process(monkeypatch):
    heard: list[object] = []
    assert run(f"{WORK}report_and_return", [0.5, None], what="it", on_progress=heard.append) == "done"
    assert heard == [0.5, None]
    assert run(f"{WORK}report_and_return", [1], what="it") == "done"
    monkeypatch.setenv("TESSERA_WORKER", "1")
    assert run(f"{WORK}report_and_return", [2], what="it", on_progress=heard.append) == "done"
    progress.report(3)
    assert heard == [0.5, None, 2]


@needs_proc
def test_a_listener_that_raises_ends_the_work():
    first = run(f"{WORK}pid", what="it")

    def refuse(value):
        raise ZeroDivisionError(value)

    with pytest.raises(ZeroDivisionError, match="1"):
        run(f"{WORK}report_and_return", [1, 2], what="it", on_progress=refuse)
    assert not is_running(first)


@needs_proc
def test_a_process_that_holds_much_memory_is_replaced():
    first = run(f"{WORK}hold_memory", 100 * MB, what="it")
    assert run(f"{WORK}hold_memory", 80 * MB, what="it") == first
    last = run(f"{WORK}hold_memory", 150 * MB, what="it")
    assert last == first
    assert not is_running(last)
    assert run(f"{WORK}pid", what="it") != last


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such priorities")
def test_a_worker_process_has_a_lower_priority():
    own = os.getpriority(os.PRIO_PROCESS, 0)
    assert run("os.getpriority", os.PRIO_PROCESS, 0, what="it") == min(own + PROCESS_NICE, 19)


def test_an_exception_in_a_process_is_raised_in_the_caller():
    with pytest.raises(DataSyntaxError) as caught:
        run(f"{WORK}raise_data_error", what="it")
    assert (caught.value.line, caught.value.column) == (3, 4)
    with pytest.raises(RuntimeError, match="LocalError: words"):
        run(f"{WORK}raise_an_error_that_cannot_be_pickled", what="it")
    with pytest.raises(AttributeError):
        run(f"{WORK}nothing", what="it")


@needs_proc
@pytest.mark.parametrize(
    ("name", "arguments", "limit", "words"),
    [
        ("hold_the_interpreter", (), "time", "it took more than 0.3 s, the limit"),
        ("take_memory", (900 * MB,), "memory", "it needed more than 300 MB of memory, the limit"),
        ("exit_at_once", (), "process", r"it ended its process \(code 3\)"),
        ("end_slowly", (), "process", r"it ended its process \(code 4\)"),
        ("crash", (), "process", rf"it ended its process \(signal {int(signal.SIGSEGV)}\)"),
    ],
)
def test_a_request_over_a_limit_names_the_limit_and_the_next_gets_another_process(
    name, arguments, limit, words
):
    before = run(f"{WORK}pid", what="it")
    seconds = 0.3 if limit == "time" else 30
    with pytest.raises(LimitExceededError, match=words) as caught:
        run(WORK + name, *arguments, what="it", seconds=seconds, memory_bytes=300 * MB)
    assert caught.value.limit == limit
    assert not is_running(before)
    assert run(f"{WORK}pid", what="it") != before


def test_limits_apply_to_one_request_only():
    assert run(f"{WORK}take_memory", 100 * MB, what="it", memory_bytes=150 * MB) == 100 * MB
    assert run(f"{WORK}take_memory", 200 * MB, what="it", memory_bytes=400 * MB) == 200 * MB
    assert len(run(f"{WORK}print_and_return", bytes(60 * MB), what="it")) == 60 * MB


def test_a_large_answer_is_refused(monkeypatch):
    monkeypatch.setattr(process, "MAX_ANSWER_BYTES", 1 * MB)
    with pytest.raises(LimitExceededError, match="gave more than 1 MB") as caught:
        run("builtins.bytes", 2 * MB, what="it")
    assert caught.value.limit == "answer"
    assert len(run("builtins.bytes", MB // 2, what="it")) == MB // 2


@needs_proc
def test_a_killed_process_is_replaced():
    idle = run(f"{WORK}pid", what="it")
    os.kill(idle, signal.SIGKILL)
    wait_until(lambda: not is_running(idle))
    assert run(f"{WORK}pid", what="it") != idle


def test_an_error_says_that_no_process_could_be_started(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(LimitExceededError, match="none could be started") as caught:
        run(f"{WORK}pid", what="it")
    assert caught.value.limit == "process"


def test_a_visitors_requests_do_not_delay_another_visitors(own_pool, tmp_path):
    go = tmp_path / "go"
    with ThreadPoolExecutor(12) as threads:
        own = [
            threads.submit(run, f"{WORK}wait_for_file", str(go), what="it", visitor="one", seconds=60)
            for _ in range(8)
        ]
        wait_until(lambda: own_pool.running["one"] == pool.N_PER_VISITOR)
        assert run(f"{WORK}pid", what="it", visitor="other", seconds=60)
        assert not any(future.done() for future in own)
        go.touch()
        assert all(future.result(60) for future in own)


def test_visitors_take_turns(own_pool, monkeypatch):
    own_pool.n_processes = 1
    order = []

    def work(visitor):
        with own_pool.turn(visitor, "it", None):
            order.append(visitor)

    def is_waiting(number):
        return sum(map(len, own_pool.waiting.values())) == number

    with ThreadPoolExecutor(6) as threads, own_pool.turn("first", "it", None):
        for number, visitor in enumerate("aaabbc", start=1):
            threads.submit(work, visitor)
            wait_until(partial(is_waiting, number))
    assert order == ["a", "b", "c", "a", "b", "a"]


def test_long_requests_leave_a_process_to_short_ones(own_pool):
    with ThreadPoolExecutor(1) as threads:
        with ExitStack() as held:
            for number in range(pool.N_PROCESSES - 1):
                held.enter_context(own_pool.turn(f"visitor {number}", "it", None, is_long=True))
            more = threads.submit(run, "os.getpid", what="it", visitor="more", seconds=60)
            wait_until(lambda: "more" in own_pool.waiting)
            assert run("os.getpid", what="it", visitor="key", seconds=pool.LONG_SECONDS)
            assert "more" in own_pool.waiting
        assert more.result(30)


def test_too_many_waiting_requests_are_refused(own_pool, monkeypatch):
    monkeypatch.setattr(pool, "MAX_WAITING", 1)
    own_pool.n_processes = 1
    with ThreadPoolExecutor(1) as threads, own_pool.turn("one", "it", None):
        threads.submit(run, "os.getpid", what="it", visitor="one")
        wait_until(lambda: own_pool.waiting)
        with pytest.raises(LimitExceededError, match="1 of your requests are waiting") as caught:
            run("os.getpid", what="it", visitor="one")
        assert caught.value.limit == "waiting"


@needs_proc
def test_cancelling_ends_running_and_waiting_requests(own_pool, monkeypatch):
    own_pool.n_processes = 1
    pid = run("os.getpid", what="it")
    gone = threading.Event()
    with ThreadPoolExecutor(2) as threads:
        asked = [
            threads.submit(run, "time.sleep", 60, what="it", seconds=60, cancelled=gone) for _ in range(2)
        ]
        wait_until(lambda: own_pool.waiting)
        gone.set()
        for future in asked:
            with pytest.raises(CancelledError):
                future.result(30)
    assert not is_running(pid)


@needs_proc
def test_an_idle_process_ends(own_pool, monkeypatch):
    own_pool.idle_seconds = 0.1
    pid = run("os.getpid", what="it")
    wait_until(lambda: not is_running(pid))
    wait_until(lambda: not own_pool.free)


SERVER = """
import os, signal, sys
from playground.workers.pool import run
print(run("os.getpid", what="it"), flush=True)
if sys.argv[1] == "killed":
    os.kill(os.getpid(), signal.SIGKILL)
"""


@needs_proc
@pytest.mark.parametrize("how", ["ends", "killed"])
def test_no_process_outlives_the_server(how):
    server = subprocess.run([sys.executable, "-c", SERVER, how], stdout=subprocess.PIPE, text=True)
    wait_until(lambda: not is_running(int(server.stdout)))


@pytest.mark.parametrize("name", ["send_code", "raise_code"])
def test_a_worker_that_was_taken_over_runs_no_code_in_the_server(name, monkeypatch, tmp_path):
    monkeypatch.setenv("TESSERA_LOADED", str(tmp_path / "made"))
    with pytest.raises((pickle.UnpicklingError, RuntimeError)):
        run(f"{WORK}{name}", what="it")
    assert not (tmp_path / "made").exists()
