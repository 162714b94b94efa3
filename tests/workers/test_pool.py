"""Processes with limits: what passes one is ended and told, and nobody waits long for somebody else."""

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from playground.core.errors import DataSyntaxError, LimitExceededError
from playground.workers import pool, process, telling
from playground.workers.pool import run
from playground.workers.process import CancelledError, Process, Request
from playground.workers.standing_back import NICE_PROCESS

WORK = "tests.workers.work."
MB = 1_000_000


@pytest.fixture(autouse=True)
def own_pool(monkeypatch):
    own = pool.Pool()
    monkeypatch.setattr(pool, "_POOL", own)
    yield own
    own.close()
    if own.timer:
        own.timer.join(5)
    assert not own.waiting
    assert not own.running


def wait_until(condition, seconds=30.0):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rsplit(")", 1)[1].split()[0] != "Z"


def processes(own: pool.Pool) -> int:
    return sum(found.is_alive for _, found in own.free)


def test_a_process_answers_again_and_again():
    first = run(f"{WORK}pid", what="it")
    assert first != os.getpid()
    assert run(f"{WORK}pid", what="it") == first
    assert run(f"{WORK}print_and_return", {"a": [1, "é"]}, what="it") == {"a": [1, "é"]}


def test_what_work_tells_is_heard_before_its_answer(monkeypatch):
    heard: list[object] = []
    assert run(f"{WORK}tell_and_return", [0.5, "é", None], what="it", told=heard.append) == "done"
    assert heard == [0.5, "é", None]
    assert run(f"{WORK}tell_and_return", [1], what="it") == "done", "nobody need hear it"
    monkeypatch.setenv("TESSERA_WORKER", "1")  # a process of the pool does itself what it asks for
    assert run(f"{WORK}tell_and_return", [2], what="it", told=heard.append) == "done"
    assert heard[3:] == [2]
    telling.tell(3)
    assert heard[4:] == [], "the work is over"


def test_what_hears_may_end_the_work(own_pool):
    first = run(f"{WORK}pid", what="it")

    def refuse(value):
        raise ZeroDivisionError(value)

    with pytest.raises(ZeroDivisionError, match="1"):
        run(f"{WORK}tell_and_return", [1, 2], what="it", told=refuse)
    assert not is_running(first)
    assert run(f"{WORK}pid", what="it") != first


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="the system does not tell")
def test_a_process_keeps_little_of_a_large_request():
    run(f"{WORK}leave_in_a_circle", 300 * MB, what="it")
    assert run(f"{WORK}memory_bytes", what="it") < 100 * MB


@pytest.mark.skipif(os.name != "posix", reason="Windows hands no descriptor on")
def test_a_process_starts_where_more_than_a_thousand_descriptors_are_open(own_pool):
    resource = pytest.importorskip("resource")
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, limits[1]), limits[1]))
    held = [os.open(os.devnull, os.O_RDONLY) for _ in range(1100)]
    try:
        assert is_running(run(f"{WORK}pid", what="it"))
    finally:
        for descriptor in held:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="the system does not tell")
def test_a_process_with_which_much_stays_is_replaced_and_a_request_on_its_way_is_answered(own_pool):
    first = run(f"{WORK}keep", 100 * MB, what="it")
    assert run(f"{WORK}keep", 110 * MB, what="it") == first
    for _ in range(3):  # at once, and again when it has gone
        last = run(f"{WORK}keep", 300 * MB, what="it")
        assert run(f"{WORK}pid", what="it") != last
        assert not is_running(last)
    last = run(f"{WORK}keep", 300 * MB, what="it")
    assert wait_until(lambda: not is_running(last))
    assert run(f"{WORK}pid", what="it") != last


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such priorities")
def test_a_process_stands_back_behind_the_server_that_answers_key_presses():
    own = os.getpriority(os.PRIO_PROCESS, 0)
    assert run("os.getpriority", os.PRIO_PROCESS, 0, what="it") == min(own + NICE_PROCESS, 19)


@pytest.mark.skipif(not os.path.exists("/proc/self/autogroup"), reason="this system shares by process alone")
def test_a_process_stands_back_where_linux_shares_the_processor_by_session():
    with open("/proc/self/autogroup") as file:
        own = file.read()
    group, _, nice = run(f"{WORK}autogroup", what="it").rpartition(" nice ")
    assert int(nice) == NICE_PROCESS
    assert group != own.rpartition(" nice ")[0]
    with open("/proc/self/autogroup") as file:
        assert file.read() == own


def test_what_a_function_raises_is_raised_here():
    with pytest.raises(DataSyntaxError) as caught:
        run(f"{WORK}raise_data_error", what="it")
    assert (caught.value.line, caught.value.column) == (3, 4)
    with pytest.raises(RuntimeError, match="LocalError: words"):
        run(f"{WORK}raise_what_does_not_travel", what="it")
    with pytest.raises(AttributeError):
        run(f"{WORK}nothing", what="it")


