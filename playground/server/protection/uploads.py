"""How much a visitor may upload: what is held in memory for one, and for all."""

import os
from collections import Counter
from collections.abc import Callable, Mapping

import regex
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

_UPLOAD = regex.compile(r"/_stcore/upload_file/(?<session>[^/]+)/[^/]+/?$")
#: A corpus of the largest size that is learned from here, and tokenizer files beside it.
MAX_BYTES_OF_VISITOR = 300_000_000


def max_bytes_of_all() -> int:
    """A quarter of the machine's memory, and room for two visitors at least."""
    try:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        memory = 0
    return max(memory // 4, 2 * MAX_BYTES_OF_VISITOR)


class UploadLimit:
    """Middleware that refuses uploads beyond what one visitor, and all together, may have in memory.

    `held` tells how many bytes are held already for each session.
    """

    def __init__(self, app: ASGIApp, *, held: Callable[[], Mapping[str, int]]) -> None:
        self.app = app
        self.held = held
        self.max_of_all = max_bytes_of_all()
        self._coming: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or refuse it."""
        match = (
            _UPLOAD.search(scope["path"]) if scope["type"] == "http" and scope["method"] == "PUT" else None
        )
        if match is None:
            return await self.app(scope, receive, send)
        length = Headers(scope=scope).get("content-length", "")
        if not (length.isascii() and length.isdigit() and len(length) < 19):
            return await PlainTextResponse("Say how long the file is.\n", 411)(scope, receive, send)
        session, n_bytes = match["session"], int(length)
        refusal = self._refusal(session, n_bytes)
        if refusal is not None:
            return await refusal(scope, receive, send)
        self._coming[session] += n_bytes
        try:
            return await self.app(scope, receive, send)
        finally:
            self._coming[session] -= n_bytes
            if not self._coming[session]:
                del self._coming[session]

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
