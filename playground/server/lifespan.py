"""The server takes descriptors enough for a class when it starts, and ends its workers with itself."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from playground.workers import pool

try:
    import resource
except ImportError:  # Windows has no such limit
    resource = None  # type: ignore[assignment]

#: A visitor takes about ten; macOS gives a process 256 unless it asks for more.
_WANTED_DESCRIPTORS = 8_192


@asynccontextmanager
async def lifespan(_app: object) -> AsyncIterator[None]:
    """Prepare the process when the server starts, and end the worker processes with it."""
    raise_descriptor_limit()
    yield
    pool.close()


def raise_descriptor_limit() -> None:
    """Raise this process's soft limit of open descriptors as far as its hard limit allows."""
    if resource is None:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _WANTED_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, _WANTED_DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):  # macOS accepts less than its own hard limit
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
