"""Run random inputs for a given time, and report inputs that show a fault.

Run `python -m benchmarks.fuzz --minutes 60`; it needs the requirements for development. The targets are in
`tests/fuzz_targets.py`; each round of a target runs in a process of its own (`--round-of`).
"""

import argparse
import logging
import random
import resource
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings

from playground.workers.child import limited
from tests.fuzz_targets import TARGETS

ROOT = Path(__file__).resolve().parents[1]
#: Limits of a case: CPU time, and memory beyond what the process has.
CASE_SECONDS, CASE_BYTES = 10, 1_000_000_000
_CASES_PER_BATCH = 100


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60, help="no round begins after them")
    parser.add_argument("--round", type=float, default=30, metavar="SECONDS", help="each target in turn")
    parser.add_argument("--only", nargs="*", choices=TARGETS, metavar="TARGET", help="some targets; else all")
    parser.add_argument("--round-of", nargs=4, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.round_of:
        target, first_seed, seconds, last_case = given.round_of
        run_round(target, int(first_seed), float(seconds), Path(last_case))
        return 0
    targets = given.only or list(TARGETS)
    n_cases: Counter[str] = Counter()
    found: dict[str, set[str]] = {target: set() for target in targets}
    start = time.monotonic()
    while (left := 60 * given.minutes - (time.monotonic() - start)) > 0:
        for target in targets:
            n, finding = start_round(target, min(given.round, left / len(targets)))
            n_cases[target] += n
            headline = finding.partition("\n")[0]
            if finding and headline not in found[target]:
                found[target].add(headline)
                print(f"\n{target}: {finding}\n", flush=True)
    print("\n| target | cases | findings |\n|---|---|---|")
    for target in targets:
        print(f"| {target} | {n_cases[target]:,} | {len(found[target])} |")
    n_findings = sum(map(len, found.values()))
    print(f"\n{n_cases.total():,} cases, {n_findings} findings")
    return 1 if n_findings else 0


def start_round(target: str, seconds: float) -> tuple[int, str]:
    """Run a round in a process; return the number of cases, and the first finding with its case."""
    with tempfile.TemporaryDirectory() as folder:
        last_case = Path(folder, "case")
        last_case.write_text("0\n")
        round_of = [target, str(random.randrange(2**63)), f"{seconds}", str(last_case)]
        try:
            done = subprocess.run(
                [sys.executable, "-m", "benchmarks.fuzz", "--round-of", *round_of],
                cwd=ROOT, capture_output=True, text=True, errors="replace", timeout=20 * seconds + 120,
            )  # fmt: skip
            code, output = done.returncode, done.stderr
        except subprocess.TimeoutExpired as error:
            code, output = -1, f"the round does not end: {error}"
        n_cases, _, case = last_case.read_text().partition("\n")
    if code == 0:
        return int(n_cases), ""
    headline = f"the process ended with signal {-code}" if code < 0 else output.strip().splitlines()[-1]
    return int(n_cases), f"{headline}\n{output.strip()[-3_000:]}\n@example(case={case})"


def run_round(name: str, number: int, seconds: float, last_case: Path) -> None:
    """Try cases until the time is over or one shows a fault, then exit with the smallest such case.

    The current case is in the file `last_case`, also if it ends the process.
    """
    target = TARGETS[name]
    errors: list[str] = []
    handler = logging.Handler(logging.ERROR)
    handler.emit = lambda record: errors.append(record.getMessage())  # type: ignore[method-assign]
    logging.getLogger().addHandler(handler)
    threading.excepthook = lambda thrown: errors.append(repr(thrown.exc_value))
    end = time.monotonic() + seconds
    n_cases = 0

    def try_one(case: Any) -> None:
        nonlocal n_cases
        n_cases += 1
        last_case.write_text(f"{n_cases}\n{case!r}", errors="backslashreplace")
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        with limited(CASE_SECONDS, CASE_BYTES):
            target.check(case)
        if errors:
            raise AssertionError(f"logged: {errors.pop()}")
        growth = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        assert growth * 1024 < CASE_BYTES, "the case took too much memory"

    while not n_cases or time.monotonic() < end:
        number += 1
        batch = settings(
            max_examples=_CASES_PER_BATCH, database=None, deadline=None,
            suppress_health_check=list(HealthCheck), phases=[Phase.generate, Phase.shrink],
            report_multiple_bugs=False,
        )  # fmt: skip
        try:
            seed(number)(batch(given(case=target.cases)(try_one)))()
        except Exception as error:
            traceback.print_exc()
            place = traceback.extract_tb(error.__traceback__)[-1]
            sys.exit(f"{type(error).__name__} in {place.name}, {place.filename}:{place.lineno}")


if __name__ == "__main__":
    sys.exit(main())
