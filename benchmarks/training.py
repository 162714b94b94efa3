"""Times of the trainer beside rustbpe, ffbpe, gigabpe and Hugging Face tokenizers.

Run with `python -m benchmarks.training` in an environment with `benchmarks/requirements.txt`; a peer that
is not installed is left out. Each measurement is a process of its own with imports and compiled code warm;
trainers take turns in five rounds. Reported are the median and the best elapsed time, which vary on a busy
machine, and the CPU time of all threads, which hardly does. `--large` adds 100 MB from a file.

The split pattern is cl100k's unless "gpt2" is given. Tokens are compared: with `lowest-pair` ours must equal
rustbpe's and ffbpe's, with `hugging-face` those of tokenizers. gigabpe splits a file into lines first, so
its tokens are compared with an untimed training of ours on lines. rustbpe does not know the letters that are
new in Unicode 17, so some of its tokens differ for texts that have them. Memory is the growth of the process
during the timed part, without a text that was in memory before.
"""

import argparse
import importlib.util
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.training_corpus import corpus
from benchmarks.training_peers import TRAINERS

N_ROUNDS = 5

Rounds = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Goal:
    """The target ratio: the least speed of ours relative to theirs, or the largest relative memory."""

    ours: str
    peer: str
    times: float
    is_memory: bool = False


@dataclass(frozen=True, slots=True)
class Size:
    """A size of text: its contenders, those whose tokens must be equal, and the target."""

    n_bytes: int
    vocab_size: int
    trainers: tuple[str, ...]
    equal: tuple[tuple[str, str], ...]
    goals: tuple[Goal, ...]


_IN_MEMORY = ("ours", "ours, lowest-pair", "ours, hugging-face", "rustbpe", "ffbpe", "tokenizers")
_FROM_FILE = ("ours, file", "ours, file, gpt2", "gigabpe, file, gpt2")
_EQUAL = (
    ("ours, lowest-pair", "rustbpe"),
    ("ours, lowest-pair", "ffbpe"),
    ("ours, hugging-face", "tokenizers"),
    ("ours by lines, gpt2", "gigabpe, file, gpt2"),
)

