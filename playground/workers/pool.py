"""The worker processes of this server: few, shared fairly among visitors, and ended when they exceed a limit.

`child` is the program of a process; `process` starts, asks and ends one.
"""

import atexit
import os
import threading
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakSet

from playground.core.errors import LimitExceededError
from playground.core.machine_memory import usable_memory
from playground.workers.child import WORKER_MARK, function_named
from playground.workers.process import MAX_IDLE_BYTES, CancelledError, Process, Request
from playground.workers.progress import listening

#: Most processes at once; each needs 40 to 90 MB besides its work.
N_PROCESSES = 4
#: Processes that one visitor has at once: they fill two cores, and others still find a free process.
N_PER_VISITOR = 2
#: Requests with a longer limit leave one process to shorter requests, since a key press may wait for those.
LONG_SECONDS = 8.0
#: A request gets this much memory also where there is little.
MIN_MEMORY_BYTES = 250_000_000
#: Requests of one visitor that may wait; one more is refused.
MAX_WAITING = 20
#: An unused process is ended after this time.
IDLE_SECONDS = 60.0
_POLL_SECONDS = 0.1
#: The visitor of the current context, for work that isn't given one.
VISITOR: ContextVar[str] = ContextVar("visitor", default="")


def run(
    function: str,
    *arguments: object,
    what: str,
    visitor: str = "",
    seconds: float = 20.0,
    memory_bytes: int = 1_000_000_000,
    cancelled: threading.Event | None = None,
    on_progress: Callable[[Any], object] | None = None,
) -> Any:
    """Call a function by its dotted name in a worker process, and return its result.

    >>> run("math.factorial", 5, what="the factorial")
    120
    >>> run("time.sleep", 60, what="sleeping", seconds=0.1)
    Traceback (most recent call last):
    ...
    playground.core.errors.LimitExceededError: sleeping took more than 0.1 s, the limit

    Arguments and result are pickled. `what` begins the error message; `visitor` is any key that one person's
    requests share (`VISITOR` by default), so that other visitors get their turns in between. `seconds` limit
    the CPU time, and three times as many the time by the clock. `memory_bytes` limit what the work takes
    beyond what the process has, and so does `max_memory_bytes`. The caller waits; set `cancelled` from
    another thread to stop waiting.

    Raises what the function raises; CancelledError; and LimitExceededError, whose `limit` is "time",
    "memory", "answer" (over `process.MAX_ANSWER_BYTES`), "process" (the process ended, or none could be
    started) or "waiting". After a limit the process is ended, and the next request starts another.

    The operating system keeps the limits (ITIMER_PROF, RLIMIT_AS). macOS does not keep RLIMIT_AS, and
    Windows neither: there only the clock counts. In a worker process the function is called there.
    """
    if WORKER_MARK in os.environ:
        with listening(on_progress):
            return function_named(function)(*arguments)
    request = Request(function, arguments, seconds, min(memory_bytes, max_memory_bytes()))
    return _POOL.ask(request, what=what, visitor=visitor, cancelled=cancelled, on_progress=on_progress)


