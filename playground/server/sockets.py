"""The server's sockets: enough descriptors for a class, and answers that are sent without delay."""

import os
import socket
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from playground.workers import pool

try:
    import resource
except ImportError:  # Windows has no such limit
    resource = None  # type: ignore[assignment]

_DESCRIPTORS_FOLDER = "/dev/fd"
#: A visitor takes about ten; macOS gives a process 256 unless it asks for more.
_WANTED_DESCRIPTORS = 8_192


@asynccontextmanager
async def lifespan(_app: object) -> AsyncIterator[None]:
    """Prepare the sockets when the server listens, and end the worker processes with it."""
    raise_descriptor_limit()
    disable_nagle()
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


def disable_nagle() -> int:
    """Turn off Nagle's algorithm on all listening sockets, and return their number.

    An answer is sent as two packets, and asyncio does not turn Nagle's algorithm off for the listening socket
    that Streamlit passes to it. Each key that follows another within 40 ms then takes 44 ms instead of 2.
    """
    n_listening = 0
    names = os.listdir(_DESCRIPTORS_FOLDER) if os.path.isdir(_DESCRIPTORS_FOLDER) else []
    for descriptor in map(int, names):
        with suppress(OSError):
            if not stat.S_ISSOCK(os.fstat(descriptor).st_mode):
                continue
            with socket.socket(fileno=os.dup(descriptor)) as found:
                if found.type == socket.SOCK_STREAM and found.getsockopt(
                    socket.SOL_SOCKET, socket.SO_ACCEPTCONN
                ):
                    found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    n_listening += 1
    return n_listening
