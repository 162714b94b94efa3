"""A class at work, and one who tries everything: how long the others wait, and what the server holds after.

Run as `python -m benchmarks.siege --minutes 30`; it needs the requirements for development. The visitors
share this machine's cores with the server and with the one who attacks.
"""

import argparse
import asyncio
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import IO, Any, NamedTuple

from benchmarks.load.__main__ import prepare_trainings, print_head, print_measured, print_row
from benchmarks.load.crowd import Crowd, Measured
from benchmarks.load.latencies import Wait, percentile
from benchmarks.load.server import ROOT, Server, running_server
from benchmarks.load.typing_visitor import KEY_IN_COMPARE, KEY_IN_TOKENIZE, compare, tokenize
from benchmarks.load.visitors import convert, open_pages, train

#: No key of another waits longer, in ms; the memory grows by no more than this share.
KEY_MS, MEMORY_SHARE = 500.0, 0.2
#: Memory is the mean of this many seconds, for one conversion takes half a minute, and two processes hold
#: 0.7 GB for it; after the attack first so many pass.
_MEMORY_SECONDS, _CALM_SECONDS = 180.0, 120.0
#: First each kind of visitor has done its work once: worker processes and a training have their memory.
_WARM_SECONDS = 120.0
#: Seconds that the server has to end, with its processes.
_END_SECONDS = 5.0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.siege", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30, help="how long the attack lasts")
    parser.add_argument("--visitors", type=int, default=30, help="who work beside it")
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME", help="some attacks; else all")
    given = parser.parse_args()
    with tempfile.TemporaryFile("w+") as log:
        faults = asyncio.run(siege(log, given.visitors, 60 * given.minutes, given.only))
        log.seek(0)
        text = log.read()
    if n_tracebacks := text.count("Traceback"):
        faults.append(f"{n_tracebacks} tracebacks in the server's log; the first:")
        faults.append(text[text.index("Traceback") :][:3_000])
    print("\n" + ("\n".join(faults) if faults else "No key waited too long, and nothing was left behind."))
    return 1 if faults else 0


async def siege(log: IO[str], n_visitors: int, seconds: float, only: list[str]) -> list[str]:
    """What is not as it should be, a sentence each."""
    prepare_trainings()
    with running_server(log) as server:
        crowd = Crowd(server)
        n_typing = max(n_visitors - n_visitors // 3, 1)
        for visit, n in (
            (tokenize, n_typing), (compare, n_visitors // 6), (open_pages, n_visitors // 6 - 2),
            (train, 1), (convert, 1),
        ):  # fmt: skip
            await crowd.grow(visit, n)
        print(f"\n{n_visitors} visitors alone, one attacks them, and alone again\n")
        print_head()
        await asyncio.sleep(_WARM_SECONDS)
        alone, before = await watch(crowd, _MEMORY_SECONDS)
        print_measured(alone, f"{n_visitors} alone")
        attacker = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.siege.attacker", server.host, "--seconds", str(seconds)]
            + (["--only", *only] if only else []),
            cwd=ROOT, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        attacked, _ = await watch(crowd, seconds)
        print_measured(attacked, f"{n_visitors} attacked")
        ends, _ = await asyncio.to_thread(attacker.communicate)
        await asyncio.sleep(_CALM_SECONDS)
        calm, after = await watch(crowd, _MEMORY_SECONDS)
        print_measured(calm, f"{n_visitors} after it")
        await crowd.leave()
        faults = [*waits_of(attacked), *waits_of(calm)]
        print(f"\nMemory: {before} before, {after} after.\n")
        if after.total_mb > before.total_mb * (1 + MEMORY_SHARE):
            faults.append(f"the memory grew to {after.total_mb / before.total_mb:.2f} of what it was")
        print_ends(ends, attacked.waits)
        faults += leave(server)
    return faults


class Memory(NamedTuple):
    """What the server held, the mean of a look a second, in MB: in all, and its own process without workers.

    >>> print(Memory(2_000.4, 1_200))
    2,000 MB (1,200 without workers)
    """

    total_mb: float
    own_mb: float

    def __str__(self) -> str:
        return f"{self.total_mb:,.0f} MB ({self.own_mb:,.0f} without workers)"


async def watch(crowd: Crowd, seconds: float) -> tuple[Measured, Memory]:
    """What visitors waited for, and what the server held meanwhile."""
    measuring = asyncio.create_task(crowd.measure(seconds))
    looks = [crowd.server.memory_of_each()]
    while not measuring.done():
        await asyncio.wait([measuring], timeout=1)
        looks.append(crowd.server.memory_of_each())
    return measuring.result(), Memory(fmean(map(sum, looks)), fmean(own for own, *_ in looks))


def waits_of(measured: Measured) -> list[str]:
    """A sentence for each kind of key that once waited too long."""
    return [
        f"{kind} waited {max(measured.latencies[kind]):,.0f} ms; {KEY_MS:g} ms are allowed"
        for kind in (KEY_IN_TOKENIZE, KEY_IN_COMPARE)
        if max(measured.latencies.get(kind, [0.0])) > KEY_MS
    ]


def print_ends(lines: str, waits: Sequence[Wait]) -> None:
    """What was tried, how a key of another waited meanwhile, and how it ended; the longest wait first."""
    tries: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in map(json.loads, lines.splitlines()):
        tries[line["name"]].append(line)
    keys = [wait for wait in waits if wait.kind in (KEY_IN_TOKENIZE, KEY_IN_COMPARE)]
    beside = {
        name: [ms for one in own for ms in waits_beside(keys, one["started"], one["ended"])]
        for name, own in tries.items()
    }
    print_row("what was tried", "times", "longest, s", "keys: p95 ms", "worst ms", "how it ended")
    print_row(*["---"] * 6)
    for name in sorted(tries, key=lambda name: max(beside[name], default=0.0), reverse=True):
        own, ms = tries[name], beside[name]
        seconds = max(one["ended"] - one["started"] for one in own)
        ends = sorted({str(one["end"]).replace("|", "\\|").replace("\n", " ") for one in own})
        worst = (percentile(ms, 0.95), max(ms, default=math.nan))
        print_row(
            name, str(len(own)), f"{seconds:.1f}", *(f"{value:,.0f}" for value in worst), "; ".join(ends)
        )


def waits_beside(waits: Iterable[Wait], started: float, ended: float) -> list[float]:
    """Milliseconds of those that were not over before, nor began after.

    >>> waits_beside([Wait("a key", 1.0, 2.0), Wait("a key", 1.5, 4.5), Wait("a key", 9.0, 9.1)], 3.0, 5.0)
    [3000.0]
    """
    return [wait.milliseconds for wait in waits if wait.ended >= started and wait.started <= ended]


def leave(server: Server) -> list[str]:
    """End the server, and say what did not end with it."""
    pids, started = server.processes(), time.monotonic()
    server.process.terminate()
    try:
        server.process.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:
        return [f"the server did not end in {_END_SECONDS:g} s"]
    while left := [pid for pid in pids if _is_there(pid)]:
        if time.monotonic() - started > _END_SECONDS:
            for pid in left:
                os.kill(pid, signal.SIGKILL)
            return [f"{len(left)} processes were left behind"]
        time.sleep(0.1)
    return []


def _is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
