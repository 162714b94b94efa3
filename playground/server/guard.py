"""The guard of our routes: method, origin, content type, size of the body, errors, a client that left.

A custom route has none of Streamlit's own protection. What a route answers is its own business.
"""

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from playground.core.errors import PlaygroundError
from playground.server.refusals import RefusedRequestError, refusal_response

#: The largest body: a text of 1 MB whose every byte is written as "\u0000", or a million ids.
MAX_BODY_BYTES = 10_000_000
#: A body over its limit is read on, and thrown away, this far: a client that still sends hears no answer.
MAX_DISCARDED_BYTES = 50_000_000


Answer = Callable[[bytes], Response]


class GuardedEndpoint:
    """An ASGI endpoint for a POST of JSON.

    `find_answer` gets what the path names, and refuses it or gives what answers the body, in a worker thread.
    A class, so that Starlette's `Route` hands it every method and each refusal is JSON.
    """

    def __init__(self, find_answer: Callable[[Mapping[str, Any]], Answer]) -> None:
        self.find_answer = find_answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        request = Request(scope, receive)
        response: Response
        try:
            response = await self._answer(request)
        except ClientDisconnect:
            return
        except PlaygroundError as error:
            response = refusal_response(error)
        await response(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        if request.method != "POST":
            raise RefusedRequestError(
                405, f"method {request.method!r} is not allowed here; use POST", Allow="POST"
            )
        check_origin(request)
        check_content_type(request)
        answer = self.find_answer(request.path_params)
        return await run_in_threadpool(answer, await read_body(request))


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
    """A form of another site cannot send JSON. Raises RefusedRequestError (415)."""
    given = request.headers.get("content-type", "")
    if given.partition(";")[0].strip().lower() != "application/json":
        raise RefusedRequestError(415, f"content type is {given[:100]!r}; send application/json")


async def read_body(request: Request) -> bytes:
    """The body, counted as it comes: Content-Length is not trusted. Raises RefusedRequestError (413)."""
    body = bytearray()
    n_bytes = 0
    async for chunk in request.stream():
        n_bytes += len(chunk)
        if n_bytes > MAX_BODY_BYTES:
            body.clear()
            if n_bytes > MAX_BODY_BYTES + MAX_DISCARDED_BYTES:
                break
        else:
            body += chunk
    if n_bytes > MAX_BODY_BYTES:
        raise RefusedRequestError(413, f"the body is over the limit of {MAX_BODY_BYTES:,} bytes")
    return bytes(body)
