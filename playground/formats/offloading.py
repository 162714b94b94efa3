"""What a visitor brings is read and converted: small data here, large data in processes with limits.

Python runs one thread at a time: other visitors' keys must not wait for a megabyte of YAML, and a parser that
crashes ends a process that is not the server. How large data is, is known before the work begins.
"""

import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import replace
from typing import Any

from playground.core.errors import LimitExceededError
from playground.formats.conversion import Job, write
from playground.formats.limits import check_n_bytes
from playground.formats.reading import Document, read_document
from playground.formats.registry import FORMATS
from playground.formats.tasks import Packed
from playground.formats.values import Conversion, Data, WriteOptions
from playground.workers import pool

#: Bytes of input that are read here, and what a conversion may write here, repeated paths and levels with it.
MAX_BYTES_HERE, MAX_WORK_HERE = 50_000, 500_000
#: Seconds for reading, and for all formats together; a person waits for both.
READ_SECONDS, CONVERT_SECONDS = 12.0, 15.0
MEMORY_BYTES = 2_000_000_000
#: Characters of all texts of one conversion, which the server keeps for the visitor.
MAX_KEPT_CHARACTERS = 150_000_000
_TICK_SECONDS = 0.1
#: The formats that take longest. They are begun first, so that none is left alone at the end, or last where
#: the packed data has more bytes than all formats can be written of in time.
_SLOWEST = ("python", "toml", "yaml", "yaml_flow", "html", "toon", "properties", "xml_elements", "json5")
_MAX_BYTES_IN_TIME = 4_000_000

OnWait = Callable[[], object]


def open_document(
    source: str | bytes,
    input_format: str | None = None,
    *,
    visitor: str = "",
    on_wait: OnWait = lambda: None,
) -> Document:
    """Read data as `read_document` does; what is large is read by a process, and comes back packed.

    >>> open_document('{"a": 1}').data
    {'a': 1}

    `on_wait` is called a few times a second while a process works, and ends the work if it raises. Raises
    LimitExceededError and what `read_document` raises.
    """
    n_bytes = len(source) if isinstance(source, bytes) else len(source.encode(errors="surrogatepass"))
    check_n_bytes(n_bytes)
    if n_bytes <= MAX_BYTES_HERE:
        document = read_document(source, input_format)
        if not _is_large(Job(document.data, WriteOptions())):
            return document
        return replace(document, data=Packed.of(document.data))
    with _Asking(visitor) as asking:
        asking.ask(
            "", "playground.formats.tasks.read_packed", source, input_format,
            what="reading this data", seconds=READ_SECONDS,
        )  # fmt: skip
        for _, found in asking.iter_answers(on_wait):
            if isinstance(found, Exception):
                raise found
            document = found
    return document


def iter_conversions(
    data: Data,
    options: WriteOptions | None = None,
    *,
    formats: Iterable[str] = FORMATS,
    visitor: str = "",
    on_wait: OnWait = lambda: None,
) -> Generator[Conversion, None, None]:
    """Yield a Conversion for each format as soon as it is written and read back.

    Large data goes to processes, and then the fastest format comes first; otherwise they come in the
    order asked for. A format over which a limit is passed cannot hold the data, and says which.

    >>> for found in iter_conversions([{"zip": "10000"}], formats=["csv"]):
    ...     print(found.text, found.fidelity, found.losses[0].places)
    zip
    10000 lossy ('[].zip',)
    """
    options = options or WriteOptions()
    if not isinstance(data, Packed):
        job = Job(data, options)
        if not _is_large(job):
            for name in formats:
                yield job.convert(name)
            return
        data = Packed.of(data)
    n_left = MAX_KEPT_CHARACTERS
    for found in _iter_offloaded(data, options, list(formats), visitor, on_wait):
        if found.text is not None:
            if len(found.text) <= n_left:
                n_left -= len(found.text)
            else:
                reason = f"all formats together have more than {MAX_KEPT_CHARACTERS:,} characters, the limit"
                found = Conversion(found.format_name, None, "cannot", reason=reason)
        yield found


