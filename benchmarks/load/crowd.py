"""A crowd of visitors at one server: it grows, and is measured while all of it is there."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter

from benchmarks.load.latencies import Latencies, Wait
from benchmarks.load.server import Server

#: A class comes in together, though not at the same moment.
AT_ONCE = 4
#: How late the process of the visitors is by itself: no wait of theirs is known more exactly.
OWN_DELAY, _OWN_SECONDS = "the visitors' own delay", 0.01


@dataclass(frozen=True)
class Visitor:
    """Whom a visit is for: `arrive` is called once what comes is to be measured."""

    host: str
    latencies: Latencies
    number: int
    arrived: asyncio.Event

    def arrive(self) -> None:
        """All that is there before the first key is there."""
        self.arrived.set()


Visit = Callable[[Visitor], Awaitable[None]]


@dataclass(frozen=True)
class Measured:
    """What visitors waited for, and what the server took for it."""

    waits: Sequence[Wait]
    cores: float
    memory_mb: float

    @property
    def latencies(self) -> Mapping[str, list[float]]:
        """Milliseconds, by kind."""
        of_kind: dict[str, list[float]] = defaultdict(list)
        for wait in self.waits:
            of_kind[wait.kind].append(wait.milliseconds)
        return of_kind


@dataclass
class Crowd:
    """Visitors at a server. Who leaves before the others fails the measurement."""

    server: Server
    latencies: Latencies = field(default_factory=Latencies)
    _visits: list["asyncio.Task[None]"] = field(default_factory=list)

    async def grow(self, visit: Visit, n_visitors: int) -> None:
        """Let so many come; back when all have arrived."""
        doors = asyncio.Semaphore(AT_ONCE)
        await asyncio.gather(*(self._admit(visit, doors) for _ in range(n_visitors)))

    async def measure(self, seconds: float) -> Measured:
        """Measure for so long."""
        self.latencies.restart()
        started, processor = perf_counter(), self.server.processor_seconds()
        looking = asyncio.create_task(self._look_at_itself())
        done, _ = await asyncio.wait(self._visits, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        looking.cancel()
        for visit in done:
            visit.result()
        cores = (self.server.processor_seconds() - processor) / (perf_counter() - started)
        return Measured(tuple(self.latencies.waits), cores, self.server.memory_mb())

    async def leave(self) -> None:
        """All go."""
        for visit in self._visits:
            visit.cancel()
        await asyncio.gather(*self._visits, return_exceptions=True)

    async def _look_at_itself(self) -> None:
        while True:
            due = perf_counter() + _OWN_SECONDS
            await asyncio.sleep(_OWN_SECONDS)
            self.latencies.add(OWN_DELAY, due)

    async def _admit(self, visit: Visit, doors: asyncio.Semaphore) -> None:
        async with doors:
            visitor = Visitor(self.server.host, self.latencies, len(self._visits), asyncio.Event())
            task = asyncio.ensure_future(visit(visitor))
            self._visits.append(task)
            arriving = asyncio.create_task(visitor.arrived.wait())
            await asyncio.wait([task, arriving], return_when=asyncio.FIRST_COMPLETED)
            arriving.cancel()
            if task.done():
                task.result()
