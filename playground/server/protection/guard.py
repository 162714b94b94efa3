"""The guard of Tessera's own routes: origin, content type, body size, fair turns, threads and typed errors.

Streamlit protects only its own routes.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Hashable, Mapping
from contextlib import asynccontextmanager
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

from anyio import CapacityLimiter, to_thread
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from playground.core.errors import PlaygroundError
from playground.core.machine_memory import usable_memory
from playground.server.protection.bodies import SMALL_BODY_BYTES, HeldBytes, read_body
from playground.server.protection.hosts import is_same_origin
from playground.server.refusals import RefusedRequestError
from playground.server.wire import refusal_response
from playground.workers.pool import VISITOR

#: The largest body: a text of 1 MB in which every byte is written as "\\u0000", or a million ids.
MAX_BODY_BYTES = 10_000_000
#: Bytes of all large requests and answers, and of those of one address: a class may share an address.
_MAX_HELD_BYTES = min(500_000_000, usable_memory() // 8)
_HELD = HeldBytes(max_bytes=_MAX_HELD_BYTES, max_bytes_of_address=_MAX_HELD_BYTES * 3 // 5)
#: A key press, or a pasted sentence.
TINY_BODY_BYTES = 2_000
#: Separate threads, so that long work never keeps a key press waiting.
SMALL_THREADS, _LARGE_THREADS = CapacityLimiter(8), CapacityLimiter(2)
#: For work whose time does not follow from the size of the body: a typed pattern may take seconds.
_UNBOUNDED_THREADS = CapacityLimiter(8)
#: For answers that wait for a worker process, which itself is shared fairly.
_WAITING_THREADS = CapacityLimiter(40)


class Turns:
    """Let `n_at_once` requests of one key run; up to `max_waiting` more wait in order, others are refused."""

    def __init__(self, *, n_at_once: int, max_waiting: int, max_seconds: float, whose: str) -> None:
        self.n_at_once, self.max_waiting = n_at_once, max_waiting
        self.max_seconds, self.whose = max_seconds, whose
        self._lines: WeakValueDictionary[Hashable, _Line] = WeakValueDictionary()

    @asynccontextmanager
    async def turn(self, key: Hashable) -> AsyncIterator[None]:
        """Wait for a turn and hold it.

        Raises RefusedRequestError: 429 if too many requests wait already, 503 if the wait took too long.
        """
        line = self._lines.setdefault(key, _Line(self.n_at_once))
        if line.running.locked() and line.n_waiting >= self.max_waiting:
            raise RefusedRequestError(
                429,
                f"{line.n_waiting} requests of {self.whose} are waiting already; send fewer at once",
                headers={"Retry-After": "1"},
            )
        line.n_waiting += 1
        try:
            async with asyncio.timeout(self.max_seconds):
                await line.running.acquire()
        except TimeoutError:
            raise RefusedRequestError(
                503,
                f"the server is busy: no request of {self.whose} ended within {self.max_seconds:g} s",
                headers={"Retry-After": "5"},
            ) from None
        finally:
            line.n_waiting -= 1
        try:
            yield
        finally:
            line.running.release()


class _Line:
    """The requests of one key: those that run, and the number of those that wait."""

    def __init__(self, n_at_once: int) -> None:
        self.running = asyncio.Semaphore(n_at_once)
        self.n_waiting = 0


class Job(NamedTuple):
    """A function that answers a body in a thread, and whose turn it takes: of `key`, or of the address.

    `answer_large` answers a large body in a worker process; of one address, large and small bodies have turns
    of their own. `is_bounded` says that a small body makes little work. `answer_now` may answer a tiny body
    on the event loop, which costs less than a thread; it returns None to leave the body to `answer`.
    `content_type` must be one that no HTML form can send, so that another site cannot post it; `max_bytes`
    limits the body. `threads` are those of work that mostly waits.
    """

    answer: Callable[[bytes], Response]
    turns: Turns
    key: str | None = None
    is_bounded: bool = True
    answer_now: Callable[[bytes], Response | None] | None = None
    answer_large: Callable[[bytes], Response] | None = None
    content_type: str = "application/json"
    max_bytes: int = MAX_BODY_BYTES
    threads: CapacityLimiter | None = None


class GuardedEndpoint:
    """An ASGI endpoint that answers POST requests, of JSON or as the job says; every refusal is JSON.

    `find_job` gets the parameters of the path and, as `address`, who asks; it returns the Job, or raises a
    PlaygroundError. It is a class because Starlette's `Route` passes all methods to a class, and only GET to
    a function.
    """

    def __init__(self, find_job: Callable[[Mapping[str, Any]], Job]) -> None:
        self.find_job = find_job

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        request = Request(scope, receive)
        address = request.client.host if request.client else "unknown"
        try:
            with _HELD.held_for(address) as hold:
                response = await self._answer(request, address, hold)
                await response(scope, receive, send)
        except ClientDisconnect:
            return
        except PlaygroundError as error:
            await refusal_response(error)(scope, receive, send)
        except MemoryError:
            full = RefusedRequestError(503, "the server has no memory left for this request")
            await refusal_response(full)(scope, receive, send)

    async def _answer(self, request: Request, address: str, hold: Callable[[int], None]) -> Response:
        if request.method != "POST":
            sentence = f"method {request.method!r} is not allowed here; use POST"
            raise RefusedRequestError(405, sentence, headers={"Allow": "POST"})
        check_origin(request)
        job = self.find_job({**request.path_params, "address": address})
        check_content_type(request, job.content_type)
        body = await read_body(request, hold, job.max_bytes)
        is_large = len(body) > SMALL_BODY_BYTES
        visitor = job.key or address
        async with job.turns.turn(visitor if job.key else (visitor, is_large)):
            VISITOR.set(visitor)
            response = await self._answer_in_turn(job, body, is_large)
        if len(response.body) > SMALL_BODY_BYTES:
            hold(len(response.body))
        return response

    async def _answer_in_turn(self, job: Job, body: bytes, is_large: bool) -> Response:
        if is_large and job.answer_large:
            return await to_thread.run_sync(job.answer_large, body, limiter=_WAITING_THREADS)
        if job.answer_now and len(body) <= TINY_BODY_BYTES and (answer := job.answer_now(body)):
            return answer
        threads = _LARGE_THREADS if is_large else SMALL_THREADS
        if not job.is_bounded:
            threads = _UNBOUNDED_THREADS
        return await to_thread.run_sync(job.answer, body, limiter=job.threads or threads)


def check_origin(request: Request) -> None:
    """Refuse requests from pages of other sites; a request without `Origin` does not come from a page.

    Raises RefusedRequestError (403).
    """
    origin = request.headers.get("origin")
    if origin is None:
        return
    host = request.headers.get("host", "")
    if not is_same_origin(origin, host):
        sentence = f"requests from {origin[:200]!r} are refused; this server is {host.lower()!r}"
        raise RefusedRequestError(403, sentence)


def check_content_type(request: Request, expected: str) -> None:
    """Require a content type that a form of another site cannot send. Raises RefusedRequestError (415)."""
    given = request.headers.get("content-type", "")
    if given.partition(";")[0].strip().lower() != expected:
        raise RefusedRequestError(415, f"content type is {given[:100]!r}; send {expected}")
