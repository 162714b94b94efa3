"""Reading in a process of its own, so that a crash of a C parser is a failure and not the end of the tests.

Each is forked from one that has imported what it needs, for that takes longer than most of the reading.
"""

import multiprocessing
import resource
from multiprocessing.connection import Connection
from typing import NamedTuple

from playground.core.errors import PlaygroundError
from playground.formats.reading import read_document

_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload([__name__])


class Outcome(NamedTuple):
    """What was refused in which words, "" where it was read, and by how much the process grew."""

    refused: str
    grown_kb: int


def read_limited(
    source: str, name: str | None = None, *, cpu_seconds: int, memory_bytes: int | None = None
) -> Outcome:
    """Read a text in a process that may take so much of the processor, and so much memory."""
    answers, answer = _FORKS.Pipe(duplex=False)
    limits = {resource.RLIMIT_CPU: cpu_seconds}
    if memory_bytes is not None:
        limits[resource.RLIMIT_AS] = memory_bytes
    process = _FORKS.Process(target=_read, args=(answer, source, name, limits))
    process.start()
    answer.close()
    try:
        return Outcome(*answers.recv())
    except EOFError:
        process.join()
        raise AssertionError(f"reading ended with the exit code {process.exitcode}") from None
    finally:
        process.join()


def _read(answer: Connection, source: str, name: str | None, limits: dict[int, int]) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for limit, amount in limits.items():
        resource.setrlimit(limit, (amount, amount))
    refused = ""
    try:
        read_document(source, name)
    except PlaygroundError as error:
        refused = str(error)
    answer.send((refused, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before))
