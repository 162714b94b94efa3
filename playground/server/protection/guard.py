"""The guard of our routes: method, origin, content type, size of the body, turns, errors, a client that left.

A custom route has none of Streamlit's own protection. What a route answers is its own business.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from anyio import CapacityLimiter, to_thread
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from playground.core.errors import PlaygroundError
from playground.server.protection.bodies import SMALL_BODY_BYTES, address_of, read_body
from playground.server.protection.turns import Turns
from playground.server.refusals import RefusedRequestError, refusal_response
from playground.workers.pool import VISITOR

#: Who does not read an answer for this long is cut off: it holds memory and a turn.
MAX_SEND_SECONDS = 60.0
#: A key press, and a sentence that is pasted.
TINY_BODY_BYTES = 2_000
#: Threads of our own, so that what is long never keeps a key press waiting, nor Streamlit's files.
_SMALL_THREADS, _LARGE_THREADS = CapacityLimiter(8), CapacityLimiter(2)
#: For work that its size does not bound: a typed pattern may keep each of these waiting for seconds.
_UNBOUNDED_THREADS = CapacityLimiter(8)
_LOGGER = logging.getLogger(__name__)


class Job(NamedTuple):
    """What answers a body, in a worker thread, when it has its turn: by `key`, or else by address.

    `is_bounded` tells whether a small body makes small work. `answer_now`, where there is one, may answer a
    tiny body without a thread, which costs less than to hand it over.
    """

    answer: Callable[[bytes], Response]
    turns: Turns
    key: str | None = None
    is_bounded: bool = True
    answer_now: Callable[[bytes], Response | None] | None = None


class GuardedEndpoint:
    """An ASGI endpoint for a POST of JSON.

    `find_job` gets what the path names, and refuses it or gives what answers the body.
    A class, so that Starlette's `Route` hands it every method and each refusal is JSON.
    """

    def __init__(self, find_job: Callable[[Mapping[str, Any]], Job]) -> None:
        self.find_job = find_job

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        request = Request(scope, receive)
        try:
            async with AsyncExitStack() as held:
                response = await self._answer(request, held)
                async with asyncio.timeout(MAX_SEND_SECONDS):
                    await response(scope, receive, send)
        except ClientDisconnect:
            return
        except TimeoutError:
            _LOGGER.warning("a client did not read its answer within %d s", MAX_SEND_SECONDS)
        except PlaygroundError as error:
            await refusal_response(error)(scope, receive, send)

    async def _answer(self, request: Request, held: AsyncExitStack) -> Response:
        if request.method != "POST":
            sentence = f"method {request.method!r} is not allowed here; use POST"
            raise RefusedRequestError(405, sentence, headers={"Allow": "POST"})
        check_origin(request)
        check_content_type(request)
        job = self.find_job(request.path_params)
        body = await read_body(request, held)
        visitor = job.key or address_of(request)
        await held.enter_async_context(job.turns.turn(visitor))
        VISITOR.set(visitor)
        if job.answer_now and len(body) <= TINY_BODY_BYTES and (answer := job.answer_now(body)):
            return answer
        threads = _LARGE_THREADS if len(body) > SMALL_BODY_BYTES else _SMALL_THREADS
        if not job.is_bounded:
            threads = _UNBOUNDED_THREADS
        return await to_thread.run_sync(job.answer, body, limiter=threads)


def check_origin(request: Request) -> None:
    """Refuse what a page of another site sends; a request without Origin is not from a page.

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


def check_content_type(request: Request) -> None:
    """A form of another site cannot send JSON; packed JSON is not unpacked.

    Raises RefusedRequestError (415).
    """
    given = request.headers.get("content-type", "")
    if given.partition(";")[0].strip().lower() != "application/json":
        raise RefusedRequestError(415, f"content type is {given[:100]!r}; send application/json")
    packed = request.headers.get("content-encoding", "identity")
    if packed.strip().lower() not in ("", "identity"):
        raise RefusedRequestError(415, f"content encoding is {packed[:100]!r}; send JSON that is not packed")
