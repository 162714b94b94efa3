"""Work on blocks of text on several cores. splintr holds the interpreter, so a core has its own process."""

import multiprocessing
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING, TypeVar

from playground.core.errors import LimitExceededError, PlaygroundError
from playground.core.tokenizer import NO_SPECIAL, Tokenizer
from playground.corpora.encoders import Encoder

if TYPE_CHECKING:
    from playground.corpora.part_work import TokenizerParcel

Job = TypeVar("Job")
Result = TypeVar("Result")
Work = Callable[[list[Encoder], Job], Result]

#: From this number of bytes on, other processes count, too; they start while one would count tens of MB.
MUCH_BYTES = 100_000_000
_encoders: list[Encoder] = []


def encoders_of(tokenizers: Sequence[Tokenizer], *, allow_special: bool) -> list[Encoder]:
    """Return an encoder for each tokenizer."""
    return [
        Encoder(one, allowed_special=frozenset(one.special_tokens) if allow_special else NO_SPECIAL)
        for one in tokenizers
    ]


def iter_done(
    jobs: Iterable[Job],
    work: Work[Job, Result],
    encoders: list[Encoder],
    *,
    allow_special: bool,
    n_cores: int,
    n_bytes: int,
) -> Generator[tuple[Job, Result]]:
    """Yield each job with the result of `work`, a function of a module, in order.

    Few jobs are in memory at a time. The encoders work here if there are few bytes. An error is raised after
    the results of all earlier jobs.

    Raises: LimitExceededError if a process was ended from outside, and what `work` raises.
    """
    if n_cores == 1 or n_bytes < MUCH_BYTES:
        for job in jobs:
            yield job, work(encoders, job)
        return
    from playground.corpora.part_work import TokenizerParcel  # only here: it loads the readers of files

    parcel = TokenizerParcel.of([encoder.tokenizer for encoder in encoders], allow_special=allow_special)
    spawn = multiprocessing.get_context("spawn")  # the same on each system, and safe beside threads
    pool = ProcessPoolExecutor(n_cores, spawn, initializer=_begin, initargs=(parcel,))
    waiting: deque[tuple[Job, Future[Result]]] = deque()
    failed: list[PlaygroundError] = []
    try:
        for job in _iter_read(jobs, failed):
            waiting.append((job, pool.submit(_do, work, job)))
            while len(waiting) > 2 * n_cores or waiting[0][1].done():
                done, result = waiting.popleft()
                yield done, result.result()
                if not waiting:
                    break
        while waiting:
            done, result = waiting.popleft()
            yield done, result.result()
        for error in failed:
            raise error
    except BrokenProcessPool as error:
        raise LimitExceededError(
            "a process was ended from outside, usually because memory was full; --threads takes fewer cores",
            limit="process",
        ) from error
    finally:
        pool.shutdown(cancel_futures=True)


def _iter_read(jobs: Iterable[Job], failed: list[PlaygroundError]) -> Iterator[Job]:
    """Yield the jobs that can be read; the error that ends them is added to `failed`."""
    try:
        yield from jobs
    except PlaygroundError as error:
        failed.append(error)


def _begin(parcel: "TokenizerParcel") -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the first process, which ends this one
    _encoders[:] = encoders_of(parcel.tokenizers(), allow_special=parcel.allow_special)


def _do(work: Work[Job, Result], job: Job) -> Result:
    return work(_encoders, job)
