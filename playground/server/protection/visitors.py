"""How many visitors there can be, and how many pages of one address: each takes descriptors and memory."""

import asyncio
import os
from collections import Counter
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
#: What a page holds: 0.1 MB on Tokenize, 2 on Train, 6 on Formats, measured with their examples.
PAGE_BYTES = 4_000_000
#: A class of thirty behind one address, each with ten tabs.
MIN_PAGES_OF_ADDRESS = 300
_FULL = (
    "This server is full: it holds as many connections as its system allows. "
    "This page tries again by itself in a minute; those who are here work on.\n"
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
        return await _refuse(_FULL, scope, receive, send)


def max_pages_of_address() -> int:
    """A quarter of the machine's memory, and room for a class at least."""
    try:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        memory = 0
    return max(memory // 4 // PAGE_BYTES, MIN_PAGES_OF_ADDRESS)


class PageLimit:
    """Middleware that refuses new pages of an address that has `max_pages` open; its open ones are served.

    Pages whose session is still kept, for `keep_seconds` after the tab was closed, count apart, so that who
    reloads a page has it again. `is_held` tells whether there is a session of this id: a page that comes back
    to its session is not new.
    """

    def __init__(self, app: ASGIApp, *, is_held: Callable[[str], bool], keep_seconds: float) -> None:
        self.app = app
        self.is_held = is_held
        self.keep_seconds = keep_seconds
        self.max_pages = max_pages_of_address()
        self._open: Counter[str] = Counter()
        self._left: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or refuse it."""
        address = (scope.get("client") or ("unknown",))[0]
        if self._is_full(address) and _is_new_visitor(scope, self.is_held):
            sentence = (
                f"Your address has {self._open[address]:,} pages open, and {self._left[address]:,} were just "
                f"closed; this server holds up to {self.max_pages:,} for one address. Close some; "
                "this page tries again by itself in a minute, and those that are open work on.\n"
            )
            return await _refuse(sentence, scope, receive, send)
        if not is_stream(scope):
            return await self.app(scope, receive, send)
        self._open[address] += 1
        try:
            return await self.app(scope, receive, send)
        finally:
            _take_one(self._open, address)
            self._left[address] += 1
            asyncio.get_running_loop().call_later(self.keep_seconds, _take_one, self._left, address)

    def _is_full(self, address: str) -> bool:
        return max(self._open[address], self._left[address]) >= self.max_pages


def _take_one(counts: Counter[str], address: str) -> None:
    counts[address] -= 1
    if not counts[address]:
        del counts[address]


def is_stream(scope: Scope) -> bool:
    """Whether a page of Streamlit's opens its socket."""
    return scope["type"] == "websocket" and bool(scope["path"].endswith(STREAM_PATH))


def _is_new_visitor(scope: Scope, is_held: Callable[[str], bool] = bool) -> bool:
    """Whether a page is asked for, or a socket that does not name a session that it had before."""
    if is_stream(scope):
        named = [*(scope.get("subprotocols") or ()), "", "", ""][2]
        return not is_held(named)
    return scope["type"] == "http" and "text/html" in Headers(scope=scope).get("accept", "")


async def _refuse(sentence: str, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        return await send({"type": "websocket.close", "code": 1013, "reason": "full"})
    headers = {"Retry-After": "60", "Refresh": "60", "Cache-Control": "no-store"}
    return await PlainTextResponse(sentence, 503, headers)(scope, receive, send)
