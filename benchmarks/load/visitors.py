"""Visitors who type in a text of 100 KB: each posts edits on one connection, as a page's browser code does.

Keys come when a person presses them, whether the previous edit is answered or not; keys pressed meanwhile go
together in the next edit, as in `web/shared/live_text.js`.
"""

import asyncio
import json
import random
import zlib
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import regex

from benchmarks.keystroke import sample_text

TEXT_BYTES = 100_000
#: 200 keys a minute: 40 words a minute, which most adults reach.
SECONDS_A_KEY = 0.3
#: A sentence, and a pause before the next one.
KEYS_IN_A_ROW, PAUSE_SECONDS = 40, 3.0
_VERSION = regex.compile(rb'"version":(\d+)')


class Connection:
    """A kept-alive connection that posts JSON at a tenth of the cost of a full HTTP client.

    Hundreds of visitors share two cores with the server that they measure.
    """

    def __init__(self, port: int) -> None:
        self.port = port
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def post(self, path: str, body: object) -> bytes:
        """Return the body of the answer, unpacked. Raises RuntimeError for a refusal."""
        content = json.dumps(body).encode()
        is_kept = self._reader is not None
        try:
            return await self._post(path, content)
        except (asyncio.IncompleteReadError, ConnectionError):
            if not is_kept:
                raise
            self._reader = None  # the server closes idle connections; a browser opens another
            return await self._post(path, content)

    async def _post(self, path: str, content: bytes) -> bytes:
        if self._reader is None or self._writer is None:
            self._reader, self._writer = await asyncio.open_connection("localhost", self.port)
        host = f"localhost:{self.port}"
        head = (
            f"POST {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n"
            "Content-Type: application/json\r\nAccept-Encoding: gzip\r\n"
            f"Content-Length: {len(content)}\r\n\r\n"
        )
        self._writer.write(head.encode() + content)
        lines = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {
            name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])
        }
        if headers.get("transfer-encoding") == "chunked":
            answer = await self._read_chunks()
        else:
            answer = await self._reader.readexactly(int(headers["content-length"]))
        if " 200 " not in lines[0]:
            raise RuntimeError(f"POST {path}: {lines[0]}: {answer[:300].decode(errors='replace')}")
        return zlib.decompress(answer, 31) if headers.get("content-encoding") == "gzip" else answer

    async def _read_chunks(self) -> bytes:
        assert self._reader is not None
        parts = []
        while n_bytes := int(await self._reader.readline(), 16):
            parts.append(await self._reader.readexactly(n_bytes))
            await self._reader.readline()
        await self._reader.readline()
        return b"".join(parts)


@dataclass
class Latencies:
    """Milliseconds from a key to its answer, for keys pressed since `start`."""

    values: list[float] = field(default_factory=list)
    since: float = 0.0

    def start(self) -> None:
        """Forget what was measured so far."""
        self.values, self.since = [], perf_counter()

    def add(self, pressed: float) -> None:
        """Record the answer to a key that was pressed at this time of `perf_counter`."""
        if pressed >= self.since:
            self.values.append(1000 * (perf_counter() - pressed))


async def type_in(page: str, port: int, latencies: Latencies, ready: asyncio.Event, *, seed: int) -> None:
    """Open a session of a page and type in it until cancelled; sets `ready` before the first key."""
    draw = random.Random(seed)
    connection = Connection(port)
    url = json.loads(await connection.post(f"/load/session/{page}", {}))["url"]
    version = _version_in(await connection.post(f"{url}/open", {}))

    async def edit(start: int, n_deleted: int, inserted: str) -> None:
        nonlocal version
        body = {"version": version, "start": start, "n_deleted": n_deleted, "inserted": inserted}
        version = _version_in(await connection.post(f"{url}/edit", body))

    await edit(0, 0, sample_text(TEXT_BYTES))
    ready.set()
    start = TEXT_BYTES // 2
    await asyncio.sleep(draw.uniform(0, KEYS_IN_A_ROW * SECONDS_A_KEY))  # visitors do not type in step
    while True:
        times = _key_times(draw)
        while times:
            await asyncio.sleep(max(0.0, times[0] - perf_counter()))
            n_keys = sum(time <= perf_counter() for time in times)
            await edit(start, 0, "".join(draw.choices("etaoinshrdlu ", k=n_keys)))
            for time in times[:n_keys]:
                latencies.add(time)
            start += n_keys
            del times[:n_keys]
        await asyncio.sleep(PAUSE_SECONDS)


async def count_small(port: int, latencies: Latencies) -> None:
    """Count 8 characters ten times a second, until cancelled."""
    connection = Connection(port)
    while True:
        started = perf_counter()
        await connection.post("/api/v1/count", {"text": "to be or", "encoding": "bert_uncased"})
        latencies.add(started)
        await asyncio.sleep(0.1)


def ask_again(port: int, body: object) -> Callable[[], Coroutine[Any, Any, None]]:
    """Return a function that asks for the same count again and again, until cancelled."""

    async def ask() -> None:
        connection = Connection(port)
        while True:
            await connection.post("/api/v1/count", body)

    return ask


def stall(port: int) -> Callable[[], Coroutine[Any, Any, None]]:
    """Return a function that sends a tenth of a body again and again, and waits until it is refused."""

    async def send() -> None:
        while True:
            reader, writer = await asyncio.open_connection("localhost", port)
            head = f"POST /api/v1/count HTTP/1.1\r\nHost: localhost:{port}\r\nContent-Type: application/json"
            writer.write(f"{head}\r\nContent-Length: 1000000\r\n\r\n{' ' * 100_000}".encode())
            await reader.read(100)
            writer.close()

    return send


def _key_times(draw: random.Random) -> list[float]:
    time, times = perf_counter(), []
    for _ in range(KEYS_IN_A_ROW):
        time += SECONDS_A_KEY * draw.uniform(0.5, 1.5)
        times.append(time)
    return times


def _version_in(answer: bytes) -> int:
    found: Any = _VERSION.search(answer)
    if found is None:
        raise RuntimeError("an answer without a version")
    return int(found[1])


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least this share of all values does not exceed.

    >>> percentile([3.0, 1.0, 2.0, 9.0], 0.5), percentile([3.0, 1.0, 2.0, 9.0], 0.95)
    (2.0, 9.0)
    """
    return sorted(values)[max(-int(-share * len(values) // 1) - 1, 0)]
