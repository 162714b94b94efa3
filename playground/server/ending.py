"""The end of the server: asked to stop, it is gone within some seconds, whatever it is doing then."""

import asyncio
import signal
import threading
from types import FrameType

import uvicorn

#: Who has asked may be answered; then files that still come are cut off, and answers that nobody reads.
FINISH_SECONDS = 2
#: Then the system ends the process: a thread may be in a library that hears nothing.
END_SECONDS = 4


def end_in_time() -> None:
    """Bound how long uvicorn waits after SIGTERM and Ctrl+C; without this it waits for every connection.

    To be called in uvicorn's loop, when it listens for signals. Windows has no alarm: there connections are
    cut off, and nothing else.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        server = getattr(signal.getsignal(number), "__self__", None)
        if isinstance(server, uvicorn.Server):
            signal.signal(number, _ending(server, loop))


def _ending(server: uvicorn.Server, loop: asyncio.AbstractEventLoop) -> "signal._HANDLER":
    def end(number: int, frame: FrameType | None) -> None:
        if hasattr(signal, "alarm"):
            signal.alarm(END_SECONDS)
        loop.call_soon_threadsafe(loop.call_later, FINISH_SECONDS, _cut_off, server)
        server.handle_exit(number, frame)

    return end


def _cut_off(server: uvicorn.Server) -> None:
    for connection in list(server.server_state.connections):
        connection.transport.abort()
