"""One worker process, which the server starts with `subprocess` and asks one request at a time.

`multiprocessing` would run the server's entry script again.
"""

import mmap
import os
import pickle
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, NamedTuple

from playground.core.errors import LimitExceededError
from playground.workers.answers import read_answer
from playground.workers.child import TIME_SIGNAL, WORKER_MARK, Answer, Kind, read_message, write_message

#: Bytes of a pickled answer, which the server itself must hold.
MAX_ANSWER_BYTES = 200_000_000
#: A process that holds more memory than this after a request is ended; a new one holds 40 to 120 MB.
MAX_IDLE_BYTES = 280_000_000
#: A process may wait for a core: the clock allows this many times the CPU time.
CLOCK_FACTOR = 3.0
_START_SECONDS = 60.0
_POLL_SECONDS = 0.1
_ROOT = Path(__file__).resolve().parents[2]


class CancelledError(Exception):
    """The result is no longer wanted."""


class Request(NamedTuple):
    """A function by its dotted name, its arguments, and its limits."""

    function: str
    arguments: tuple[object, ...]
    seconds: float
    memory_bytes: int


class Process:
    """A process that answers requests; it is started when it is first needed, and again after it ended."""

    def __init__(self, max_idle_bytes: int = MAX_IDLE_BYTES) -> None:
        self._max_idle_bytes = max_idle_bytes
        self._child: subprocess.Popen[bytes] | None = None
        self._answers: queue.SimpleQueue[Answer] = queue.SimpleQueue()

    @property
    def is_alive(self) -> bool:
        """True from the start of the process until its end."""
        return self._child is not None and self._child.poll() is None

    def ask(
        self,
        request: Request,
        *,
        what: str,
        cancelled: threading.Event | None = None,
        on_progress: Callable[[Any], object] | None = None,
    ) -> Any:
        """Return the function's result, or raise what it raised, LimitExceededError or CancelledError.

        `on_progress` is called with what the function reports; if it raises, the process is ended.
        """
        answer: Answer | None = None
        exit_code: int | None = None
        try:
            answer = self._answer(request, what, cancelled)
            while answer is not None and answer.kind is Kind.PROGRESS:
                if on_progress is not None:
                    on_progress(read_answer(answer.content))
                answer = self._wait(CLOCK_FACTOR * request.seconds, cancelled)
        finally:
            if answer is None or answer.kind not in (Kind.RESULT, Kind.ERROR):
                exit_code = self.end(has_ended=answer is not None and answer.kind is Kind.ENDED)
        if answer is None or answer.kind not in (Kind.RESULT, Kind.ERROR):
            raise _limit_error(request, what, answer, exit_code)
        if self._resident_bytes() > self._max_idle_bytes:
            self.end()
        found = read_answer(answer.content)
        if answer.kind is Kind.ERROR:
            raise found
        return found

    def end(self, *, has_ended: bool = False) -> int | None:
        """End the process and return its exit code; None if there was no process."""
        child, self._child = self._child, None
        if child is None:
            return None
        if has_ended:  # its output closed; the exit code of its own comes in a moment
            with suppress(subprocess.TimeoutExpired):
                child.wait(5)
        child.kill()
        child.wait()
        for stream in (child.stdin, child.stdout):
            assert stream is not None
            with suppress(OSError):  # a request that was not sent whole
                stream.close()
        return child.returncode

    def _answer(self, request: Request, what: str, cancelled: threading.Event | None) -> Answer | None:
        if not self.is_alive:
            self.end()
            self._start(what)
            ready = self._wait(_START_SECONDS, cancelled)
            if ready is None or ready.kind is not Kind.READY:
                return Answer(Kind.ENDED, b"")
        assert self._child is not None
        assert self._child.stdin is not None
        with suppress(OSError):  # the process has ended, which is the answer that comes
            write_message(self._child.stdin, pickle.dumps(request, pickle.HIGHEST_PROTOCOL))
        return self._wait(CLOCK_FACTOR * request.seconds, cancelled)

    def _start(self, what: str) -> None:
        try:
            self._child = subprocess.Popen(
                [sys.executable, "-m", "playground.workers.child"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                cwd=_ROOT,
                # NumPy's threads for linear algebra, which is not needed here, cost time at the start.
                env={"OPENBLAS_NUM_THREADS": "1", **os.environ, WORKER_MARK: "1"},
                start_new_session=True,  # Ctrl+C goes to the server only
            )
        except OSError as error:
            raise LimitExceededError(
                f"{what} needs a process, and none could be started ({error.strerror or error})",
                limit="process",
            ) from None
        assert self._child.stdout is not None
        self._answers = queue.SimpleQueue()
        threading.Thread(
            target=_read_answers, args=(self._child.stdout, self._answers), name="worker answers", daemon=True
        ).start()

    def _wait(self, seconds: float, cancelled: threading.Event | None) -> Answer | None:
        """Return the next answer; None after this many seconds. Raises CancelledError."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            if cancelled is not None and cancelled.is_set():
                raise CancelledError
            with suppress(queue.Empty):
                return self._answers.get(timeout=left if cancelled is None else min(left, _POLL_SECONDS))
        return None

    def _resident_bytes(self) -> int:
        """Return the memory that the process holds; 0 where there is no proc(5)."""
        with suppress(OSError, AttributeError):
            statm = Path(f"/proc/{self._child.pid}/statm").read_text()  # type: ignore[union-attr]
            return int(statm.split()[1]) * mmap.PAGESIZE
        return 0


def _limit_error(
    request: Request, what: str, answer: Answer | None, exit_code: int | None
) -> LimitExceededError:
    """Map the end of a process to the limit it exceeded: CPU time, memory, size of the answer, or other."""
    kind = None if answer is None else answer.kind
    if kind is None or (kind is Kind.ENDED and TIME_SIGNAL is not None and exit_code == -TIME_SIGNAL):
        return LimitExceededError(f"{what} took more than {request.seconds:,g} s, the limit", limit="time")
    megabytes = f"{request.memory_bytes / 1e6:,.0f} MB of memory"
    if kind is Kind.MEMORY:
        return LimitExceededError(f"{what} needed more than {megabytes}, the limit", limit="memory")
    if kind is Kind.TOO_LONG:
        return LimitExceededError(
            f"{what} gave more than {MAX_ANSWER_BYTES / 1e6:,.0f} MB, the limit", limit="answer"
        )
    how = f"signal {-exit_code}" if exit_code is not None and exit_code < 0 else f"code {exit_code}"
    return LimitExceededError(
        f"{what} ended its process ({how}), which may take {request.seconds:,g} s and {megabytes}",
        limit="process",
    )


def _read_answers(source: IO[bytes], answers: "queue.SimpleQueue[Answer]") -> None:
    """Put each answer of a process into the queue, and ENDED at the end."""
    with suppress(OSError, ValueError):  # the pipe was closed
        while (message := read_message(source, MAX_ANSWER_BYTES)) is not None:
            answers.put(message)
    answers.put(Answer(Kind.ENDED, b""))
