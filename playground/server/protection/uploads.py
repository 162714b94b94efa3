"""How much a visitor may upload: what is held for one, and for all; and why a file was not taken."""

import asyncio
import logging
import os
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping

import regex
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_UPLOAD = regex.compile(r"/_stcore/upload_file/(?<session>[^/]+)/[^/]+/?$")
#: A corpus of the largest size that is learned from here, and tokenizer files beside it.
MAX_BYTES_OF_VISITOR = 300_000_000
#: Seconds without a byte after which a file is given up, and its room is free: a computer that was shut says
#: nothing.
MAX_PAUSE_SECONDS = 60.0
#: Refusals that are remembered until their pages ask; a page asks at once.
MAX_REMEMBERED = 100
INSUFFICIENT_STORAGE = 507
_LOGGER = logging.getLogger(__name__)


def max_bytes_of_all() -> int:
    """A quarter of the machine's memory, and room for two visitors at least."""
    try:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        memory = 0
    return max(memory // 4, 2 * MAX_BYTES_OF_VISITOR)


class UploadLimit:
    """Middleware that refuses uploads beyond what one visitor, and all together, may have in memory.

    `held` tells how many bytes are held already for each session. Streamlit shows a bare status for a file
    that was not taken; GET of the address of the file gives the sentence, once, and 404 where there is none.
    """

    def __init__(self, app: ASGIApp, *, held: Callable[[], Mapping[str, int]]) -> None:
        self.app = app
        self.held = held
        self.max_of_all = max_bytes_of_all()
        self._coming: Counter[str] = Counter()
        self._refusals: OrderedDict[str, str] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or refuse it."""
        match = _UPLOAD.search(scope["path"]) if scope["type"] == "http" else None
        if match is None or scope["method"] not in ("GET", "PUT"):
            await self.app(scope, receive, send)
        elif scope["method"] == "GET":
            sentence = self._refusals.pop(scope["path"], "")
            await PlainTextResponse(sentence, 200 if sentence else 404)(scope, receive, send)
        elif (refusal := await self._take(match["session"], scope, receive, send)) is not None:
            self._refusals[scope["path"]] = bytes(refusal.body).decode()
            if len(self._refusals) > MAX_REMEMBERED:
                self._refusals.popitem(last=False)
            await refusal(scope, receive, send)

    async def _take(
        self, session: str, scope: Scope, receive: Receive, send: Send
    ) -> PlainTextResponse | None:
        """Hand a file on, or say why not."""
        length = Headers(scope=scope).get("content-length", "")
        if not (length.isascii() and length.isdigit() and len(length) < 19):
            return PlainTextResponse("Say how long the file is.\n", 411)
        n_bytes = int(length)
        refusal = self._refusal(session, n_bytes)
        if refusal is not None:
            return refusal
        self._coming[session] += n_bytes
        try:
            await self.app(scope, _without_long_pause(receive), send)
        except TimeoutError:
            sentence = f"No byte of the file came for {MAX_PAUSE_SECONDS:g} s. Try again.\n"
            return PlainTextResponse(sentence, 408, {"Connection": "close"})
        except ClientDisconnect:  # the tab was closed while the file came
            return None
        except OSError as error:  # a large file passes through a temporary one
            _LOGGER.error("an uploaded file cannot be kept: %s", error)
            sentence = (
                f"This server cannot keep the file: {error.strerror or error}. Ask the one who runs it.\n"
            )
            return PlainTextResponse(sentence, INSUFFICIENT_STORAGE)
        finally:
            self._coming[session] -= n_bytes
            if not self._coming[session]:
                del self._coming[session]
        return None

    def _refusal(self, session: str, n_bytes: int) -> PlainTextResponse | None:
        held = self.held()
        of_visitor = held.get(session, 0) + self._coming[session] + n_bytes
        if of_visitor > MAX_BYTES_OF_VISITOR:
            sentence = (
                f"All files of one visitor may have {MAX_BYTES_OF_VISITOR:,} bytes; with this one they have "
            )
            return PlainTextResponse(f"{sentence}{of_visitor:,}. Remove another file first.\n", 413)
        if sum(held.values()) + self._coming.total() + n_bytes > self.max_of_all:
            return PlainTextResponse(
                "This server holds as many uploaded files as it can; try again later.\n",
                503,
                {"Retry-After": "60"},
            )
        return None


def _without_long_pause(receive: Receive) -> Receive:
    """Raise TimeoutError where the next part of a body does not come."""
    is_whole = False

    async def receive_in_time() -> Message:
        nonlocal is_whole
        async with asyncio.timeout(None if is_whole else MAX_PAUSE_SECONDS):
            message = await receive()
        is_whole = not message.get("more_body", False)
        return message

    return receive_in_time
