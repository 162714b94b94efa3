"""How many visitors there can be: each takes descriptors, and past the process's limit nobody is answered."""

import os
from collections.abc import Callable
from typing import NamedTuple

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

try:
    import resource
except ImportError:  # Windows has no such limit
    resource = None  # type: ignore[assignment]

#: Streamlit's socket to a page.
STREAM_PATH = "/_stcore/stream"
#: Kept for those who are here: their key presses, files and worker processes. A share of the limit.
RESERVE = 0.2
#: More than this many are not asked for: a visitor takes about six.
WANTED_DESCRIPTORS = 65_536
_SENTENCE = (
    "This server is full: it holds as many connections as its system allows. "
    "Try again in a minute; those who are here work on.\n"
)


class Descriptors(NamedTuple):
    """How many descriptors are open, of how many that may be."""

    n_open: int
    limit: int

    @property
    def are_scarce(self) -> bool:
        """Whether only the reserve is left."""
        return self.n_open > self.limit * (1 - RESERVE)


def count_descriptors() -> Descriptors | None:
    """The descriptors of this process; None where the system does not tell."""
    if resource is None:
        return None
    for folder in ("/proc/self/fd", "/dev/fd"):
        try:
            return Descriptors(len(os.listdir(folder)), resource.getrlimit(resource.RLIMIT_NOFILE)[0])
        except OSError:
            continue
    return None


def raise_descriptor_limit() -> None:
    """Take as many descriptors as the system gives without asking; often it is a thousand at first."""
    if resource is None:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = WANTED_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, WANTED_DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        except (OSError, ValueError):  # macOS takes less than its own hard limit
            return


class VisitorLimit:
    """Middleware that refuses new pages with a sentence where descriptors are scarce; others are served."""

    def __init__(self, app: ASGIApp, *, count: Callable[[], Descriptors | None] = count_descriptors) -> None:
        self.app = app
        self.count = count

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or refuse it."""
        if not _is_new_visitor(scope) or (counted := self.count()) is None or not counted.are_scarce:
            return await self.app(scope, receive, send)
        if scope["type"] == "websocket":
            return await send({"type": "websocket.close", "code": 1013, "reason": "full"})
        headers = {"Retry-After": "60", "Cache-Control": "no-store"}
        return await PlainTextResponse(_SENTENCE, 503, headers)(scope, receive, send)


def _is_new_visitor(scope: Scope) -> bool:
    """Whether a page is asked for, or a socket that does not name a session that it had before."""
    if scope["type"] == "websocket":
        return bool(scope["path"].endswith(STREAM_PATH)) and len(scope.get("subprotocols") or ()) < 3
    return scope["type"] == "http" and "text/html" in Headers(scope=scope).get("accept", "")
