"""The real app as a process of its own, and visitors who need no browser."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 60
#: Starts Streamlit as `python -m streamlit` does; at a signal it writes what each of its threads is doing.
#: By Python's own handler: faulthandler's reads threads that run meanwhile, and has ended the server.
_LAUNCHER = """
import signal, sys, traceback

def write_stacks(_signal, _frame):
    stacks = [traceback.format_stack(frame) for frame in sys._current_frames().values()]
    sys.stderr.write("\\n".join("".join(reversed(stack)) for stack in stacks) + "\\nEnd of stacks\\n")

signal.signal(signal.SIGUSR1, write_stacks)
from streamlit.web.cli import main
sys.exit(main())
"""


@dataclass
class App:
    """The server under test."""

    url: str
    start: Callable[[], "subprocess.Popen[bytes]"]
    process: "subprocess.Popen[bytes]"
    log: Path

    def kill(self) -> None:
        """End it at once, as a crash does."""
        self.process.kill()
        self.process.wait()

    def start_again(self) -> None:
        """Start it at the same address, and wait until it has answered."""
        self.process = self.start()
        _wait_for_health(self)

    def stacks(self) -> str:
        """What each thread of the server is doing, innermost call first."""
        n_before = self.log.stat().st_size
        self.process.send_signal(signal.SIGUSR1)
        deadline = time.monotonic() + 20
        while "End of stacks" not in (text := self.log.read_text(errors="replace")[n_before:]):
            assert time.monotonic() < deadline, "the server does not answer a signal"
            time.sleep(0.05)
        return text

    @property
    def host(self) -> str:
        """Its name and port."""
        return self.url.removeprefix("http://")

    def ask(self, path: str, body: object = None, **headers: str) -> tuple[int, str]:
        """Status and text of an answer; a body makes it a POST."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.url + path, data, {"Content-Type": "application/json", **headers}
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, answer.read().decode(errors="replace")
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode(errors="replace")

    async def open_page(self, page: str = "") -> tuple[websockets.ClientConnection, str]:
        """A visitor's socket once a page has run, and the address of its session."""
        connection, sent = await self.read_page(page)
        _, found, address = b"".join(sent).rpartition(b'"/session/')
        return connection, "/session/" + address.split(b'"', 1)[0].decode() if found else ""

    async def read_page(
        self, page: str = "", query: str = ""
    ) -> tuple[websockets.ClientConnection, list[bytes]]:
        """A visitor's socket once a page has run, and the messages that were sent to it."""
        connection = await websockets.connect(
            f"ws://{self.host}/_stcore/stream",
            subprotocols=[websockets.Subprotocol("streamlit")],
            origin=websockets.Origin(self.url),
            max_size=None,
        )
        run = BackMsg()
        run.rerun_script.page_name, run.rerun_script.query_string = page, query
        await connection.send(run.SerializeToString())
        sent: list[bytes] = []
        while True:
            raw = await asyncio.wait_for(connection.recv(), 60)
            assert isinstance(raw, bytes)
            message = ForwardMsg()
            message.ParseFromString(raw)
            sent.append(raw)
            if message.WhichOneof("type") == "script_finished":
                return connection, sent


def children(pid: int) -> list[int]:
    """The processes that a process has started."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()] + [
        int(child)
        for task in Path(f"/proc/{pid}/task").iterdir()
        if task.name != str(pid)
        for child in (task / "children").read_text().split()
    ]


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and is not yet asked for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def free_port() -> int:
    """A port that nobody uses at the moment."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        return int(free.getsockname()[1])


@contextmanager
def running_app(
    home: Path,
    *,
    port: int | None = None,
    environment: Mapping[str, str] | None = None,
    root: Path = ROOT,
    also: str = "",
) -> Iterator[App]:
    """The app with a HOME of its own, once it has answered; `also` runs in it first."""
    port = port or free_port()
    command = [sys.executable, "-c", also + _LAUNCHER, "run", "streamlit_app.py"]
    command += ["--server.port", str(port), "--server.headless", "true", "--server.fileWatcherType", "none"]

    log = home / "server.log"
    env = dict(os.environ | {"HOME": str(home)} if environment is None else environment)

    def start() -> "subprocess.Popen[bytes]":
        with log.open("ab") as output:
            return subprocess.Popen(command, cwd=root, env=env, stdout=output, stderr=output)

    app = App(f"http://localhost:{port}", start, start(), log)
    try:
        _wait_for_health(app)
        yield app
    finally:
        app.process.terminate()
        try:
            app.process.wait(10)
        except subprocess.TimeoutExpired:
            app.kill()


def _wait_for_health(app: App) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and app.process.poll() is None:
        try:
            with urllib.request.urlopen(f"{app.url}/_stcore/health", timeout=5):
                return
        except OSError:
            time.sleep(0.1)
    pytest.fail(f"the app did not start:\n{app.log.read_text(errors='replace')}")
