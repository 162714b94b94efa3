"""Functions that the tests of the pool run in worker processes."""

import ctypes
import os
import re
import time
from typing import Any

from playground.core.errors import DataSyntaxError
from playground.workers import pool, progress

_HELD: list[bytes] = []


def pid() -> int:
    return os.getpid()


def pid_asked_for_by_a_worker() -> Any:
    return pool.run("os.getpid", what="it")


def print_and_return(value: Any) -> Any:
    print("printed among the answers")
    return value


def report_and_return(values: list[Any]) -> str:
    for value in values:
        progress.report(value)
    return "done"


def hold_memory(n_bytes: int) -> int:
    """Allocate memory that stays allocated, and return the process id."""
    _HELD.append(b"\1" * n_bytes)
    return os.getpid()


def take_memory(n_bytes: int) -> int:
    return len(bytearray(n_bytes))


def hold_the_interpreter() -> None:
    """Stay in one call into C, in which no other Python code runs, signal handlers included."""
    re.match(r"(a|aa)+$", "a" * 200 + "b")


def exit_at_once() -> None:
    os._exit(3)


def end_slowly() -> None:
    """Close the pipe first, as a process does that has much memory to free."""
    os.closerange(3, 100)
    time.sleep(0.3)
    os._exit(4)


def crash() -> None:
    ctypes.string_at(0)


def raise_data_error() -> None:
    raise DataSyntaxError("wrong", line=3, column=4)


def raise_an_error_that_cannot_be_pickled() -> None:
    class LocalError(Exception):
        pass

    raise LocalError("words")


def wait_for_file(path: str) -> bool:
    """Wait until a file exists. Raises TimeoutError after half a minute."""
    end = time.monotonic() + 30
    while not os.path.exists(path):
        if time.monotonic() > end:
            raise TimeoutError(path)
        time.sleep(0.01)
    return True


class Loaded:
    """A value that runs code of a worker's choice when it is unpickled."""

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, (os.environ["TESSERA_LOADED"],)


def send_code() -> Loaded:
    return Loaded()


def raise_code() -> None:
    raise ValueError(Loaded())