def max_memory_bytes() -> int:
    """Return the most memory of one request: then all processes together fit in what this server may use."""
    return max(usable_memory() // N_PROCESSES, MIN_MEMORY_BYTES)


def close() -> None:
    """End all worker processes, and start no more."""
    for each in _POOLS:
        each.close()


#: All pools, which `close` closes.
_POOLS: "WeakSet[Pool]" = WeakSet()


class _Ticket:
    """A request that waits for its turn; `process` is set when its turn comes."""

    __slots__ = ("is_due", "is_long", "process")

    def __init__(self, is_long: bool) -> None:
        self.is_long = is_long
        self.is_due = threading.Event()
        self.process: Process | None = None


@dataclass(eq=False)
class Pool:
    """Requests that wait, by visitor; numbers of those that run; and the free and busy processes.

    A pool of its own may have fewer processes that keep what they have loaded, for longer.
    """

    n_processes: int = N_PROCESSES
    n_per_visitor: int = N_PER_VISITOR
    idle_seconds: float = IDLE_SECONDS
    max_idle_bytes: int = MAX_IDLE_BYTES
    lock: threading.Lock = field(default_factory=threading.Lock)
    waiting: "OrderedDict[str, deque[_Ticket]]" = field(default_factory=OrderedDict)
    running: "Counter[str]" = field(default_factory=Counter)
    free: list[tuple[float, Process]] = field(default_factory=list)
    busy: set[Process] = field(default_factory=set)
    n_long: int = 0
    timer: threading.Timer | None = None
    is_closed: bool = False

    def __post_init__(self) -> None:
        _POOLS.add(self)

    def ask(
        self,
        request: Request,
        *,
        what: str,
        visitor: str = "",
        cancelled: threading.Event | None = None,
        on_progress: Callable[[Any], object] | None = None,
    ) -> Any:
        """Answer a request in one of the processes; see `run`."""
        is_long = request.seconds > LONG_SECONDS
        with self.turn(visitor or VISITOR.get(), what, cancelled, is_long=is_long) as process:
            return process.ask(request, what=what, cancelled=cancelled, on_progress=on_progress)

    @contextmanager
    def turn(
        self, visitor: str, what: str, cancelled: threading.Event | None, *, is_long: bool = False
    ) -> Iterator[Process]:
        """Wait for a process, and return it afterwards. Raises LimitExceededError and CancelledError."""
        ticket = _Ticket(is_long)
        with self.lock:
            if self.is_closed:
                raise CancelledError
            if len(self.waiting.get(visitor, ())) >= MAX_WAITING:
                raise LimitExceededError(
                    f"{what} has to wait, and {MAX_WAITING} of your requests are waiting already, the limit",
                    limit="waiting",
                )
            self.waiting.setdefault(visitor, deque()).append(ticket)
            self._give_turns()
        try:
            while not ticket.is_due.wait(None if cancelled is None else _POLL_SECONDS):
                if cancelled is not None and cancelled.is_set():
                    raise CancelledError
            assert ticket.process is not None
            yield ticket.process
        finally:
            with self.lock:
                self._take_back(visitor, ticket)

    def close(self) -> None:
        """End all processes, busy ones too, and start no more."""
        with self.lock:
            self.is_closed = True
            for process in [*self.busy, *(process for _, process in self.free)]:
                process.end()
            self.free.clear()
            if self.timer is not None:
                self.timer.cancel()
                self.timer = None

    def _give_turns(self) -> None:
        """Give free processes to visitors in turn; a visitor who gets one moves to the end of the line."""
        while len(self.busy) < self.n_processes:
            visitor = next((name for name in self.waiting if self._may_begin(name)), None)
            if visitor is None:
                return
            tickets = self.waiting[visitor]
            ticket = tickets.popleft()
            self.waiting.move_to_end(visitor)
            if not tickets:
                del self.waiting[visitor]
            ticket.process = self.free.pop()[1] if self.free else Process(self.max_idle_bytes)
            self.busy.add(ticket.process)
            self.running[visitor] += 1
            self.n_long += ticket.is_long
            ticket.is_due.set()

    def _may_begin(self, visitor: str) -> bool:
        """Return whether the first waiting request of a visitor may run now."""
        is_free = not self.waiting[visitor][0].is_long or self.n_long < max(self.n_processes - 1, 1)
        return is_free and self.running[visitor] < self.n_per_visitor

    def _take_back(self, visitor: str, ticket: _Ticket) -> None:
        if ticket.process is None:  # cancelled before its turn
            tickets = self.waiting[visitor]
            tickets.remove(ticket)
            if not tickets:
                del self.waiting[visitor]
            return
        self.busy.discard(ticket.process)
        self.n_long -= ticket.is_long
        self.free.append((time.monotonic(), ticket.process))
        self.running[visitor] -= 1
        if not self.running[visitor]:
            del self.running[visitor]
        self._give_turns()
        self._end_idle_later()

    def _end_idle_later(self) -> None:
        if self.timer is None and self.free:
            until = min(since for since, _ in self.free) + self.idle_seconds
            self.timer = threading.Timer(max(until - time.monotonic(), 0.0), self._end_idle)
            self.timer.daemon = True
            self.timer.start()

    def _end_idle(self) -> None:
        with self.lock:
            self.timer = None
            now = time.monotonic()
            for since, process in self.free:
                if now - since >= self.idle_seconds:
                    process.end()
            self.free = [(since, process) for since, process in self.free if process.is_alive]
            self._end_idle_later()


_POOL = Pool()
atexit.register(close)
