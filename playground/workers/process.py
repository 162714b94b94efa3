"""One process that does what it is asked, a request at a time; who may ask it is `pool`'s business.

It is started with `subprocess`: `multiprocessing` would run the entry script again.
"""

import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, NamedTuple

from playground.core.errors import LimitExceededError
from playground.workers.child import WORKER_MARK, Answer, Kind, read_message, write_message

#: Bytes of a pickled answer: more would fill the server instead of the process.
MAX_ANSWER_BYTES = 200_000_000
#: Seconds in which a process has to start; a machine under load takes a few.
_START_SECONDS = 60.0
_POLL_SECONDS = 0.1
#: The limit of time at most, times what was asked for, however long a process waits for a core.
MOST_TIMES = 3.0
_ROOT = Path(__file__).resolve().parents[2]


class CancelledError(Exception):
    """Whoever asked has gone away."""


class Request(NamedTuple):
    """A function by its dotted name, what it gets, and what it may take."""

    function: str
    arguments: tuple[object, ...]
    seconds: float
    memory_bytes: int


class Process:
    """A process that answers each request with one message; it is started when it is needed."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None
        self._answers: queue.SimpleQueue[Answer] = queue.SimpleQueue()
        self._lifeline: int | None = None

    @property
    def is_alive(self) -> bool:
        """Has it been started, and not ended?"""
        return self._child is not None and self._child.poll() is None

    def ask(
        self,
        request: Request,
        *,
        what: str,
        cancelled: threading.Event | None,
        told: Callable[[Any], object] | None = None,
    ) -> Any:
        """The function's result, or what it raised. Raises LimitExceededError and CancelledError.

        `told` is called with what the work says of itself; what it raises ends the process.
        """
        answer: Answer | None = None
        code: int | None = None
        try:
            answer = self._answer(request, what, cancelled)
            while answer is not None and answer.kind is Kind.TOLD:
                if told is not None:
                    told(pickle.loads(answer.content))
                answer = self._wait(request.seconds, cancelled)
        finally:
            if answer is None or answer.kind not in (Kind.RESULT, Kind.ERROR):
                code = self.end(is_over=answer is not None and answer.kind is Kind.ENDED)
        if answer is not None and answer.kind is Kind.RESULT:
            return pickle.loads(answer.content)
        if answer is not None and answer.kind is Kind.ERROR:
            raise pickle.loads(answer.content)
        raise _limit_error(request, what, answer, code)

    def end(self, *, is_over: bool = False) -> int | None:
        """End the process, which with `is_over` ends by itself; its exit code, None where there was none."""
        child, self._child = self._child, None
        lifeline, self._lifeline = self._lifeline, None
        if child is None:
            return None
        if is_over:
            with suppress(subprocess.TimeoutExpired):
                child.wait(5)
        child.kill()
        child.wait()
        for stream in (child.stdin, child.stdout):
            assert stream is not None
            with suppress(OSError):  # what was not yet sent cannot be
                stream.close()
        if lifeline is not None:
            os.close(lifeline)
        return child.returncode

    def _answer(self, request: Request, what: str, cancelled: threading.Event | None) -> Answer | None:
        if not self.is_alive:
            self.end()
            self._start(what)
            started = self._wait(_START_SECONDS, cancelled)
            if started is None or started.kind is not Kind.READY:
                return Answer(Kind.ENDED, b"")
        assert self._child is not None
        assert self._child.stdin is not None
        with suppress(OSError):  # it has ended, which is the answer that comes
            write_message(self._child.stdin, pickle.dumps(request, pickle.HIGHEST_PROTOCOL))
        answer = self._wait(request.seconds, cancelled)
        if answer is not None and answer.kind is Kind.LEAVING:
            self.end()
            return self._answer(request, what, cancelled)
        return answer

    def _start(self, what: str) -> None:
        """Start the process with a pipe that closes when this server ends; Windows hands none on."""
        held = self._lifeline = None
        if os.name == "posix":
            held, self._lifeline = os.pipe()
        try:
            self._child = subprocess.Popen(
                [sys.executable, "-m", "playground.workers.child", *([] if held is None else [str(held)])],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                cwd=_ROOT,
                # NumPy's threads for algebra, of which there is hardly any, wait for work while it starts.
                env={"OPENBLAS_NUM_THREADS": "1", **os.environ, WORKER_MARK: "1"},
                pass_fds=() if held is None else (held,),
                start_new_session=True,  # Ctrl+C is the server's
            )
        except OSError as error:
            if self._lifeline is not None:
                os.close(self._lifeline)
                self._lifeline = None
            raise LimitExceededError(
                f"{what} needs a process, and none could be started ({error.strerror or error})",
                limit="process",
            ) from None
        finally:
            if held is not None:
                os.close(held)
        assert self._child.stdout is not None
        self._answers = queue.SimpleQueue()
        threading.Thread(
            target=_pass_on, args=(self._child.stdout, self._answers), name="worker answers", daemon=True
        ).start()

    def _wait(self, seconds: float, cancelled: threading.Event | None) -> Answer | None:
        """The next answer, None when the time is over. Raises CancelledError.

        Time in which the process only waited for a core does not count, as far as the system tells it: on a
        busy machine one that stands back would else be ended with half its work.
        """
        begun, waited = time.monotonic(), self._seconds_without_a_core()
        deadline = begun + seconds
        while True:
            left = deadline - time.monotonic()
            try:
                return self._answers.get(
                    timeout=max(0.0, left if cancelled is None else min(left, _POLL_SECONDS))
                )
            except queue.Empty:
                if cancelled is not None and cancelled.is_set():
                    raise CancelledError from None
                if left <= 0:
                    longer = min(seconds + self._seconds_without_a_core() - waited, MOST_TIMES * seconds)
                    if begun + longer < deadline + _POLL_SECONDS:
                        return None
                    deadline = begun + longer

    def _seconds_without_a_core(self) -> float:
        """How long the process was ready while others ran (proc(5), schedstat); 0 where nothing tells."""
        if self._child is None:
            return 0.0
        with suppress(OSError, ValueError, IndexError):
            return int(Path(f"/proc/{self._child.pid}/schedstat").read_text().split()[1]) / 1e9
        return 0.0


def _limit_error(request: Request, what: str, answer: Answer | None, code: int | None) -> LimitExceededError:
    """What a process passed, by how it ended."""
    kind = None if answer is None else answer.kind
    time_signal = getattr(signal, "SIGXCPU", None)
    if kind is None or (kind is Kind.ENDED and time_signal is not None and code == -time_signal):
        return LimitExceededError(f"{what} took more than {request.seconds:,g} s, the limit", limit="time")
    megabytes = f"{request.memory_bytes / 1e6:,.0f} MB of memory"
    if kind is Kind.MEMORY:
        return LimitExceededError(f"{what} needed more than {megabytes}, the limit", limit="memory")
    if kind is Kind.TOO_LONG:
        return LimitExceededError(
            f"{what} gave more than {MAX_ANSWER_BYTES / 1e6:,.0f} MB, the limit", limit="answer"
        )
    how = f"signal {-code}" if code is not None and code < 0 else f"code {code}"
    return LimitExceededError(
        f"{what} ended its process ({how}), which may take {request.seconds:,g} s and {megabytes}",
        limit="process",
    )


def _pass_on(source: IO[bytes], answers: "queue.SimpleQueue[Answer]") -> None:
    """Put each answer of a process into the queue; the last says that it ended."""
    with suppress(OSError, ValueError):  # the pipe was closed
        while (message := read_message(source, MAX_ANSWER_BYTES)) is not None:
            answers.put(message)
    answers.put(Answer(Kind.ENDED, b""))
