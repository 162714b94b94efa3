"""Bodies of requests, read within bounds: of bytes, of time, and of how many large ones are held at once."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

from starlette.requests import ClientDisconnect, Request

from playground.server.protection.turns import Turns
from playground.server.refusals import RefusedRequestError

#: The largest body: a text of 1 MB whose every byte is written as "\\u0000", or a million ids.
MAX_BODY_BYTES = 10_000_000
#: A body over its limit is read on, and thrown away, this far: a client that still sends hears no answer.
MAX_DISCARDED_BYTES = 50_000_000
#: A key press has some hundred bytes. What is larger than this waits for its turn to be read on.
SMALL_BODY_BYTES = 64_000
#: How long a client may take for the next bytes, and for all.
MAX_PAUSE_SECONDS, MAX_BODY_SECONDS = 10.0, 60.0

_LARGE_OF_ADDRESS = Turns(n_at_once=4, max_waiting=40, max_seconds=60, whose="your address")
_LARGE_OF_ALL = Turns(n_at_once=16, max_waiting=100, max_seconds=20, whose="all visitors")


async def read_body(request: Request, held: AsyncExitStack) -> bytes:
    """The body, counted as it comes: Content-Length is not trusted. The turn of a large one stays in `held`.

    Raises RefusedRequestError: 413 for one over the limit, 408 for one that comes too slowly, and as `Turns`.
    """
    body = bytearray()
    n_bytes = 0
    async for chunk in _iter_chunks(request):
        if n_bytes <= SMALL_BODY_BYTES < n_bytes + len(chunk):
            await held.enter_async_context(_LARGE_OF_ADDRESS.turn(address_of(request)))
            await held.enter_async_context(_LARGE_OF_ALL.turn("all"))
        n_bytes += len(chunk)
        if n_bytes <= MAX_BODY_BYTES:
            body += chunk
            continue
        body.clear()
        if n_bytes > MAX_BODY_BYTES + MAX_DISCARDED_BYTES:
            break
    if n_bytes > MAX_BODY_BYTES:
        raise RefusedRequestError(413, f"the body is over the limit of {MAX_BODY_BYTES:,} bytes")
    return bytes(body)


def address_of(request: Request) -> str:
    """The address that a request comes from; behind a proxy that says so, the one it came from there."""
    return request.client.host if request.client else "unknown"


async def _iter_chunks(request: Request) -> AsyncIterator[bytes]:
    seconds = MAX_BODY_SECONDS
    clock = asyncio.get_running_loop().time
    is_more = True
    while is_more:
        started = clock()
        try:
            async with asyncio.timeout(min(seconds, MAX_PAUSE_SECONDS)):
                message = await request.receive()
        except TimeoutError:
            raise RefusedRequestError(
                408,
                f"the body comes too slowly; send it within {MAX_BODY_SECONDS:g} s and without a pause of "
                f"{MAX_PAUSE_SECONDS:g} s",
                headers={"Connection": "close"},
            ) from None
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        is_more = message.get("more_body", False)
        seconds -= clock() - started
        yield message.get("body", b"")
