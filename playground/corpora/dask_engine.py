"""Count pretokens and tokens, and encode, on a Dask cluster, with the same results as on one machine.

`part_work` has the work on a part of a file. A part whose worker is lost is processed again.
"""

import hashlib
import logging
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import accumulate, count
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any

from playground.bpe.safe_cuts import SafeCuts
from playground.bpe.split_pattern import SplitPattern
from playground.core.errors import InvalidInputError, PlaygroundError
from playground.core.home import DISTRIBUTION
from playground.core.tokenizer import Tokenizer
from playground.core.vocabulary import Ids
from playground.corpora import part_work
from playground.corpora.blocks import common_cuts
from playground.corpora.cores import encoders_of
from playground.corpora.corpus_pretokens import CorpusPretokens, cuts_of
from playground.corpora.part_work import Split, TokenizerParcel
from playground.corpora.parts import PART_BYTES, Part, parts_of
from playground.corpora.sources import Source
from playground.corpora.streams import OnRead
from playground.corpora.token_counts import Counted, FileCount, Tally, names_by_library

#: Tables merged at once; a worker holds this many and their sum.
MERGED_AT_ONCE = 8
#: Time limits for the scheduler's answer, and for the first worker.
WAIT_SECONDS = 30
#: Time between two looks whether any worker is left.
LOOK_SECONDS = 3
#: Task keys end in a unique number, after the name that messages show.
_KEY_MARK = " #"
_NUMBERS = count()
_ROOT = Path(__file__).resolve().parents[1]


class LostWorkerError(PlaygroundError):
    """A worker was lost repeatedly with the same work, or the scheduler was lost."""


