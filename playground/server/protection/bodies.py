"""Bodies of requests and answers: they travel before and after a request's turn, with deadlines.

A client that stalls holds nothing that another one waits for, except memory, which `HeldBytes` limits.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from playground.server.refusals import RefusedRequestError

#: Bodies up to this size are counted nowhere: a key press, or a page of text.
SMALL_BODY_BYTES = 64_000
#: The next part of a body must come, or be taken, within this time; a body must have come within the second.
MAX_PAUSE_SECONDS, MAX_BODY_SECONDS = 20.0, 120.0
#: So much of a body beyond a limit is read and discarded: most clients read no answer while they send.
MAX_DISCARDED_BYTES = 50_000_000
#: An answer is sent in parts of this size, between which other requests are served.
PART_BYTES = 65_536


class HeldBytes:
    """The bytes of large requests and answers that the server holds at the moment, within two limits."""

    def __init__(self, *, max_bytes: int, max_bytes_of_address: int) -> None:
        self.max_bytes, self.max_bytes_of_address = max_bytes, max_bytes_of_address
        self.of_address: Counter[str] = Counter()

    @contextmanager
    def held_for(self, address: str) -> Iterator[Callable[[int], None]]:
        """Give a function that holds more bytes until the end of the block.

        It raises RefusedRequestError (503) over a limit.
        """
        n_held = 0

        def hold(n_bytes: int) -> None:
            nonlocal n_held
            if (
                self.of_address[address] + n_bytes > self.max_bytes_of_address
                or self.of_address.total() + n_bytes > self.max_bytes
            ):
                sentence = "the server holds as many large requests as it can; send this one again later"
                raise RefusedRequestError(503, sentence, headers={"Retry-After": "5"})
            self.of_address[address] += n_bytes
            n_held += n_bytes

        try:
            yield hold
        finally:
            self.of_address[address] -= n_held
            self.of_address += Counter()  # forgets addresses that hold nothing


async def read_body(request: Request, hold: Callable[[int], None], max_bytes: int) -> bytes:
    """Return the body of a request.

    Raises RefusedRequestError: 408 if the body stalls, 413 if it is too long, and what `hold` raises.
    """
    body = bytearray()
    n_bytes = n_held = 0
    refusal: RefusedRequestError | None = None
    stream = request.stream()
    try:
        async with asyncio.timeout(MAX_BODY_SECONDS):
            while chunk := await _next_part(stream):
                n_bytes += len(chunk)
                if n_bytes > max_bytes + MAX_DISCARDED_BYTES:
                    break
                if n_bytes > max_bytes:
                    refusal = RefusedRequestError(413, f"the body is over the limit of {max_bytes:,} bytes")
                elif n_bytes > SMALL_BODY_BYTES and refusal is None:
                    try:
                        hold(n_bytes - n_held)
                        n_held = n_bytes
                    except RefusedRequestError as error:
                        refusal = error
                if refusal is None:
                    body += chunk
                else:
                    body.clear()
    except TimeoutError:
        sentence = f"the body stopped coming after {n_bytes:,} bytes"
        raise RefusedRequestError(408, sentence, headers={"Connection": "close"}) from None
    if refusal is not None:
        raise refusal
    return bytes(body)


async def _next_part(stream: AsyncIterator[bytes]) -> bytes:
    """Return the next part that is not empty; b"" at the end. Raises TimeoutError."""
    async with asyncio.timeout(MAX_PAUSE_SECONDS):
        async for chunk in stream:
            if chunk:
                return chunk
    return b""


class InParts:
    """Middleware that sends a long answer in parts, and serves others in between.

    Otherwise compressing 16 MB in one call would hold the event loop for a quarter of a second.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""

        async def send_parts(message: Message) -> None:
            body = message.get("body", b"")
            if len(body) <= PART_BYTES:
                await send(message)
                return
            view = memoryview(body)
            for start in range(0, len(body), PART_BYTES):
                is_more = start + PART_BYTES < len(body) or message.get("more_body", False)
                part = bytes(view[start : start + PART_BYTES])
                await send({"type": message["type"], "body": part, "more_body": is_more})
                await asyncio.sleep(0)

        await self.app(scope, receive, send_parts)


class SentInTime:
    """Middleware that ends a connection whose client takes nothing for `MAX_PAUSE_SECONDS`."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""

        async def send_in_time(message: MutableMapping[str, Any]) -> None:
            try:
                async with asyncio.timeout(MAX_PAUSE_SECONDS):
                    await send(message)
            except TimeoutError:
                raise _StalledError from None

        try:
            await self.app(scope, receive, send_in_time)
        except _StalledError:
            return  # the server closes a connection whose answer is not complete


class _StalledError(Exception):
    """The client of an answer takes nothing."""
