"""The server under load, with the CPU time and memory that it and its worker processes use (Linux only)."""

import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from socket import socket

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Server:
    """A running app."""

    process: "subprocess.Popen[bytes]"
    port: int

    def cpu_seconds(self) -> float:
        """Return the CPU time of the server and its children, ended ones included."""
        fields = [_read(f"/proc/{pid}/stat").rpartition(")")[2].split()[11:15] for pid in self._pids()]
        return sum(int(ticks) for ticks_of in fields for ticks in ticks_of) / os.sysconf("SC_CLK_TCK")

    def memory_mb(self) -> float:
        """Return the resident memory of the server and its children."""
        pages = [int(_read(f"/proc/{pid}/statm").split()[1]) for pid in self._pids()]
        return sum(pages) * os.sysconf("SC_PAGE_SIZE") / 1e6

    def _pids(self) -> list[int]:
        pids = [self.process.pid]
        for pid in pids:
            for path in Path(f"/proc/{pid}/task").glob("*/children"):
                pids += map(int, _read(path).split())
        return [pid for pid in pids if _read(f"/proc/{pid}/statm")]


@contextmanager
def running_server() -> Iterator[Server]:
    """Run the app with the benchmark's routes on a free port."""
    with socket() as probe:
        probe.bind(("localhost", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "benchmarks/load/app.py", "--server.port", str(port)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)
    try:
        _wait_until_healthy(process, port)
        yield Server(process, port)
    finally:
        process.kill()
        process.wait()


def _wait_until_healthy(process: "subprocess.Popen[bytes]", port: int) -> None:
    for _ in range(600):
        with suppress(OSError), urllib.request.urlopen(f"http://localhost:{port}/_stcore/health", timeout=5):
            return
        if process.poll() is not None:
            break
        time.sleep(0.1)
    raise RuntimeError(f"the app did not start on port {port}")


def _read(path: str | Path) -> str:
    try:
        return Path(path).read_text()
    except OSError:  # the process has ended
        return ""