@pytest.mark.parametrize(
    ("name", "arguments", "limit", "words"),
    [
        ("spin", (), "time", "it took more than 0.5 s, the limit"),
        ("hold_the_interpreter", (), "time", "it took more than 0.5 s, the limit"),
        ("take_memory", (900 * MB,), "memory", "it needed more than 300 MB of memory, the limit"),
        ("exit_at_once", (), "process", r"it ended its process \(code 3\)"),
        ("end_slowly", (), "process", r"it ended its process \(code 4\)"),
        ("crash", (), "process", rf"it ended its process \(signal {int(signal.SIGSEGV)}\)"),
        ("end_by_processor_time", (), "time", "it took more than .* s, the limit"),
    ],
)
def test_what_passes_a_limit_is_told_and_replaced(own_pool, name, arguments, limit, words):
    before = run(f"{WORK}pid", what="it")
    seconds = 0.5 if "0.5" in words else 30
    with pytest.raises(LimitExceededError, match=words) as caught:
        run(WORK + name, *arguments, what="it", seconds=seconds, memory_bytes=300 * MB)
    assert caught.value.limit == limit
    assert not is_running(before)
    assert processes(own_pool) == 0
    after = run(f"{WORK}pid", what="it")
    assert after != before


def test_memory_under_the_limit_is_had_and_limits_do_not_stay():
    assert run(f"{WORK}take_memory", 100 * MB, what="it", memory_bytes=150 * MB) == 100 * MB
    assert run(f"{WORK}take_memory", 200 * MB, what="it", memory_bytes=400 * MB) == 200 * MB
    assert run(f"{WORK}pid", what="it", memory_bytes=20 * MB)
    assert len(run(f"{WORK}print_and_return", bytes(60 * MB), what="it")) == 60 * MB


