"""A door for new pages: where many come at once they go in one after another.

Each begins with work in the thread that answers all and with a thread of its own. Sixty that began together
kept each key of the others waiting for seconds; the pages themselves are not there sooner.
"""

import asyncio
from collections.abc import Callable
from weakref import WeakValueDictionary

from starlette.types import ASGIApp, Receive, Scope, Send

from playground.server.protection.visitors import is_stream

#: Between two pages of one address: the first has come to where it waits for its turn.
STEP_SECONDS = 0.02
#: Nobody goes in while so many runs of pages wait for their turns, but waits no longer than this:
#: Streamlit's browser code gives a socket up after 15 s.
MAX_WAITING, MAX_SECONDS = 6, 10.0
_POLL_SECONDS = 0.05


class Door:
    """Middleware that lets the sockets of pages in, those of an address in the order in which they came.

    `n_waiting` tells how many runs of pages have not yet had a turn.
    """

    def __init__(self, app: ASGIApp, *, n_waiting: Callable[[], int]) -> None:
        self.app = app
        self.n_waiting = n_waiting
        self._doors: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request; a socket of a page when it may go in."""
        if is_stream(scope):
            await self._go_in((scope.get("client") or ("unknown",))[0])
        await self.app(scope, receive, send)

    async def _go_in(self, address: str) -> None:
        door = self._doors.setdefault(address, asyncio.Lock())
        try:
            async with asyncio.timeout(MAX_SECONDS):
                await door.acquire()
                try:
                    while self.n_waiting() >= MAX_WAITING:
                        await asyncio.sleep(_POLL_SECONDS)
                finally:
                    asyncio.get_running_loop().call_later(STEP_SECONDS, door.release)
        except TimeoutError:
            return