@contextmanager
def cluster(scheduler: str = "", *, n_workers: int = 2) -> Iterator[Any]:
    """Yield a client of a scheduler, or of processes on this machine that end with it.

    Raises InvalidInputError where Dask is not installed, no scheduler answers or a worker has other code;
    LostWorkerError where one is lost again and again.
    """
    try:
        import distributed
        from distributed import CancelledError, KilledWorker
    except ImportError as error:
        raise InvalidInputError(
            f"--engine dask needs Dask; install it with: pip install '{DISTRIBUTION}[scale]'"
        ) from error
    for name in ("distributed", "tornado", "asyncio"):  # their log messages are replaced by ours
        logging.getLogger(name).setLevel(logging.CRITICAL)
    made: Any = distributed
    local = None
    try:
        if not scheduler:
            with _deaf_to_ctrl_c():
                local = made.LocalCluster(
                    n_workers=n_workers,
                    threads_per_worker=1,
                    dashboard_address="127.0.0.1:0",
                    silence_logs=logging.CRITICAL,
                )
        try:
            client = made.Client(local or scheduler, timeout=WAIT_SECONDS, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            raise InvalidInputError(
                f"--scheduler {scheduler}: no Dask scheduler answers there; it is an address such as "
                "tcp://127.0.0.1:8786, as `dask scheduler` prints it"
            ) from error
        try:
            _check_workers(client, scheduler)
            yield client
        except KilledWorker as error:
            raise LostWorkerError(
                f"{str(error.task).split(_KEY_MARK)[0]}: the worker that had it was lost "
                f"{error.allowed_failures + 1} times, usually because its memory was full"
            ) from error
        except CancelledError as error:
            raise LostWorkerError(f"the scheduler {scheduler} was lost") from error
        finally:
            client.close()
    finally:
        if local is not None:
            local.close()


@contextmanager
def _deaf_to_ctrl_c() -> Iterator[None]:
    """Block Ctrl-C in threads and processes that start in this block; this process ends them itself.

    A Ctrl-C pressed meanwhile is delivered afterwards.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    resource_tracker.ensure_running()  # a thread started later would not block the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def count_with_held_out(
    client: Any,
    sources: Sequence[Source],
    pattern: SplitPattern,
    share: float,
    *,
    max_pretokens: int = 0,
    on_read: OnRead = lambda _n_bytes: None,
    part_bytes: int = PART_BYTES,
) -> CorpusPretokens:
    """Do `corpus_pretokens.count_with_held_out`: count each part, then merge the tables in a tree.

    Raises: InvalidInputError, and what `cluster` does.
    """
    parts = parts_of(sources, cuts_of(pattern), part_bytes=part_bytes)
    report = _once_at_a_time(on_read)
    level = [
        _submit(client, part_work.count_pretokens_of, part, pattern, share, max_pretokens, on_done=report)
        for part in parts
    ]
    n_levels = 0
    while len(level) > 1:
        n_levels += 1  # merging first frees memory before more is counted
        level = [
            client.submit(
                part_work.merge_pretokens,
                level[first : first + MERGED_AT_ONCE],
                max_pretokens,
                key=f"merging tables{_KEY_MARK}{next(_NUMBERS)}-{client.id}",
                priority=n_levels,
            )
            for first in range(0, len(level), MERGED_AT_ONCE)
        ]
    (last,) = level
    del level
    found: CorpusPretokens = _result(client, last)
    return found


def count_tokens(
    client: Any,
    sources: Sequence[Source],
    tokenizers: Sequence[Tokenizer],
    *,
    allow_special: bool = False,
    on_read: OnRead = lambda _n_bytes: None,
    part_bytes: int = PART_BYTES,
) -> Counted:
    """Do `token_counts.count_tokens`. Raises what `cluster` does."""
    cuts = common_cuts(tokenizers, allow_special=allow_special)
    parcel = TokenizerParcel.of(tokenizers, allow_special=allow_special)
    errors: dict[int, str] = {}
    parts: list[Part] = []
    for number, source in enumerate(sources):
        try:
            parts += [part._replace(file=number) for part in parts_of([source], cuts, part_bytes=part_bytes)]
        except InvalidInputError as error:
            errors[number] = str(error)
    shared = client.submit(_same, parcel)
    report = _once_at_a_time(on_read)
    futures = [_submit(client, part_work.tally_of, part, shared, on_done=report) for part in parts]
    tallies: dict[int, list[Tally]] = {number: [] for number in range(len(sources))}
    _wait(client, futures)
    for part, found in zip(parts, client.gather(futures), strict=True):
        if isinstance(found, str):
            errors.setdefault(part.file, found)
        else:
            tallies[part.file].append(found)
    files = [
        FileCount.total_of(source.path, tallies[number], len(tokenizers))
        for number, source in enumerate(sources)
        if number not in errors
    ]
    by_library = names_by_library(
        encoders_of(tokenizers, allow_special=allow_special), sum(count.characters for count in files)
    )
    return Counted(files, [errors[number] for number in sorted(errors)], by_library)


def first_documents(client: Any, parts: Sequence[Part], cuts: SafeCuts) -> list[int]:
    """Return the number of the first document that ends in each part, by reading the files."""
    futures = [_submit(client, part_work.n_documents_of, part, cuts) for part in parts]
    _wait(client, futures)
    found = client.gather(futures)
    return list(accumulate(found, initial=0))[:-1]


def iter_encoded(
    client: Any, parts: Sequence[Part], firsts: Sequence[int], parcel: TokenizerParcel, split: Split
) -> Iterator[tuple[list[Ids], tuple[int, int], int]]:
    """Yield the results of `part_work.encode_part` in the order of the parts, given their first documents.

    A few are encoded ahead. Raises what `cluster` does.
    """
    shared = client.submit(_same, parcel)
    n_ahead = 2 * max(1, sum(client.nthreads().values()))
    waiting: deque[Any] = deque()
    for part, first in zip(parts, firsts, strict=True):
        waiting.append(_submit(client, part_work.encode_part, part, first, shared, split))
        if len(waiting) > n_ahead:
            yield _result(client, waiting.popleft())
    while waiting:
        yield _result(client, waiting.popleft())


def _result(client: Any, future: Any) -> Any:
    _wait(client, [future])
    return future.result()


def _wait(client: Any, futures: Sequence[Any]) -> None:
    """Wait until all work has ended. Raises LostWorkerError once there is no worker for two looks."""
    import distributed

    wait: Any = distributed.wait
    n_looks = 0
    while True:
        try:
            with client.as_current():
                wait(futures, timeout=LOOK_SECONDS)
            return
        except TimeoutError:
            n_looks = 0 if client.nthreads() else n_looks + 1
        if n_looks == 2:
            raise LostWorkerError(
                "the last worker was lost and no other has come; start one with `dask worker` and run the "
                "command again"
            )


def _submit(
    client: Any, work: Callable[..., Any], part: Part, *arguments: object, on_done: OnRead | None = None
) -> Any:
    key = f"{part.place}{_KEY_MARK}{next(_NUMBERS)}-{client.id}"
    future = client.submit(work, part, *arguments, key=key)
    if on_done is not None:
        future.add_done_callback(lambda _future: on_done(part.n_bytes))
    return future


def _same(value: Any) -> Any:
    """Send a value once; each worker that needs it fetches it."""
    return value


def _once_at_a_time(on_read: OnRead) -> OnRead:
    lock = threading.Lock()

    def report(n_bytes: int) -> None:
        with lock:
            on_read(n_bytes)

    return report


@cache
def code_digest() -> str:
    """Return a hash of the source code: a worker with other code may count differently."""
    digest = hashlib.sha256()
    for room in ("core", "bpe", "files", "catalog", "training", "corpora"):
        for path in sorted((_ROOT / room).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _check_workers(client: Any, scheduler: str) -> None:
    """Check that each worker can import this code in the same version. Raises InvalidInputError."""

    def digest_there() -> str:  # sent by value, because a worker may lack this module
        try:
            from playground.corpora.dask_engine import code_digest
        except ImportError as error:
            return f"cannot import {error.name}"
        return code_digest()

    try:
        client.wait_for_workers(1, timeout=WAIT_SECONDS)
    except TimeoutError as error:
        raise InvalidInputError(
            f"--scheduler {scheduler}: no worker has come in {WAIT_SECONDS} s; start one with "
            f"`dask worker {scheduler or 'ADDRESS'}` in a folder of this code"
        ) from error
    for worker, found in client.run(digest_there).items():
        if found != code_digest():
            what = found if found.startswith("cannot") else "has another version of this code"
            raise InvalidInputError(
                f"the worker {worker} {what}; start it in a folder of the same code, with the same packages"
            )
