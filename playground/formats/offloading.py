"""Read and convert data: small data in this process, large data in worker processes with limits.

Python runs one thread at a time, so a megabyte of YAML here would keep other visitors' key presses waiting;
and a parser that crashes ends only its own process. The size of data is known before the work begins.
"""

import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

from playground.core.errors import LimitExceededError
from playground.core.tokenizer import Tokenizer
from playground.formats.conversion import Job, write
from playground.formats.limits import MAX_INPUT_BYTES, check_n_bytes
from playground.formats.reading import Document, read_document
from playground.formats.registry import FORMATS
from playground.formats.roles import tokens_by_role
from playground.formats.scaling import Grow, Growth, find_growth
from playground.formats.tasks import Packed, pack_tokenizer
from playground.formats.values import Conversion, Data, Role, WriteOptions
from playground.workers import pool
from playground.workers.process import CancelledError

#: Bytes of input that are read in this process; and for conversions, characters including repeated ones.
MAX_BYTES_HERE, MAX_WORK_HERE = 50_000, 500_000
#: Seconds for reading, for all conversions, and for both together (what reading leaves goes to conversions).
READ_SECONDS, CONVERT_SECONDS, READ_AND_CONVERT_SECONDS = 12.0, 15.0, 26.0
MEMORY_BYTES = 2_000_000_000
#: Characters of all converted texts together, which the server keeps in memory for a visitor.
MAX_KEPT_CHARACTERS = 50_000_000
_TICK_SECONDS = 0.1
#: Characters of all texts whose tokens are counted by role in this process, and seconds for more.
MAX_CHARACTERS_HERE = 1_000_000
ROLE_SECONDS, GROW_SECONDS = 25.0, 25.0

OnWait = Callable[[], object]


class FormatRoles(NamedTuple):
    """A format's tokens by role, or the limit that was exceeded."""

    format_name: str
    parts: dict[Role, int] | None
    reason: str = ""


