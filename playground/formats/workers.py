"""Large data converted by processes of their own, so that two cores share the work and the server answers.

Python runs one thread at a time, and a megabyte takes seconds. A crash of a parser ends a process that is not
the server. What a conversion is, `conversion` says.
"""

import gc
import os
import pickle
import queue
import subprocess
import sys
import threading
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from playground.formats.conversion import Job
from playground.formats.registry import FORMATS
from playground.formats.values import Conversion, Data, WriteOptions

#: Characters of the data's `repr` from which on a process is worth its start of half a second.
MIN_CHARACTERS = 300_000
N_WORKERS = 2
#: Seconds after which processes that nobody needs are ended; each holds 90 MB.
IDLE_SECONDS = 300
_ROOT = Path(__file__).resolve().parents[2]
#: The formats that take longest, which are begun first.
_SLOWEST = ("python", "toml", "yaml", "yaml_flow", "html", "toon", "properties", "xml_elements", "json5")


def iter_conversions(
    data: Data, options: WriteOptions | None = None, *, formats: Iterable[str] = FORMATS
) -> Generator[Conversion, None, None]:
    """Yield a Conversion for each format as soon as it is written and read back.

    Large data goes to the processes, and then the fastest format comes first;
    otherwise they come in the order asked for.

    >>> for found in iter_conversions([{"zip": "10000"}], formats=["csv"]):
    ...     print(found.text, found.fidelity, found.losses[0].places)
    zip
    10000 lossy ('[].zip',)
    """
    job = Job(data, options or WriteOptions())
    if len(job.data_repr) >= MIN_CHARACTERS:
        yield from _iter_converted(job, list(formats))
        return
    for name in formats:
        yield job.convert(name)


def _iter_converted(job: Job, format_names: Sequence[str]) -> Iterator[Conversion]:
    """Yield the conversions as they are done, in any order.

    Where no process can be started, this one converts. A format over which a process ends cannot hold the
    data, and says so.
    """
    first = [name for name in _SLOWEST if name in format_names]
    waiting = queue.SimpleQueue[str]()
    for name in [*first, *(name for name in format_names if name not in first)]:
        waiting.put(name)
    done = queue.SimpleQueue[Conversion | Exception]()
    is_cancelled = threading.Event()
    with _POOL.lock:
        threads = [
            threading.Thread(target=_work, args=(worker, job, waiting, done, is_cancelled), daemon=True)
            for worker in _POOL.take()
        ]
        for thread in threads:
            thread.start()
        try:
            for _ in format_names:
                found = done.get()
                if isinstance(found, Exception):
                    raise found
                yield found
        finally:
            is_cancelled.set()
            for thread in threads:
                thread.join()
            _POOL.end_when_idle()


def _work(
    worker: "_Worker",
    job: Job,
    waiting: "queue.SimpleQueue[str]",
    done: "queue.SimpleQueue[Conversion | Exception]",
    is_cancelled: threading.Event,
) -> None:
    """Have one process convert what waits."""
    while not is_cancelled.is_set():
        try:
            name = waiting.get_nowait()
        except queue.Empty:
            break
        try:
            done.put(worker.convert(job, name))
        except _NotStartedError:
            done.put(job.convert(name))
        except (EOFError, OSError, pickle.PickleError):
            worker.end()
            reason = (
                "the process that converted to it ended; the data may be too much for this format's library"
            )
            done.put(Conversion(name, None, "cannot", reason=reason))
        except Exception as error:
            done.put(error)
            break
    worker.forget()


class _NotStartedError(Exception):
    """This machine starts no process."""


@dataclass
class _Worker:
    """A process that answers each message with one, both pickled; nobody else can write to its pipes."""

    process: "subprocess.Popen[bytes] | None" = None
    job: Job | None = None  # what the process has

    def convert(self, job: Job, format_name: str) -> Conversion:
        """Have the process convert. Raises _NotStartedError; EOFError or OSError where it ended."""
        if self.job is not job:
            if self.process is None or self.process.poll() is not None:
                self.end()
                self.process = _started()
            self._ask((job.data, job.options))
            self.job = job
        found: Conversion = self._ask(format_name)
        return found

    def forget(self) -> None:
        """Let the process drop its data."""
        if self.job is not None:
            self.job = None
            try:
                self._ask(None)
            except (EOFError, OSError):
                self.end()

    def _ask(self, message: object) -> Any:
        assert self.process is not None
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        pickle.dump(message, self.process.stdin, pickle.HIGHEST_PROTOCOL)
        self.process.stdin.flush()
        return pickle.load(self.process.stdout)

    def end(self) -> None:
        """End the process; the next message starts another."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            for stream in (self.process.stdin, self.process.stdout):
                assert stream is not None
                with suppress(OSError):  # what was not yet sent cannot be
                    stream.close()
            self.process = self.job = None


@dataclass
class _Pool:
    """The processes of this server; one job at a time has them all."""

    workers: list[_Worker] = field(default_factory=lambda: [_Worker() for _ in range(N_WORKERS)])
    lock: threading.Lock = field(default_factory=threading.Lock)
    timer: threading.Timer | None = None

    def take(self) -> list[_Worker]:
        """The workers, for whoever holds the lock."""
        if self.timer is not None:
            self.timer.cancel()
        return self.workers

    def end_when_idle(self) -> None:
        """End the processes later, unless they are taken again."""
        self.timer = threading.Timer(IDLE_SECONDS, self._end_all)
        self.timer.daemon = True
        self.timer.start()

    def _end_all(self) -> None:
        with self.lock:
            if self.timer is threading.current_thread():  # not taken while this waited for the lock
                for worker in self.workers:
                    worker.end()


_POOL = _Pool()


def _started() -> "subprocess.Popen[bytes]":
    try:
        return subprocess.Popen(
            [sys.executable, "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=_ROOT,
            start_new_session=True,  # Ctrl+C is the server's; its end closes the pipe, and ends this too
        )
    except OSError as error:
        raise _NotStartedError from error


def _serve(source: IO[bytes], answers: IO[bytes]) -> None:
    """Answer messages until there are no more: data and options, then names of formats, None at the end."""
    job: Job | None = None
    while True:
        try:
            message = pickle.load(source)
        except EOFError:
            return
        answer: object = None
        if isinstance(message, tuple):
            job = Job(*message)
        elif message is None:
            job = None
            gc.collect()
        elif job is not None:
            answer = job.convert(message)
        pickle.dump(answer, answers, pickle.HIGHEST_PROTOCOL)
        answers.flush()


def _main() -> None:
    """What a process runs; whatever a library prints must not stand among the answers."""
    gc.disable()  # data has no cycles; looking for them takes a fifth of the time
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    _serve(sys.stdin.buffer, answers)


if __name__ == "__main__":
    _main()
