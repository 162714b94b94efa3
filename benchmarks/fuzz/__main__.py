"""Inputs drawn at random, for as long as is asked: what is tried, and what is found, with the input.

Run as `python -m benchmarks.fuzz --minutes 60`; it needs the requirements for development. What is tried
stands in `tests/fuzz_targets.py`, and each round of a target runs in a process of its own.
"""

import argparse
import importlib
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from benchmarks.fuzz.child import CASE_BYTES, CASE_SECONDS

ROOT = Path(__file__).resolve().parents[2]
#: A process that waits for something, and takes no processor time, is ended after so many times its round.
_TIMES_LATE = 20


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60, help="no round begins after them")
    parser.add_argument("--round", type=float, default=30, metavar="SECONDS", help="each target in turn")
    parser.add_argument("--only", nargs="*", metavar="TARGET", help="some targets; else all")
    parser.add_argument("--targets", default="tests.fuzz_targets", help="the module of the table TARGETS")
    given = parser.parse_args()
    known = importlib.import_module(given.targets).TARGETS
    if unknown := set(given.only or ()) - set(known):
        parser.error(f"no target is called {', '.join(sorted(unknown))}; choose from {', '.join(known)}")
    targets = given.only or list(known)
    n_cases: Counter[str] = Counter()
    found: dict[str, set[str]] = {target: set() for target in targets}
    print(
        f"A case may take {CASE_SECONDS} s of the processor and {CASE_BYTES / 1e6:,.0f} MB of memory.",
        flush=True,
    )
    start = time.monotonic()
    while (left := 60 * given.minutes - (time.monotonic() - start)) > 0:
        for target in targets:
            n, finding = run_round(given.targets, target, min(given.round, left / len(targets)))
            n_cases[target] += n
            headline = finding.partition("\n")[0]
            if finding and headline not in found[target]:
                found[target].add(headline)
                print(f"\n{target}: {finding}\n", flush=True)
    minutes = (time.monotonic() - start) / 60
    print("\n| target | cases | findings |\n|---|---|---|")
    for target in targets:
        print(f"| {target} | {n_cases[target]:,} | {len(found[target])} |")
    n_findings = sum(map(len, found.values()))
    print(f"\n{n_cases.total():,} cases in {minutes:.0f} minutes, {n_findings} findings")
    return 1 if n_findings else 0


def run_round(module: str, target: str, seconds: float) -> tuple[int, str]:
    """The number of cases, and the first finding: what went wrong, and the case that shows it."""
    seed = random.randrange(2**63)
    with tempfile.TemporaryDirectory() as folder:
        last_case = Path(folder, "case")
        last_case.write_text("0\n")
        command = [sys.executable, "-m", "benchmarks.fuzz.child", module, target, str(seed), f"{seconds}"]
        try:
            done = subprocess.run(
                [*command, str(last_case)],
                cwd=ROOT,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=seconds * _TIMES_LATE + 120,
            )
            code, said = done.returncode, done.stderr
        except subprocess.TimeoutExpired as error:
            code, said = -1, f"it waits for ever: {error}"
        n_cases, _, case = last_case.read_text().partition("\n")
    if code == 0:
        return int(n_cases), ""
    how = f"the process ended with signal {-code}" if code < 0 else said.strip().splitlines()[-1]
    return int(n_cases), f"{how}\n{said.strip()[-3_000:]}\n@example(case={case})"


if __name__ == "__main__":
    sys.exit(main())
