"""Latency of key presses with many visitors, of small counts beside attacks, and of keys beside other work.

Run as `python -m benchmarks.load`; it prints the table of docs/benchmarks.md. The visitors run in a process
of their own and share this machine's cores with the server.
"""

import argparse
import asyncio
from contextlib import suppress

from benchmarks.load.inputs import TRAINING_MB
from benchmarks.load.server import Server, running_server
from benchmarks.load.visitors import (
    Connection,
    Latencies,
    ask_again,
    count_small,
    percentile,
    stall,
    type_in,
)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load", description=__doc__)
    parser.add_argument("--seconds", type=float, default=30, help="how long each row is measured")
    parser.add_argument("--tokenize", type=int, nargs="*", default=[50, 100, 200], metavar="VISITORS")
    parser.add_argument("--compare", type=int, nargs="*", default=[5, 10, 20], metavar="VISITORS")
    parser.add_argument("--attacks", type=int, default=4, metavar="LOOPS", help="of 1 MB each; 0: none")
    parser.add_argument("--beside", type=int, default=5, metavar="VISITORS", help="beside trainings; 0: none")
    given = parser.parse_args()
    print("| what | visitors | median ms | p95 ms | worst ms | keys | CPU ms a key | cores | memory MB |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    for page, numbers in (("tokenize", given.tokenize), ("compare", given.compare)):
        if numbers:
            asyncio.run(measure_page(page, numbers, given.seconds))
    if given.attacks:
        asyncio.run(measure_attacks(given.attacks, given.seconds))
    if given.beside:
        asyncio.run(measure_beside_work(given.beside, given.seconds))


async def measure_page(page: str, numbers: list[int], seconds: float) -> None:
    """Print a row for each number of visitors on one page."""
    with running_server() as server:
        crowd = Crowd(server)
        for n_visitors in sorted(numbers):
            await crowd.grow(page, n_visitors)
            await crowd.print_row(f"a key in {page.capitalize()}", seconds)
        await crowd.leave()


async def measure_beside_work(n_visitors: int, seconds: float) -> None:
    """Print a row without other work, and one beside two trainings and a conversion."""
    with running_server() as server:
        crowd = Crowd(server)
        await crowd.grow("tokenize", n_visitors)
        await crowd.print_row("a key, nothing beside", seconds)
        for what in ("train", "train", "convert"):
            await Connection(server.port).post(f"/load/work/{what}", {})
        await asyncio.sleep(5)
        await crowd.print_row(f"a key beside two trainings of {TRAINING_MB} MB and a conversion", seconds)
        await crowd.leave()


async def measure_attacks(n_loops: int, seconds: float) -> None:
    """Print a row for small counts beside each attack on the API."""
    dots = {"text": "." * 1_000_000, "encoding": "bert_uncased"}
    letters = {"text": "ab" * 500_000, "encoding": "claude_4_7"}
    with running_server() as server:
        for what, attack in (
            ("nothing beside", None),
            (f"{n_loops} loops of 1 MB of dots in bert_uncased", ask_again(server.port, dots)),
            (f"{n_loops} loops of 1 MB of letters in claude_4_7", ask_again(server.port, letters)),
            (f"{10 * n_loops} clients that stall in a body of 1 MB", stall(server.port)),
        ):
            n_attackers = 10 * n_loops if "stall" in what else n_loops
            loops = [asyncio.create_task(attack()) for _ in range(n_attackers)] if attack else []
            await asyncio.sleep(5)  # until the worker processes have started
            crowd = Crowd(server)
            crowd.visitors = [asyncio.create_task(count_small(server.port, crowd.latencies))]
            await crowd.print_row(f"a count of 8 characters, {what}", seconds)
            await crowd.leave()
            for loop in loops:
                loop.cancel()
            await asyncio.gather(*loops, return_exceptions=True)


class Crowd:
    """Visitors who type at one server."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.latencies = Latencies()
        self.visitors: list[asyncio.Task[None]] = []

    async def grow(self, page: str, n_visitors: int) -> None:
        """Let visitors come, four at a time, until there are this many."""
        doors = asyncio.Semaphore(4)

        async def admit(seed: int) -> None:
            async with doors:
                ready = asyncio.Event()
                self.visitors.append(
                    asyncio.create_task(type_in(page, self.server.port, self.latencies, ready, seed=seed))
                )
                waiting = asyncio.create_task(ready.wait())
                await asyncio.wait([self.visitors[-1], waiting], return_when=asyncio.FIRST_COMPLETED)
                waiting.cancel()

        await asyncio.gather(*map(admit, range(len(self.visitors), n_visitors)))

    async def print_row(self, what: str, seconds: float) -> None:
        """Measure for some seconds and print a row of the table. Raises what ended a visitor."""
        self.latencies.start()
        cpu_before = self.server.cpu_seconds()
        done, _ = await asyncio.wait(self.visitors, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        for visitor in done:
            visitor.result()
        cpu = self.server.cpu_seconds() - cpu_before
        values = self.latencies.values
        figures = [percentile(values, 0.5), percentile(values, 0.95), max(values)]
        cells = [what, str(len(self.visitors)), *(f"{value:,.1f}" for value in figures), f"{len(values):,}"]
        cells += [
            f"{1000 * cpu / len(values):.2f}",
            f"{cpu / seconds:.2f}",
            f"{self.server.memory_mb():,.0f}",
        ]
        print(f"| {' | '.join(cells)} |", flush=True)

    async def leave(self) -> None:
        """End all visits."""
        for visitor in self.visitors:
            visitor.cancel()
            with suppress(asyncio.CancelledError):
                await visitor


if __name__ == "__main__":
    main()
