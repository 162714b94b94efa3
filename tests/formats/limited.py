"""Reading in a process of its own, so that a crash of a C parser is a failure and not the end of the tests.

Each is forked from one that has imported what it needs, for that takes longer than most of the reading. It is
not Python's fork server, of which a process has one: Dask starts that with what Dask imports.
"""

import multiprocessing
import os
import resource
from functools import cache
from multiprocessing.connection import Connection
from typing import NamedTuple

from playground.core.errors import PlaygroundError
from playground.formats.reading import read_document


class Outcome(NamedTuple):
    """What was refused in which words, "" where it was read, and by how much the process grew."""

    refused: str
    grown_kb: int


def read_limited(
    source: str, name: str | None = None, *, cpu_seconds: int, memory_bytes: int | None = None
) -> Outcome:
    """Read a text in a process that may take so much of the processor, and so much memory."""
    limits = {resource.RLIMIT_CPU: cpu_seconds}
    if memory_bytes is not None:
        limits[resource.RLIMIT_AS] = memory_bytes
    server = _server()
    server.send((source, name, limits))
    outcome, exit_code = server.recv()
    assert outcome is not None, f"reading ended with the exit code {exit_code}"
    return Outcome(*outcome)


@cache
def _server() -> Connection:
    """The process that forks, by its end of a pipe: it ends with this one."""
    spawning = multiprocessing.get_context("spawn")
    ours, theirs = spawning.Pipe()
    spawning.Process(target=_serve, args=(theirs,), daemon=True).start()
    theirs.close()
    return ours


def _serve(asked: Connection) -> None:
    while True:
        try:
            source, name, limits = asked.recv()
        except EOFError:
            return
        answers, answer = multiprocessing.Pipe(duplex=False)
        child = os.fork()
        if child == 0:
            try:
                _read(answer, source, name, limits)
            finally:
                os._exit(1)  # who asked looks for an answer, and not for this
        answer.close()
        try:
            outcome = answers.recv()
        except EOFError:
            outcome = None
        answers.close()
        asked.send((outcome, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])))


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
