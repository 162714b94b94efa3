"""What the pool's tests have processes do."""

import ctypes
import os
import re
import signal
import time
from typing import Any

from playground.core.errors import DataSyntaxError
from playground.workers import pool, telling


def spin() -> None:
    while True:
        pass


def hold_the_interpreter() -> None:
    """One call into C that lets no other Python code run, not even a signal's handler."""
    re.match(r"(a|aa)+$", "a" * 200 + "b")


def work_on_a_core(seconds: float, cores: set[int]) -> None:
    """Take processor time on one of these cores, which others may want too."""
    os.sched_setaffinity(0, cores)
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def take_memory(n_bytes: int) -> int:
    taken = [bytearray(min(n_bytes, 10_000_000)) for _ in range(n_bytes // 10_000_000)]
    return sum(map(len, taken))


def leave_in_a_circle(n_bytes: int) -> None:
    """Take memory that only a search for unreachable circles gives back."""
    circle: list[object] = [bytes(100_000) for _ in range(n_bytes // 100_000)]
    circle.append(circle)


_KEPT: list[bytes] = []


def keep(n_bytes: int) -> int:
    """Take memory that stays taken, as a library's does; the process."""
    _KEPT.append(b"\1" * n_bytes)
    return os.getpid()


def memory_bytes() -> int:
    """What this process has in memory."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def exit_at_once() -> None:
    os._exit(3)


def end_slowly() -> None:
    """The pipe closes first, as when a process has much to let go of."""
    os.closerange(3, 100)
    time.sleep(0.3)
    os._exit(4)


def crash() -> None:
    ctypes.string_at(0)


def end_by_processor_time() -> None:
    os.kill(os.getpid(), signal.SIGXCPU)
    time.sleep(10)


def autogroup() -> str:
    """The group of sessions whose share of the processor this process has, and how nice it is."""
    with open("/proc/self/autogroup") as file:
        return file.read()


def pid() -> int:
    return os.getpid()


def pid_asked_for_by_a_worker() -> Any:
    return pool.run("os.getpid", what="it")


def print_and_return(value: Any) -> Any:
    print("printed among the answers")
    return value


def raise_data_error() -> None:
    raise DataSyntaxError("wrong", line=3, column=4)


def raise_what_does_not_travel() -> None:
    class LocalError(Exception):
        pass

    raise LocalError("words")


def fill(n_bytes: int) -> bytes:
    return bytes(n_bytes)


def tell_and_return(values: list[Any]) -> str:
    for value in values:
        telling.tell(value)
    return "done"


def wait_for_file(path: str, seconds: float = 30) -> bool:
    """Does a file appear in time?"""
    end = time.monotonic() + seconds
    while not os.path.exists(path) and time.monotonic() < end:
        time.sleep(0.01)
    return os.path.exists(path)
