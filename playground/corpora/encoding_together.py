"""Encoding on several threads, in order: the thread that reads encodes as the others do."""

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from playground.core.errors import PlaygroundError

Job = TypeVar("Job")
Result = TypeVar("Result")


def iter_encoded(
    jobs: Iterable[Job], encode: Callable[[Job], Result], n_threads: int
) -> Generator[tuple[Job, Result]]:
    """Each job with its result, in order; at most `n_threads` encode at once, this one among them.

    Few jobs are in memory at a time. What cannot be read or encoded is raised once all before it is given.

    >>> list(iter_encoded("ab", str.upper, 2))
    [('a', 'A'), ('b', 'B')]
    """
    n_helpers = n_threads - 1
    pool = ThreadPoolExecutor(max(n_helpers, 1))
    waiting: deque[tuple[Job, Future[Result]]] = deque()
    failed: list[PlaygroundError] = []
    try:
        for job in _iter_read(jobs, failed):
            # A second one for each helper to go on with while this thread encodes.
            if sum(not encoding.done() for _, encoding in waiting) < 2 * n_helpers:
                waiting.append((job, pool.submit(encode, job)))
            else:
                waiting.append((job, _encoded_here(encode, job)))
            while waiting and (waiting[0][1].done() or len(waiting) > 2 * n_threads):
                done, encoding = waiting.popleft()
                yield done, encoding.result()
        while waiting:
            done, encoding = waiting.popleft()
            yield done, encoding.result()
        for error in failed:
            raise error
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _iter_read(jobs: Iterable[Job], failed: list[PlaygroundError]) -> Iterator[Job]:
    """Those that can be read; what ends them is put into `failed`."""
    try:
        yield from jobs
    except PlaygroundError as error:
        failed.append(error)


def _encoded_here(encode: Callable[[Job], Result], job: Job) -> Future[Result]:
    encoding: Future[Result] = Future()
    try:
        encoding.set_result(encode(job))
    except PlaygroundError as error:
        encoding.set_exception(error)
    return encoding