def open_document(
    source: str | bytes,
    input_format: str | None = None,
    *,
    file_name: str = "",
    instead: Mapping[str, str] = MappingProxyType({}),
    visitor: str = "",
    max_bytes: int = MAX_INPUT_BYTES,
    on_wait: OnWait = lambda: None,
) -> Document:
    """Read data as `read_document` does; large data is read by a process, and its data is `Packed`.

    >>> open_document('{"a": 1}').data
    {'a': 1}

    `on_wait` is called a few times a second while a process works, and ends the work if it raises. Raises
    LimitExceededError and what `read_document` raises.
    """
    check_n_bytes(source, max_bytes)
    if len(source) <= MAX_BYTES_HERE:
        document = read_document(source, input_format, file_name=file_name, instead=instead)
        if not _is_large(Job(document.data, WriteOptions())):
            return document
        return replace(document, data=Packed.of(document.data))
    with _Asking(visitor) as asking:
        asking.ask(
            "", "playground.formats.tasks.read_packed", source, input_format, file_name, dict(instead),
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
    seconds: float = 0.0,
) -> Generator[Conversion, None, None]:
    """Yield a Conversion for each format as soon as it is written and read back.

    Large data is converted by processes, and gets `seconds`, but at least CONVERT_SECONDS. A format that
    exceeds a limit has no text, and its `reason` names the limit.

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
    for found in _iter_offloaded(
        data, options, list(formats), visitor, on_wait, max(seconds, CONVERT_SECONDS)
    ):
        if found.text is not None:
            if len(found.text) <= n_left:
                n_left -= len(found.text)
            else:
                reason = f"all formats together have more than {MAX_KEPT_CHARACTERS:,} characters, the limit"
                found = Conversion(found.format_name, None, "cannot", reason=reason, is_over_limit=True)
        yield found


def iter_format_roles(
    conversions: Iterable[Conversion],
    tokenizer: Tokenizer,
    *,
    visitor: str = "",
    on_wait: OnWait = lambda: None,
) -> Generator[FormatRoles, None, None]:
    """Yield the tokens by role of each conversion that has a text, as soon as they are counted.

    Long texts are counted by processes, the shortest first.
    """
    texts = {found.format_name: found.text for found in conversions if found.text is not None}
    if sum(map(len, texts.values())) <= MAX_CHARACTERS_HERE:
        for name, text in texts.items():
            on_wait()
            yield FormatRoles(name, tokens_by_role(text, FORMATS[name], tokenizer))
        return
    packed = pack_tokenizer(tokenizer)
    with _Asking(visitor, time.monotonic() + ROLE_SECONDS) as asking:
        for name in sorted(texts, key=lambda name: len(texts[name])):
            asking.ask(
                name, "playground.formats.tasks.text_tokens_by_role", texts[name], name, packed,
                what=f"counting the roles in {FORMATS[name].label}", seconds=ROLE_SECONDS,
            )  # fmt: skip
        for name, found in asking.iter_answers(on_wait):
            if isinstance(found, LimitExceededError):
                yield FormatRoles(name, None, _reason(found, ROLE_SECONDS))
            elif isinstance(found, Exception):
                raise found
            else:
                yield FormatRoles(name, found)


def measure_growth(
    data: Data,
    tokenizer: Tokenizer,
    formats: Sequence[str],
    options: WriteOptions,
    grow: Grow,
    *,
    visitor: str = "",
    on_wait: OnWait = lambda: None,
) -> Growth:
    """Return how tokens grow with the data; a process does it for packed data. Raises LimitExceededError."""
    if not isinstance(data, Packed):
        return find_growth(data, tokenizer, formats, options, grow)
    with _Asking(visitor) as asking:
        asking.ask(
            "", "playground.formats.tasks.measure_growth",
            data.sample, pack_tokenizer(tokenizer), tuple(formats), options, grow,
            what="writing more rows in each format", seconds=GROW_SECONDS,
        )  # fmt: skip
        [(_, found)] = asking.iter_answers(on_wait)
    if isinstance(found, Exception):
        raise found
    growth: Growth = found
    return growth


def write_data(data: Data, format_name: str, options: WriteOptions, *, visitor: str = "") -> str:
    """Return data, packed or not, in one format, not read back. Raises as `write`, and LimitExceededError.

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
    packed: Packed,
    options: WriteOptions,
    format_names: Sequence[str],
    visitor: str,
    on_wait: OnWait,
    seconds: float,
) -> Iterator[Conversion]:
    deadline = time.monotonic() + seconds
    with _Asking(visitor, deadline) as asking:
        for name in format_names:
            asking.ask(
                name, "playground.formats.tasks.convert_packed", packed, options, name,
                what=f"writing and reading back {FORMATS[name].label}", seconds=seconds,
            )  # fmt: skip
        for name, found in asking.iter_answers(on_wait):
            if isinstance(found, LimitExceededError):
                found = Conversion(name, None, "cannot", reason=_reason(found, seconds), is_over_limit=True)
            elif isinstance(found, Exception):
                raise found
            yield found


def _reason(error: LimitExceededError, seconds: float) -> str:
    if error.limit == "time":
        return f"writing all formats took longer than the limit of {seconds:.0f} s; try fewer rows"
    return str(error)


class _Asking:
    """Requests to the pool, as many at once as a visitor may have; leaving the block ends them."""

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
        """Queue a request, whose answer comes with `name`. Raises CancelledError when the server ends."""
        try:
            asked = self._threads.submit(self._run, function, arguments, what, seconds)
        except RuntimeError as error:  # the interpreter takes no work any more
            raise CancelledError from error
        self._pending[asked] = name

    def iter_answers(self, on_wait: OnWait) -> Iterator[tuple[str, Any]]:
        """Yield each name with its result or exception, in the order in which requests finish."""
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