SIZES = (
    Size(
        1_000_000,
        4096,
        (*_IN_MEMORY, *_FROM_FILE),
        _EQUAL,
        (
            Goal("ours", "rustbpe", 4.5),
            Goal("ours", "tokenizers", 11),
            Goal("ours", "ffbpe", 3),
            Goal("ours, file, gpt2", "gigabpe, file, gpt2", 1.2),
        ),
    ),
    Size(
        10_000_000,
        32768,
        (*_IN_MEMORY, *_FROM_FILE),
        _EQUAL,
        (
            Goal("ours", "tokenizers", 13),
            Goal("ours", "ffbpe", 3),
            Goal("ours, file, gpt2", "gigabpe, file, gpt2", 1.8),
        ),
    ),
    Size(
        100_000_000,
        32768,
        (*_FROM_FILE, "ours, file, lowest-pair", "rustbpe"),
        (("ours, file, lowest-pair", "rustbpe"), ("ours by lines, gpt2", "gigabpe, file, gpt2")),
        (
            Goal("ours, file", "rustbpe", 10),
            Goal("ours, file, gpt2", "gigabpe, file, gpt2", 1.8),
            Goal("ours, file, gpt2", "gigabpe, file, gpt2", 1.4, is_memory=True),
        ),
    ),
)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--large", action="store_true", help="also 100 MB, read from a file; takes minutes")
    parser.add_argument("--rounds", type=int, default=N_ROUNDS)
    parser.add_argument("--no-costs", action="store_true", help="leave out compiling, loading and events")
    parser.add_argument("--worker", nargs=3, metavar=("TRAINER", "FILE", "VOCAB"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        name, file, vocab_size = arguments.worker
        print(json.dumps(measure(name, Path(file), int(vocab_size))))
        return
    print(f"load before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES if arguments.large else SIZES[:2]:
            file = Path(folder) / f"{size.n_bytes}.txt"
            file.write_bytes(corpus(size.n_bytes))
            compare(size, file, n_rounds=arguments.rounds)
    if not arguments.no_costs:
        subprocess.run([sys.executable, "-m", "benchmarks.training_costs"], check=True)
    print(f"load after: {os.getloadavg()[0]:.1f}")


def compare(size: Size, file: Path, *, n_rounds: int) -> None:
    """Let the trainers take turns, and print a table of medians, the ratios and whether tokens are equal."""
    names = [name for name in size.trainers if _is_installed(name)]
    results: dict[str, Rounds] = {name: [] for name in names}
    for _ in range(n_rounds):
        for name in names:
            results[name].append(_in_own_process(name, file, size.vocab_size))
    tokens = {name: set(rounds[0]["tokens"]) for name, rounds in results.items()}
    print(f"\n{file.stat().st_size:,} bytes, vocabulary {size.vocab_size:,}; {n_rounds} rounds")
    print(f"{'trainer':24} {'median s':>8} {'best s':>8} {'CPU s':>8} {'growth MB':>10}")
    for name in names:
        median, best = (how(_figures(results[name], "seconds")) for how in (statistics.median, min))
        cpu, memory = (statistics.median(_figures(results[name], field)) for field in ("cpu", "memory"))
        print(f"{name:24} {median:8.3f} {best:8.3f} {cpu:8.3f} {memory:10.1f}")
    for goal in size.goals:
        if goal.peer in names:
            print(_verdict(goal, results[goal.ours], results[goal.peer]))
    for ours, peer in size.equal:
        if peer in names:
            own = tokens.get(ours) or set(_in_own_process(ours, file, size.vocab_size)["tokens"])
            n_others = len(tokens[peer] - own)
            print(f"  {n_others:,} of {len(tokens[peer]):,} tokens of {peer} are not those of {ours}")


def measure(name: str, file: Path, vocab_size: int) -> dict[str, Any]:
    """Train once; return seconds, CPU seconds, growth of memory in MB, and the tokens."""
    train = TRAINERS[name].prepare(file, vocab_size)
    before = _start_of_growth()
    started, cpu_started = time.perf_counter(), time.process_time()
    tokens = train()
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu_started
    memory = _peak_memory() - before
    return {"seconds": seconds, "cpu": cpu, "memory": memory, "tokens": [raw.hex() for raw in tokens()]}


def _verdict(goal: Goal, ours: Rounds, peer: Rounds) -> str:
    field = "memory" if goal.is_memory else "seconds"
    own, other = _figures(ours, field), _figures(peer, field)
    if goal.is_memory:
        ratio = statistics.median(own) / statistics.median(other)
        is_reached, measured = ratio <= goal.times, f"{ratio:.2f} times the memory of {goal.peer}"
        limit = f"at most {goal.times}"
    else:
        ratio = statistics.median(other) / statistics.median(own)
        is_reached = ratio >= goal.times
        measured = (
            f"{ratio:.1f} times the speed of {goal.peer}, best against best {min(other) / min(own):.1f}"
        )
        limit = f"at least {goal.times}"
    return f"  {goal.ours}: {measured}; goal {limit}: {'reached' if is_reached else 'NOT REACHED'}"


def _figures(rounds: Rounds, field: str) -> list[float]:
    return [float(one[field]) for one in rounds]


def _is_installed(name: str) -> bool:
    module = TRAINERS[name].module
    return not module or importlib.util.find_spec(module) is not None


def _in_own_process(name: str, file: Path, vocab_size: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.training", "--worker", name, str(file), str(vocab_size)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def _start_of_growth() -> float:
    """Return the MB in memory now, and reset the peak (on Linux)."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
        return _status("VmRSS")
    except OSError:
        return _peak_memory()


def _peak_memory() -> float:
    try:
        return _status("VmHWM")
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _status(field: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(field))


if __name__ == "__main__":
    main()
