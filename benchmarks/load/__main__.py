"""How many visitors a server takes: latencies by kind, processor and memory by number, and the knee.

Run as `python -m benchmarks.load`; it prints tables for README. The visitors share this machine's cores with
the server, from a process of their own.
"""

import argparse
import asyncio
from collections.abc import Iterator

from benchmarks.load.crowd import Crowd, Measured, Visit
from benchmarks.load.latencies import percentile
from benchmarks.load.server import running_server
from benchmarks.load.typing_visitor import KEY_IN_COMPARE, KEY_IN_TOKENIZE, compare, tokenize
from benchmarks.load.visitors import TRAINING_MB, convert, corpus, open_pages, train
from playground.training.warm_up import warm_up

#: A key may take so long for 95 of a hundred, in ms; beside heavy work so many times as long as without.
TOKENIZE_MS, COMPARE_MS, TIMES_QUIET = 50.0, 100.0, 3.0
_HEAD = ("what", "visitors", "median ms", "p95 ms", "worst ms", "of how many", "cores", "memory MB")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load", description=__doc__)
    parser.add_argument(
        "--seconds", type=float, default=30, help="how long each number of visitors is measured"
    )
    parser.add_argument("--tokenize", type=int, nargs="*", default=[50, 100, 200, 300], metavar="VISITORS")
    parser.add_argument("--compare", type=int, nargs="*", default=[5, 10, 20, 30, 40], metavar="VISITORS")
    parser.add_argument(
        "--beside", type=int, default=5, metavar="VISITORS", help="who type beside heavy work; 0: none"
    )
    parser.add_argument(
        "--students", type=int, default=30, help="a class that does all kinds of things; 0: none"
    )
    given = parser.parse_args()
    if given.tokenize:
        print_knee(tokenize, KEY_IN_TOKENIZE, given.tokenize, TOKENIZE_MS, given.seconds)
    if given.compare:
        print_knee(compare, KEY_IN_COMPARE, given.compare, COMPARE_MS, given.seconds)
    if given.beside:
        print_beside(given.beside, given.seconds)
    if given.students:
        print_class(given.students, given.seconds)


def print_knee(visit: Visit, kind: str, numbers: list[int], limit_ms: float, seconds: float) -> None:
    """More and more visitors of one kind, until p95 passes the limit."""

    async def grow() -> None:
        print(f"\nTyping in 100 KB, {kind}: p95 up to {limit_ms:.0f} ms\n")
        print_head()
        with running_server() as server:
            crowd = Crowd(server)
            n_there = 0
            for n_visitors in sorted(numbers):
                await crowd.grow(visit, n_visitors - n_there)
                n_there = n_visitors
                measured = await crowd.measure(seconds)
                print_measured(measured, n_visitors)
                if not percentile(measured.latencies[kind], 0.95) <= limit_ms:
                    print(f"\nThe knee: {n_visitors} visitors are too many.")
                    break
            else:
                print(f"\nThe knee is beyond {n_there} visitors.")
            await crowd.leave()

    asyncio.run(grow())


def print_beside(n_visitors: int, seconds: float) -> None:
    """A few who type, first alone, then beside two trainings and a conversion."""

    async def compare_with_quiet() -> None:
        prepare_trainings()
        print(f"\nA key beside two trainings of {TRAINING_MB} MB and a conversion of 5 MB\n")
        print_head()
        with running_server() as server:
            crowd = Crowd(server)
            await crowd.grow(tokenize, n_visitors)
            quiet = await crowd.measure(seconds)
            print_measured(quiet, n_visitors)
            await crowd.grow(train, 2)
            await crowd.grow(convert, 1)
            busy = await crowd.measure(seconds)
            print_measured(busy, n_visitors + 3)
            await crowd.leave()
        times = percentile(busy.latencies[KEY_IN_TOKENIZE], 0.95) / percentile(
            quiet.latencies[KEY_IN_TOKENIZE], 0.95
        )
        print(f"\np95 of a key is {times:.1f} times the quiet one; {TIMES_QUIET:g} times are allowed.")

    asyncio.run(compare_with_quiet())


def print_class(n_students: int, seconds: float) -> None:
    """A class: most type, some compare and open pages, a few train and convert."""

    async def visit_all() -> None:
        prepare_trainings()
        n_comparing, n_opening, n_training, n_converting = n_students // 6, n_students // 6, 2, 1
        n_typing = max(n_students - n_comparing - n_opening - n_training - n_converting, 1)
        print(
            f"\nA class: {n_typing} type in Tokenize, {n_comparing} in Compare, {n_opening} open pages, "
            f"{n_training} train, {n_converting} converts\n"
        )
        print_head()
        with running_server() as server:
            crowd = Crowd(server)
            for visit, n_visitors in (
                (tokenize, n_typing), (compare, n_comparing), (open_pages, n_opening),
                (train, n_training), (convert, n_converting),
            ):  # fmt: skip
                await crowd.grow(visit, n_visitors)
            print_measured(await crowd.measure(seconds), n_students)
            await crowd.leave()

    asyncio.run(visit_all())


def prepare_trainings() -> None:
    """What is done once on a machine, and the corpus, which takes this process some seconds to make."""
    warm_up()
    corpus(TRAINING_MB)


def print_head() -> None:
    """The first two lines of a table."""
    print_row(*_HEAD)
    print_row(*["---"] * len(_HEAD))


def print_measured(measured: Measured, visitors: int | str) -> None:
    """A row for each kind of wait."""
    for row in rows_of(measured, visitors):
        print_row(*row)


def rows_of(measured: Measured, visitors: int | str) -> Iterator[tuple[str, ...]]:
    """The cells of a table; what the server took stands in the first row only.

    >>> from benchmarks.load.latencies import Wait
    >>> waits = [Wait("a key", 0.0, seconds) for seconds in (0.001, 0.002, 0.04)]
    >>> list(rows_of(Measured(waits, 0.25, 310.4), 3))
    [('a key', '3', '2.0', '40.0', '40.0', '3', '0.25', '310')]
    """
    server = (f"{measured.cores:.2f}", f"{measured.memory_mb:,.0f}")
    for kind, values in sorted(measured.latencies.items()):
        milliseconds = (percentile(values, 0.5), percentile(values, 0.95), max(values))
        yield (
            kind,
            str(visitors),
            *(f"{value:,.1f}" for value in milliseconds),
            f"{len(values):,}",
            *server,
        )
        server = ("", "")


def print_row(*cells: str) -> None:
    """A line of a Markdown table."""
    print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
