"""The program of a worker process: requests come on its standard input, answers go to its standard output.

It ends when its standard input closes, which happens when the server ends.
"""

import enum
import gc
import importlib
import mmap
import os
import pickle
import signal
import struct
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any, NamedTuple

from playground.core.extras import names_missing_extra
from playground.workers.answers import read_answer
from playground.workers.priority import lower_process_priority
from playground.workers.progress import LISTENER

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

_HEAD = struct.Struct("<BQ")
#: Set in the environment of a worker process.
WORKER_MARK = "TESSERA_WORKER"
#: Ends a process that used up its CPU time (ITIMER_PROF); None on Windows.
TIME_SIGNAL: signal.Signals | None = getattr(signal, "SIGPROF", None)


class Kind(enum.IntEnum):
    """The kind of an answer; the server itself makes TOO_LONG and ENDED."""

    READY = 0
    RESULT = 1
    ERROR = 2
    MEMORY = 3
    PROGRESS = 4
    TOO_LONG = 5
    ENDED = 6


class Answer(NamedTuple):
    """A kind, and the pickled result, exception or progress."""

    kind: Kind
    content: bytes


def write_message(target: IO[bytes], content: bytes, kind: Kind = Kind.READY) -> None:
    """Write a head of nine bytes and the content."""
    target.write(_HEAD.pack(kind, len(content)))
    target.write(content)
    target.flush()


def read_message(source: IO[bytes], max_bytes: int) -> Answer | None:
    """Return the next message; None at the end, and TOO_LONG without content over the limit."""
    head = source.read(_HEAD.size)
    if len(head) < _HEAD.size:
        return None
    kind, n_bytes = _HEAD.unpack(head)
    if n_bytes > max_bytes:
        return Answer(Kind.TOO_LONG, b"")
    content = source.read(n_bytes)
    return Answer(Kind(kind), content) if len(content) == n_bytes else None


@contextmanager
def limited(cpu_seconds: float, memory_bytes: int) -> Iterator[None]:
    """Limit this process to a CPU time, and its memory to this much more than it has now."""
    if resource is None:
        yield
        return
    signal.setitimer(signal.ITIMER_PROF, cpu_seconds)
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    with suppress(OSError, ValueError):
        wanted = _addressed_bytes() + memory_bytes
        wanted = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _addressed_bytes() -> int:
    """Return the address space of this process. Raises OSError where there is no proc(5)."""
    with open("/proc/self/statm", "rb") as file:
        return int(file.read().split()[0]) * mmap.PAGESIZE


def function_named(name: str) -> Callable[..., Any]:
    """Return a function by its dotted name. Raises ImportError and AttributeError.

    >>> function_named("math.factorial")(5)
    120
    """
    module, _, function = name.rpartition(".")
    found: Callable[..., Any] = getattr(importlib.import_module(module), function)
    return found


def answer_to(request: tuple[str, tuple[Any, ...], float, int]) -> Answer:
    """Call the function of a request and return its result, or the exception it raised."""
    name, arguments, cpu_seconds, memory_bytes = request
    try:
        called = function_named(name)
        with names_missing_extra("this"), limited(cpu_seconds, memory_bytes):
            return Answer(Kind.RESULT, pickle.dumps(called(*arguments), pickle.HIGHEST_PROTOCOL))
    except MemoryError:
        return Answer(Kind.MEMORY, b"")
    except Exception as error:
        return Answer(Kind.ERROR, _pickled(error))


def _pickled(error: Exception) -> bytes:
    try:
        content = pickle.dumps(error, pickle.HIGHEST_PROTOCOL)
        read_answer(content)
    except Exception:  # the server gets the message of an error that it could not read
        return pickle.dumps(RuntimeError(f"{type(error).__name__}: {error}"))
    return content


def _main() -> None:
    """Answer requests until there are no more."""
    gc.disable()  # data has no cycles, and looking for them takes long; a large process is replaced
    lower_process_priority()
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # a library may print
    LISTENER.set(lambda value: write_message(answers, pickle.dumps(value), Kind.PROGRESS))
    write_message(answers, b"", Kind.READY)
    while (message := read_message(sys.stdin.buffer, sys.maxsize)) is not None:
        answer = answer_to(pickle.loads(message.content))
        try:
            write_message(answers, answer.content, answer.kind)
        except BrokenPipeError:  # the server has ended
            return
        del message, answer


if __name__ == "__main__":
    _main()
