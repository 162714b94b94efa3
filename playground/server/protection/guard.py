"""The guard of Tessera's own routes: origin, content type, body size, fair turns, threads and typed errors.

Streamlit protects only its own routes.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Hashable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from weakref import WeakValueDictionary

from anyio import CapacityLimiter, to_thread
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from playground.core.errors import PlaygroundError
from playground.server.refusals import RefusedRequestError, refusal_response
from playground.workers.pool import VISITOR

#: The largest body: a text of 1 MB in which every byte is written as "\\u0000", or a million ids.
MAX_BODY_BYTES = 10_000_000
#: So much of a body beyond the limit is read and discarded: most clients read no answer while they send.
MAX_DISCARDED_BYTES = 50_000_000
#: Bodies over this size take turns, and are answered in threads of their own.
SMALL_BODY_BYTES = 64_000
#: A key press, or a pasted sentence.
TINY_BODY_BYTES = 2_000
#: Separate threads, so that long work never keeps a key press waiting.
_SMALL_THREADS, _LARGE_THREADS = CapacityLimiter(8), CapacityLimiter(2)
#: For work whose time does not follow from the size of the body: a typed pattern may take seconds.
_UNBOUNDED_THREADS = CapacityLimiter(8)


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


_LARGE_BODIES = Turns(n_at_once=8, max_waiting=100, max_seconds=20, whose="all visitors")


class Job(NamedTuple):
    """A function that answers a body in a thread, and whose turn it takes: of `key`, or of the address.

    `is_bounded` says that a small body makes little work. `answer_now` may answer a tiny body on the event
    loop, which costs less than a thread; it returns None to leave the body to `answer`. `content_type`
    must be one that no HTML form can send, so that another site cannot post it; `max_bytes` limits the body.
    """

    answer: Callable[[bytes], Response]
    turns: Turns
    key: str | None = None
    is_bounded: bool = True
    answer_now: Callable[[bytes], Response | None] | None = None
    content_type: str = "application/json"
    max_bytes: int = MAX_BODY_BYTES


class GuardedEndpoint:
    """An ASGI endpoint that answers POST requests, of JSON or as the job says; every refusal is JSON.

    `find_job` gets the parameters of the path and returns the Job, or raises a PlaygroundError. It is a class
    because Starlette's `Route` passes all methods to a class, and only GET to a function.
    """

    def __init__(self, find_job: Callable[[Mapping[str, Any]], Job]) -> None:
        self.find_job = find_job

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        try:
            async with AsyncExitStack() as turns:
                response = await self._answer(Request(scope, receive), turns)
                await response(scope, receive, send)
        except ClientDisconnect:
            return
        except PlaygroundError as error:
            await refusal_response(error)(scope, receive, send)

    async def _answer(self, request: Request, turns: AsyncExitStack) -> Response:
        if request.method != "POST":
            sentence = f"method {request.method!r} is not allowed here; use POST"
            raise RefusedRequestError(405, sentence, headers={"Allow": "POST"})
        check_origin(request)
        job = self.find_job(request.path_params)
        check_content_type(request, job.content_type)
        body = await _read_body(request, turns, job.max_bytes)
        visitor = job.key or (request.client.host if request.client else "unknown")
        await turns.enter_async_context(job.turns.turn(visitor))
        VISITOR.set(visitor)
        if job.answer_now and len(body) <= TINY_BODY_BYTES and (answer := job.answer_now(body)):
            return answer
        threads = _LARGE_THREADS if len(body) > SMALL_BODY_BYTES else _SMALL_THREADS
        if not job.is_bounded:
            threads = _UNBOUNDED_THREADS
        return await to_thread.run_sync(job.answer, body, limiter=threads)


async def _read_body(request: Request, turns: AsyncExitStack, max_bytes: int) -> bytes:
    """Return the body; a large one takes a turn, which `turns` holds. Raises RefusedRequestError (413)."""
    body = bytearray()
    n_bytes = 0
    async for chunk in request.stream():
        if n_bytes <= SMALL_BODY_BYTES < n_bytes + len(chunk):
            await turns.enter_async_context(_LARGE_BODIES.turn("all"))
        n_bytes += len(chunk)
        if n_bytes <= max_bytes:
            body += chunk
        elif n_bytes > max_bytes + MAX_DISCARDED_BYTES:
            break
    if n_bytes > max_bytes:
        raise RefusedRequestError(413, f"the body is over the limit of {max_bytes:,} bytes")
    return bytes(body)


def check_origin(request: Request) -> None:
    """Refuse requests from pages of other sites; a request without `Origin` does not come from a page.

    Raises RefusedRequestError (403).
    """
    origin = request.headers.get("origin")
    if origin is None:
        return
    try:
        origin_host = urlsplit(origin).netloc.lower()
    except ValueError:
        origin_host = ""
    host = request.headers.get("host", "").lower()
    if not origin_host or origin_host != host:
        raise RefusedRequestError(403, f"requests from {origin[:200]!r} are refused; this server is {host!r}")


def check_content_type(request: Request, expected: str) -> None:
    """Require a content type that a form of another site cannot send. Raises RefusedRequestError (415)."""
    given = request.headers.get("content-type", "")
    if given.partition(";")[0].strip().lower() != expected:
        raise RefusedRequestError(415, f"content type is {given[:100]!r}; send {expected}")
