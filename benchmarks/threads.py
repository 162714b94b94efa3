"""Benchmark of one thread against two, and where one thread's time goes: `python -m benchmarks.threads`.

`count` of a large file and of a tree of small ones, `encode --out`, and the counting of `train`, each as a
whole process, in turns. What a tenth of the input takes less tells the start from what grows with the input,
and profiles of both divide the latter into compiled code, which runs without the interpreter's lock, calls of
the system, which let the lock go, and the rest, Python, of which one thread at a time runs.
"""

import argparse
import cProfile
import pstats
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.corpora import Run, run_process
from benchmarks.count_tree import make_tree
from benchmarks.training_corpus import corpus

_OF_SYSTEM = ("posix.", "_io.open", "io.open", "'_io.FileIO'", "'_io.Buffered", "'posix.DirEntry'", "mmap")
_SHELL = [sys.executable, "-m", "playground"]
_PROFILED = [sys.executable, "-m", "benchmarks.threads", "--profile"]


def commands(folder: Path, megabytes: int, n_files: int) -> dict[str, list[str]]:
    """Write the inputs, and return the arguments of each command without the number of threads."""
    folder.mkdir()
    text, tree = folder / "text.txt", folder / "tree"
    text.write_bytes(corpus(megabytes * 1_000_000))
    make_tree(tree, n_files)
    return {
        f"count, {text.stat().st_size / 1e6:.0f} MB": ["count", str(text), "--json"],
        f"count, {n_files:,} files": ["count", str(tree), "--csv", "--by", "language"],
        "encode --out": ["encode", str(text), "--json", "--out", str(folder / "ids.npy")],
        "train, counting": ["train", str(text), "--vocab-size", "257", "--out", str(folder / "t.json")],
    }


def profile(path: str, words: list[str]) -> int:
    """Run a command of the shell in this process, and write its profile."""
    from playground.shell.main import main as shell

    profiler = cProfile.Profile(time.process_time)
    status = profiler.runcall(shell, words)
    profiler.dump_stats(path)
    return status


def profiled(words: list[str], path: Path) -> dict[str, float]:
    """Return the processor seconds of compiled code and of calls of the system in a run with one thread."""
    subprocess.run([*_PROFILED, str(path), *words, "--threads", "1"], check=True, capture_output=True)
    found = {"compiled code": 0.0, "system": 0.0}
    stats: dict[tuple[str, int, str], tuple[int, int, float, float, object]]
    stats = pstats.Stats(str(path)).stats  # type: ignore[attr-defined]
    for (file, _line, name), (_calls, _primitive, own, _cumulative, _callers) in stats.items():
        if "training/kernel/" in file and "<" not in name:
            found["compiled code"] += own
        elif any(mark in name for mark in _OF_SYSTEM):
            found["system"] += own
    return found


def main() -> None:
    """Print a row for each command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--files", type=int, default=60_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--profile", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.profile:
        raise SystemExit(profile(arguments.profile[0], arguments.profile[1:]))
    print("command | processor s, 1 · 2 threads | clock s, 1 · 2 threads | of one thread's processor time")
    with tempfile.TemporaryDirectory() as made:
        large = commands(Path(made, "large"), arguments.megabytes, arguments.files)
        small = commands(Path(made, "small"), arguments.megabytes // 10, arguments.files // 10)
        for (title, words), tenth in zip(large.items(), small.values(), strict=True):
            _print_row(title, words, tenth, Path(made, "profile"), arguments.rounds)


def _print_row(title: str, words: list[str], tenth: list[str], path: Path, n_rounds: int) -> None:
    whole = [[*_SHELL, *own, "--threads", n] for own, n in ((words, "1"), (words, "2"), (tenth, "1"))]
    runs: list[list[Run]] = [[] for _ in whole]
    for number in range(n_rounds + 1):  # the first compiles what is not cached
        for own, command in zip(runs, whole, strict=True):
            run = run_process(command)
            own += [run] * (number > 0)
    one, two, small = (statistics.median(run.processor_seconds for run in own) for own in runs)
    clock = [statistics.median(run.seconds for run in own) for own in runs[:2]]
    grown = (one - small) / 0.9
    before, after = profiled(tenth, path), profiled(words, path)
    parts = {name: (after[name] - before[name]) / 0.9 for name in after}
    parts["Python"] = max(0.0, grown - sum(parts.values()))
    shares = ", ".join(f"{name} {seconds:.2f}" for name, seconds in parts.items())
    print(f"{title} | {_both([one, two])} | {_both(clock)} | start {one - grown:.2f}, {shares}", flush=True)


def _both(figures: list[float]) -> str:
    return f"{figures[0]:.2f} · {figures[1]:.2f}"


if __name__ == "__main__":
    main()