def write_data(data: Data, format_name: str, options: WriteOptions, *, visitor: str = "") -> str:
    """The data in one format, packed or not, without proof. Raises as `write` does, and LimitExceededError.

    >>> write_data(Packed.of({"a": 1}), "yaml", WriteOptions())
    'a: 1'
    """
    if not isinstance(data, Packed):
        return write(data, FORMATS[format_name], options)
    text: str = pool.run(
        "playground.formats.tasks.write_packed", data, options, format_name,
        what=FORMATS[format_name].label, visitor=visitor, seconds=CONVERT_SECONDS, memory_bytes=MEMORY_BYTES,
    )  # fmt: skip
    return text


def _is_large(job: Job) -> bool:
    return len(job.data_repr) + job.size.n_levels + job.size.n_path_characters > MAX_WORK_HERE


def _iter_offloaded(
    packed: Packed, options: WriteOptions, format_names: Sequence[str], visitor: str, on_wait: OnWait
) -> Iterator[Conversion]:
    deadline = time.monotonic() + CONVERT_SECONDS
    slow = [name for name in _SLOWEST if name in format_names]
    fast = [name for name in format_names if name not in slow]
    is_slow_first = len(packed.content) <= _MAX_BYTES_IN_TIME
    with _Asking(visitor, deadline) as asking:
        for name in [*slow, *fast] if is_slow_first else [*fast, *slow]:
            asking.ask(
                name, "playground.formats.tasks.convert_packed", packed, options, name,
                what=f"writing and reading back {FORMATS[name].label}", seconds=CONVERT_SECONDS,
            )  # fmt: skip
        for name, found in asking.iter_answers(on_wait):
            if isinstance(found, LimitExceededError):
                found = Conversion(name, None, "cannot", reason=_reason(found))
            elif isinstance(found, Exception):
                raise found
            yield found


def _reason(error: LimitExceededError) -> str:
    if error.limit == "time":
        return f"all formats together took more than {CONVERT_SECONDS:g} s, the limit; this one was not done"
    return str(error)


class _Asking:
    """Requests to the pool, as many at once as a visitor may have; whoever leaves the block ends them."""

    def __init__(self, visitor: str, deadline: float | None = None) -> None:
        self._visitor = visitor
        self._deadline = deadline
        self._cancelled = threading.Event()
        self._threads = ThreadPoolExecutor(pool.N_PER_VISITOR, thread_name_prefix="formats")
        self._pending: dict[Any, str] = {}

    def __enter__(self) -> "_Asking":
        return self

    def __exit__(self, *_error: object) -> None:
        self._cancelled.set()
        self._threads.shutdown(cancel_futures=True)

    def ask(self, name: str, function: str, *arguments: object, what: str, seconds: float) -> None:
        """Queue a request; its answer comes with its name."""
        self._pending[self._threads.submit(self._run, function, arguments, what, seconds)] = name

    def iter_answers(self, on_wait: OnWait) -> Iterator[tuple[str, Any]]:
        """Yield names and what was returned, or raised, in the order in which the work ends."""
        while self._pending:
            done, _ = wait(self._pending, _TICK_SECONDS, FIRST_COMPLETED)
            if not done:
                on_wait()
            for future in done:
                error = future.exception()
                yield self._pending.pop(future), error if error is not None else future.result()

    def _run(self, function: str, arguments: tuple[object, ...], what: str, seconds: float) -> Any:
        if self._deadline is not None:
            seconds = min(seconds, self._deadline - time.monotonic())
            if seconds <= 0:
                raise LimitExceededError(f"{what} was not begun in time", limit="time")
        return pool.run(
            function, *arguments, what=what, visitor=self._visitor, seconds=seconds,
            memory_bytes=MEMORY_BYTES, cancelled=self._cancelled,
        )  # fmt: skip