def test_an_answer_that_would_fill_the_server_is_refused(monkeypatch):
    monkeypatch.setattr(process, "MAX_ANSWER_BYTES", 1 * MB)
    with pytest.raises(LimitExceededError, match="gave more than 1 MB") as caught:
        run(f"{WORK}fill", 2 * MB, what="it")
    assert caught.value.limit == "answer"
    assert len(run(f"{WORK}fill", MB // 2, what="it")) == MB // 2


def test_a_process_that_is_killed_from_outside_is_told_and_replaced(tmp_path):
    victim = run(f"{WORK}pid", what="it")
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(run, "time.sleep", 60, what="it", seconds=60)
        time.sleep(0.3)
        os.kill(victim, signal.SIGKILL)
        with pytest.raises(LimitExceededError, match="signal 9"):
            waiting.result(30)
    idle = run(f"{WORK}pid", what="it")
    os.kill(idle, signal.SIGKILL)
    assert wait_until(lambda: not is_running(idle))
    assert run(f"{WORK}pid", what="it") not in (idle, victim)


def test_where_no_process_starts_it_is_told(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(LimitExceededError, match="none could be started") as caught:
        run(f"{WORK}pid", what="it")
    assert caught.value.limit == "process"


def test_one_visitor_waits_for_himself_and_another_does_not(own_pool, tmp_path):
    """One has more requests than there are processes; the other's is done while they still run."""
    go = str(tmp_path / "go")
    with ThreadPoolExecutor(12) as threads:
        own = [
            threads.submit(run, f"{WORK}wait_for_file", go, what="it", visitor="one", seconds=60)
            for _ in range(8)
        ]
        assert wait_until(lambda: own_pool.running["one"] == pool.N_PER_VISITOR)
        assert run(f"{WORK}pid", what="it", visitor="other", seconds=60)
        assert not any(future.done() for future in own)
        assert own_pool.running["one"] == pool.N_PER_VISITOR
        assert len(own_pool.waiting["one"]) == 8 - pool.N_PER_VISITOR
        open(go, "w").close()
        assert all(future.result(60) for future in own)


def test_turns_go_round_among_visitors(own_pool, monkeypatch):
    """With one process, three visitors' requests are answered in turns, however many each has."""
    monkeypatch.setattr(pool, "N_PROCESSES", 1)
    order = []
    with own_pool.turn("first", "it", None):
        threads = []
        for number, visitor in enumerate(["a", "a", "a", "b", "b", "c"], start=1):

            def work(visitor=visitor):
                with own_pool.turn(visitor, "it", None):
                    order.append(visitor)

            threads.append(threading.Thread(target=work))
            threads[-1].start()
            assert wait_until(lambda number=number: sum(map(len, own_pool.waiting.values())) == number)
    for thread in threads:
        thread.join(10)
    assert order == ["a", "b", "c", "a", "b", "a"]


def test_long_work_leaves_a_process_for_what_is_short(own_pool):
    """However many ask for what may take long, in turns of their own, a short request finds a process."""
    with ExitStack() as held:
        for number in range(pool.N_PROCESSES - 1):
            held.enter_context(own_pool.turn(f"visitor {number}", "it", None, is_long=True))
        waiting = threading.Thread(target=lambda: run("os.getpid", what="it", visitor="more", seconds=60))
        waiting.start()
        assert wait_until(lambda: "more" in own_pool.waiting)
        assert run("os.getpid", what="it", visitor="key", seconds=pool.LONG_SECONDS)
        assert "more" in own_pool.waiting
    waiting.join(30)
    assert own_pool.n_long == 0


def test_a_process_does_what_it_asks_for_itself():
    assert run(f"{WORK}pid_asked_for_by_a_worker", what="it") == run(f"{WORK}pid", what="it")


def test_too_many_waiting_requests_are_refused(own_pool, monkeypatch):
    monkeypatch.setattr(pool, "MAX_WAITING", 1)
    monkeypatch.setattr(pool, "N_PROCESSES", 1)
    with own_pool.turn("one", "it", None):
        waiting = threading.Thread(target=lambda: run("os.getpid", what="it", visitor="one"))
        waiting.start()
        assert wait_until(lambda: own_pool.waiting)
        with pytest.raises(LimitExceededError, match="1 requests of yours wait already") as caught:
            run("os.getpid", what="it", visitor="one")
        assert caught.value.limit == "waiting"
    waiting.join(30)


def test_whoever_goes_away_ends_the_work_or_the_waiting(own_pool, monkeypatch):
    monkeypatch.setattr(pool, "N_PROCESSES", 1)
    pid = run("os.getpid", what="it")
    gone = threading.Event()
    with ThreadPoolExecutor(2) as threads:
        asked = [threads.submit(run, f"{WORK}spin", what="it", seconds=60, cancelled=gone) for _ in range(2)]
        assert wait_until(lambda: own_pool.waiting)
        gone.set()
        for future in asked:
            with pytest.raises(CancelledError):
                future.result(30)
    assert not is_running(pid)


def test_idle_processes_end(own_pool, monkeypatch):
    monkeypatch.setattr(pool, "IDLE_SECONDS", 0.2)
    pid = run("os.getpid", what="it")
    assert wait_until(lambda: not is_running(pid))
    assert wait_until(lambda: not own_pool.free)
    assert own_pool.timer is None
    assert run("os.getpid", what="it") != pid


SERVER = """
import sys, threading
from playground.workers.pool import run
print(run("os.getpid", what="it"), flush=True)
hold = "tests.workers.work.hold_the_interpreter"
threading.Thread(target=run, args=(hold,), kwargs={"what": "it", "seconds": 600}).start()
threading.Event().wait(0.5)
print("working", flush=True)
if sys.argv[1] == "end":
    sys.exit()
threading.Event().wait()
"""


@pytest.mark.parametrize("how", ["end", "SIGTERM", "SIGKILL"])
def test_no_process_outlives_the_server(how):
    """Neither when it ends by itself, nor when it is killed while a library holds the child's interpreter."""
    server = subprocess.Popen([sys.executable, "-c", SERVER, how], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    pid = int(server.stdout.readline())
    assert server.stdout.readline() == "working\n"
    if how != "end":
        os.kill(server.pid, getattr(signal, how))
    server.wait(30)
    assert wait_until(lambda: not is_running(pid), 20)
    server.stdout.close()


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="the system does not tell")
def test_a_process_that_died_between_requests_leaves_no_descriptor():
    worker = Process()
    request = Request("os.getpid", (), 20.0, 1_000_000_000)
    worker.ask(request, what="asking", cancelled=None)
    worker.end()  # what stays for good is there now
    before = len(os.listdir("/proc/self/fd"))
    pids = set()
    for _ in range(2):
        pids.add(worker.ask(request, what="asking", cancelled=None))
        assert worker._child is not None
        worker._child.kill()
        worker._child.wait(30)
    assert len(pids) == 2, "another took its place"
    worker.end()
    assert len(os.listdir("/proc/self/fd")) == before


def test_what_waits_for_a_core_is_not_ended_for_it(monkeypatch):
    told = iter([5.0, 5.0])
    monkeypatch.setattr(Process, "_seconds_without_a_core", lambda _: next(told, 7.0))
    monkeypatch.setattr(process, "MOST_TIMES", 10.0)  # this process may have to wait, too
    assert run("time.sleep", 0.6, what="it", seconds=0.3) is None


def test_however_long_it_waits_for_a_core_there_is_an_end(monkeypatch):
    told = iter(range(0, 1_000_000, 100))
    monkeypatch.setattr(Process, "_seconds_without_a_core", lambda _: float(next(told)))
    begun = time.monotonic()
    with pytest.raises(LimitExceededError, match=r"took more than 0\.3 s, the limit"):
        run("time.sleep", 60, what="it", seconds=0.3)
    assert time.monotonic() - begun >= process.MOST_TIMES * 0.3


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells it")
def test_the_system_tells_what_a_process_waits_for_a_core(own_pool):
    """Those that work beside others on one core wait for each other."""
    core = {min(os.sched_getaffinity(0))}
    asked = Request(f"{WORK}work_on_a_core", (0.2, core), 60, 100 * MB)
    processes = [Process() for _ in range(4)]
    try:
        with ThreadPoolExecutor(4) as threads:
            list(threads.map(lambda one: one.ask(asked, what="it", cancelled=None), processes))
        assert max(one._seconds_without_a_core() for one in processes) > 0.1
    finally:
        for one in processes:
            one.end()
