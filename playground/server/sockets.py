"""The sockets on which the server listens: answers go out at once and whole; noise is one line of the log."""

import logging
import os
import socket
import stat
from contextlib import suppress

_DESCRIPTORS = "/dev/fd"
_STREAM_LOGGER = "streamlit.web.server.starlette.starlette_websocket"


def log_noise_briefly() -> None:
    """Log what comes over a page's socket and is no message in a line.

    Streamlit closes such a socket and logs a traceback, so anyone could fill the log with them.
    """
    logging.getLogger(_STREAM_LOGGER).addFilter(_without_traceback)


def _without_traceback(record: logging.LogRecord) -> bool:
    if record.levelno < logging.ERROR and record.exc_info:
        error = record.exc_info[1]
        record.msg, record.args = "%s: %s", (record.getMessage(), " ".join(str(error).split()))
        record.exc_info = record.exc_text = None
    return True


def send_at_once() -> int:
    """Turn Nagle's algorithm off for connections to come; on how many sockets this process listens.

    The head and the body of an answer are two packets. Nagle holds the second back until the first is
    acknowledged, and a client takes 40 ms or more for that where requests follow each other. asyncio turns it
    off on sockets that it makes, not on the one that Streamlit hands it. Connections have what their listener
    has.
    """
    n_listening = 0
    for descriptor in _sockets():
        with suppress(OSError), socket.socket(fileno=os.dup(descriptor)) as own:
            is_tcp = own.family in (socket.AF_INET, socket.AF_INET6) and own.type == socket.SOCK_STREAM
            if is_tcp and own.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                own.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                n_listening += 1
    return n_listening


def _sockets() -> list[int]:
    """The descriptors of this process that are sockets; none where the system does not tell."""
    try:
        names = os.listdir(_DESCRIPTORS)
    except OSError:
        return []
    return [int(name) for name in names if _is_socket(int(name))]


def _is_socket(descriptor: int) -> bool:
    try:
        return stat.S_ISSOCK(os.fstat(descriptor).st_mode)
    except OSError:  # what listed the folder is closed again
        return False
