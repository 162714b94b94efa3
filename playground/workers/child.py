"""What a process of the pool runs: requests come on its standard input, answers go to its standard output.

It ends when its standard input closes: then the server has ended. It imports nothing of the app's work by
itself, and stands back behind the server, which answers key presses on the same cores.
"""

import enum
import gc
import importlib
import mmap
import os
import pickle
import struct
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any, NamedTuple

from playground.workers.free_memory import give_memory_back
from playground.workers.standing_back import stand_back_whole
from playground.workers.telling import HEARD

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

_HEAD = struct.Struct("<BQ")
#: Requests after which unreachable cycles are looked for; data has none, and the search takes long. And bytes
#: that a process may have between two requests without: what a large one left behind goes back to the system.
_N_BETWEEN_COLLECTIONS, _MAX_BYTES_BETWEEN = 100, 200_000_000
#: Bytes with which it ends after that, for libraries keep more and more. A new process has 40 to 120 MB.
_MAX_BYTES_LEFT = 280_000_000
#: Set in the environment of a process of the pool.
WORKER_MARK = "TESSERA_WORKER"


class Kind(enum.IntEnum):
    """What an answer is; ENDED and TOO_LONG are only said on the server's side, TOLD before the answer.

    LEAVING is said between two requests: one that was sent meanwhile is not read.
    """

    READY = 0
    RESULT = 1
    ERROR = 2
    MEMORY = 3
    TOO_LONG = 4
    ENDED = 5
    TOLD = 6
    LEAVING = 7


class Answer(NamedTuple):
    """A kind, and a pickle of the result or the exception."""

    kind: Kind
    content: bytes


def write_message(target: IO[bytes], content: bytes, kind: Kind = Kind.READY) -> None:
    """Write a head of nine bytes and the content."""
    target.write(_HEAD.pack(kind, len(content)))
    target.write(content)
    target.flush()


def read_message(source: IO[bytes], max_bytes: int) -> Answer | None:
    """The next message; None at the end, and TOO_LONG without its content over the limit."""
    head = source.read(_HEAD.size)
    if len(head) < _HEAD.size:
        return None
    kind, n_bytes = _HEAD.unpack(head)
    if n_bytes > max_bytes:
        return Answer(Kind.TOO_LONG, b"")
    content = source.read(n_bytes)
    return Answer(Kind(kind), content) if len(content) == n_bytes else None


@contextmanager
def limited(seconds: float, memory_bytes: int) -> Iterator[None]:
    """Let the system end this process, or refuse it memory, when it takes more than it has taken so far."""
    if resource is None:
        yield
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    _limit(resource.RLIMIT_CPU, int(used.ru_utime + used.ru_stime + seconds) + 2)
    if (sizes := _memory_sizes()) is not None:
        _limit(resource.RLIMIT_AS, sizes.addressed + memory_bytes)
    try:
        yield
    finally:
        for kind in (resource.RLIMIT_CPU, resource.RLIMIT_AS):
            _limit(kind, resource.getrlimit(kind)[1])


def _limit(kind: int, amount: int) -> None:
    hard = resource.getrlimit(kind)[1]
    if hard != resource.RLIM_INFINITY:
        amount = min(amount, hard)
    with suppress(OSError, ValueError):
        resource.setrlimit(kind, (amount, hard))


class _MemorySizes(NamedTuple):
    """Bytes that a process can address, and those of them that are in memory."""

    addressed: int
    resident: int


def _memory_sizes() -> _MemorySizes | None:
    """Those of this process (proc(5), statm); None where nothing tells."""
    try:
        with open("/proc/self/statm", "rb") as file:
            addressed, resident, *_ = (int(pages) * mmap.PAGESIZE for pages in file.read().split())
    except OSError:
        return None
    return _MemorySizes(addressed, resident)


def function_named(name: str) -> Callable[..., Any]:
    """A function by its dotted name. Raises ImportError and AttributeError.

    >>> function_named("math.factorial")(5)
    120
    """
    module, _, function = name.rpartition(".")
    found: Callable[..., Any] = getattr(importlib.import_module(module), function)
    return found


def answer_to(request: tuple[str, tuple[Any, ...], float, int]) -> Answer:
    """Do what is asked."""
    name, arguments, seconds, memory_bytes = request
    try:
        called = function_named(name)
        with limited(seconds, memory_bytes):
            return Answer(Kind.RESULT, pickle.dumps(called(*arguments), pickle.HIGHEST_PROTOCOL))
    except MemoryError:
        return Answer(Kind.MEMORY, b"")
    except Exception as error:
        return Answer(Kind.ERROR, _pickled(error))


def _pickled(error: Exception) -> bytes:
    try:
        content = pickle.dumps(error, pickle.HIGHEST_PROTOCOL)
        pickle.loads(content)
    except Exception:  # an error that cannot travel is told by its words
        return pickle.dumps(RuntimeError(f"{type(error).__name__}: {error}"))
    return content


def _die_with_the_server(lifeline: int) -> None:
    """End this process when the other end of a pipe closes, whatever it is doing then.

    Nothing is ever written to the pipe; the system sends a signal that ends the process, even one that is in
    a library and hears nothing. Systems without the signal leave the work to its limits.
    """
    with suppress(ImportError, AttributeError, OSError):
        import fcntl
        import select

        fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)
        looking = select.poll()  # select.select takes no descriptor over 1,023
        looking.register(lifeline, select.POLLIN)
        if looking.poll(0):  # it closed before
            sys.exit()


def _main() -> None:
    """Answer until there are no more requests; whatever a library prints must not stand among the answers."""
    gc.disable()
    stand_back_whole()
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    if len(sys.argv) > 1:
        _die_with_the_server(int(sys.argv[1]))
    HEARD.set(lambda value: write_message(answers, pickle.dumps(value), Kind.TOLD))
    write_message(answers, b"", Kind.READY)
    n_answered = 0
    while (message := read_message(sys.stdin.buffer, sys.maxsize)) is not None:
        answer = answer_to(pickle.loads(message.content))
        del message
        write_message(answers, answer.content, answer.kind)
        del answer
        n_answered += 1
        sizes = _memory_sizes()
        is_large = sizes is not None and sizes.resident > _MAX_BYTES_BETWEEN
        if is_large or n_answered % _N_BETWEEN_COLLECTIONS == 0:
            gc.collect()
            give_memory_back()
            if is_large and (sizes := _memory_sizes()) is not None and sizes.resident > _MAX_BYTES_LEFT:
                write_message(answers, b"", Kind.LEAVING)
                return


if __name__ == "__main__":
    _main()
