"""The server under load: started for a measurement, with the processor time and memory that it takes.

Linux only: `/proc` tells what a process and its children take.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from socket import socket
from typing import IO

import httpx

ROOT = Path(__file__).resolve().parents[2]
_TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Server:
    """A running app."""

    process: "subprocess.Popen[bytes]"
    port: int

    @property
    def host(self) -> str:
        """Its name and port."""
        return f"localhost:{self.port}"

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://{self.host}"

    def processor_seconds(self) -> float:
        """What it and its children have used; of children that have ended too."""
        return sum(map(_processor_seconds, self.processes()))

    def memory_mb(self) -> float:
        """What it and its children hold in memory, in MB (resident)."""
        return sum(self.memory_of_each())

    def memory_of_each(self) -> list[float]:
        """What each holds, in MB: first itself, then its children."""
        return list(map(_memory_mb, self.processes()))

    def processes(self) -> list[int]:
        """It and its children."""
        found, children = [self.process.pid], [self.process.pid]
        while children:
            lists = (Path(f"/proc/{pid}/task").glob("*/children") for pid in children)
            children = [int(pid) for paths in lists for path in paths for pid in _read(path).split()]
            found += children
        return found


@contextmanager
def running_server(log: IO[str] | None = None) -> Iterator[Server]:
    """The app on a free port, until the end of the block; what it prints goes into `log`, if there is one."""
    with socket() as probe:
        probe.bind(("localhost", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "streamlit_app.py", "--server.port", str(port)]
    target = subprocess.DEVNULL if log is None else log
    process = subprocess.Popen(command, cwd=ROOT, stdout=target, stderr=target)
    server = Server(process, port)
    try:
        _wait_for_health(server)
        yield server
    finally:
        process.terminate()
        process.wait()


def _wait_for_health(server: Server) -> None:
    for _ in range(600):
        try:
            httpx.get(f"{server.url}/_stcore/health", timeout=5)
            return
        except httpx.TransportError:
            if server.process.poll() is not None:
                break
            time.sleep(0.1)
    raise RuntimeError(f"the app did not start on port {server.port}; try `make run`")


def _processor_seconds(pid: int) -> float:
    fields = _read(Path(f"/proc/{pid}/stat")).rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / _TICKS_A_SECOND  # user and system, its own and of ended children


def _memory_mb(pid: int) -> float:
    status = _read(Path(f"/proc/{pid}/status"))
    lines = [line for line in status.splitlines() if line.startswith("VmRSS:")]
    return int(lines[0].split()[1]) / 1000 if lines else 0.0


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:  # the process has ended
        return ""
