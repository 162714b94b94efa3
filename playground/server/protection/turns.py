"""Turns: fair shares. The requests of one visitor wait for each other, and nobody else waits for them."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from playground.server.refusals import RefusedRequestError


@dataclass(slots=True)
class _Line:
    """Who of one key has a turn, and who waits for one, the first first."""

    n_running: int = 0
    waiting: deque[asyncio.Future[None]] = field(default_factory=deque)


class Turns:
    """At most `n_at_once` of one key have a turn, up to `max_waiting` wait in order, more are refused."""

    def __init__(self, *, n_at_once: int, max_waiting: int, max_seconds: float, whose: str) -> None:
        self.n_at_once, self.max_waiting = n_at_once, max_waiting
        self.max_seconds, self.whose = max_seconds, whose
        self._lines: dict[Hashable, _Line] = {}

    @asynccontextmanager
    async def turn(self, key: Hashable) -> AsyncIterator[None]:
        """Hold a turn.

        Raises RefusedRequestError: 429 where too many wait already, 503 where the wait was too long.
        """
        line = self._lines.setdefault(key, _Line())
        await self._wait(key, line)
        try:
            yield
        finally:
            self._pass_on(key, line)

    async def _wait(self, key: Hashable, line: _Line) -> None:
        if line.n_running < self.n_at_once:
            line.n_running += 1
            return
        if len(line.waiting) >= self.max_waiting:
            raise RefusedRequestError(
                429,
                f"{len(line.waiting)} requests of {self.whose} wait already; send fewer at once",
                headers={"Retry-After": "1"},
            )
        place = asyncio.get_running_loop().create_future()
        line.waiting.append(place)
        try:
            async with asyncio.timeout(self.max_seconds):
                await place
        except BaseException as error:
            if not place.cancelled():  # the turn came just when its owner left
                self._pass_on(key, line)
            elif place in line.waiting:
                line.waiting.remove(place)
            if isinstance(error, TimeoutError):
                raise RefusedRequestError(
                    503,
                    f"the server is busy: no request of {self.whose} ended in {self.max_seconds:g} s",
                    headers={"Retry-After": "5"},
                ) from None
            raise

    def _pass_on(self, key: Hashable, line: _Line) -> None:
        """Give a turn that is free to the first who waits, or to nobody."""
        while line.waiting:
            place = line.waiting.popleft()
            if not place.done():  # one that is done was cancelled
                place.set_result(None)
                return
        line.n_running -= 1
        if not line.n_running:
            del self._lines[key]
