"""What every route of ours checks before it works: method, origin, content type, body size, JSON.

A custom route has none of Streamlit's own protection. What a route answers is its own business.
"""

import json
from collections.abc import Callable, Iterable
from typing import TypeVar
from urllib.parse import urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from playground.core.errors import PlaygroundError, TextTooLongError

Session = TypeVar("Session")
#: The largest body: a text of 1 MB whose every byte is written as "\u0000", or a million ids.
MAX_BODY_BYTES = 10_000_000
#: A body over its limit is read on, and thrown away, this far: a client that still sends hears no answer.
MAX_DISCARDED_BYTES = 50_000_000


class RefusedRequestError(PlaygroundError):
    """A request that a route does not serve; `status` is the HTTP status that says why."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


async def read_checked_body(
    request: Request, *, content_type: str = "application/json", max_body_bytes: int = MAX_BODY_BYTES
) -> bytes:
    """The body of a POST from our own pages or from no page at all.

    Raises RefusedRequestError: 405 for another method, 403 for a page of another origin, 415 for another
    content type, 413 for a body over the limit, counted as it comes: Content-Length is not trusted.
    """
    if request.method != "POST":
        raise RefusedRequestError(405, f"method {request.method!r} is not allowed here; use POST")
    check_origin(request)
    given = request.headers.get("content-type", "")
    if given.partition(";")[0].strip().lower() != content_type:
        raise RefusedRequestError(415, f"content type is {given[:100]!r}; send {content_type}")
    body = bytearray()
    n_bytes = 0
    async for chunk in request.stream():
        n_bytes += len(chunk)
        if n_bytes > max_body_bytes:
            body.clear()
            if n_bytes > max_body_bytes + MAX_DISCARDED_BYTES:
                break
        else:
            body += chunk
    if n_bytes > max_body_bytes:
        raise RefusedRequestError(413, f"the body is over the limit of {max_body_bytes:,} bytes")
    return bytes(body)


async def answer_for_session(
    request: Request,
    find: Callable[[str], Session | None],
    answer: Callable[[Session, bytes], Response],
    *,
    content_type: str = "application/json",
    max_body_bytes: int = MAX_BODY_BYTES,
) -> Response:
    """A page's own route: `answer` gets the session that the path names and the checked body, in a thread.

    A session that is not known is 410, any other PlaygroundError what `error_response` makes of it.
    """
    try:
        body = await read_checked_body(request, content_type=content_type, max_body_bytes=max_body_bytes)
        session = find(request.path_params["session_id"])
        if session is None:
            raise RefusedRequestError(410, "the server no longer knows this page; your text is kept: reload")
        return await run_in_threadpool(answer, session, body)
    except ClientDisconnect:
        return Response(status_code=499)
    except PlaygroundError as error:
        return error_response(error)


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


def parse_json_object(body: bytes, *, fields: Iterable[str]) -> dict[str, object]:
    r"""A JSON object that has no other fields than these.

    >>> parse_json_object(b'{"text": "h\\u00e9"}', fields=["text"])
    {'text': 'hé'}

    Raises RefusedRequestError (400) that says what is wrong and what is valid.
    """
    try:
        value = json.loads(body.decode())
    except UnicodeDecodeError as error:
        raise RefusedRequestError(400, f"the body is not UTF-8: byte {error.start} cannot be read") from None
    except RecursionError:
        raise RefusedRequestError(400, "the body is not usable JSON: it is nested too deeply") from None
    except ValueError as error:  # also a number of over 4,300 digits
        raise RefusedRequestError(400, f"the body is not valid JSON: {error}") from None
    valid = ", ".join(fields)
    if not isinstance(value, dict):
        kind = type(value).__name__
        raise RefusedRequestError(400, f"the body is a JSON {kind}; send an object with {valid}")
    unknown = [name for name in value if name not in fields]
    if unknown:
        raise RefusedRequestError(400, f"unknown field {unknown[0][:100]!r}; the fields are {valid}")
    return value


def error_response(error: PlaygroundError) -> Response:
    """An error as JSON `{"error": message}` with a fitting status."""
    if isinstance(error, RefusedRequestError):
        status = error.status
    else:
        status = 413 if isinstance(error, TextTooLongError) else 400
    headers = {"Allow": "POST"} if status == 405 else {}
    body = json.dumps({"error": str(error)})
    return Response(body, status, headers, media_type="application/json")


class PostEndpoint:
    """An ASGI endpoint that checks a POST, then answers its body in a worker thread.

    A class, so that Starlette's `Route` hands it every method and each refusal is JSON.
    """

    def __init__(
        self,
        answer: Callable[[bytes], Response],
        *,
        content_type: str = "application/json",
        max_body_bytes: int = MAX_BODY_BYTES,
    ) -> None:
        self.answer = answer
        self.content_type = content_type
        self.max_body_bytes = max_body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        request = Request(scope, receive)
        response: Response
        try:
            body = await read_checked_body(
                request, content_type=self.content_type, max_body_bytes=self.max_body_bytes
            )
            response = await run_in_threadpool(self.answer, body)
        except ClientDisconnect:
            return
        except PlaygroundError as error:
            response = error_response(error)
        await response(scope, receive, send)
