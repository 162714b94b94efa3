"""Costs of the trainer besides training: compiling, loading, and writing an event for each merge.

Run with `python -m benchmarks.training_costs`. Compiling and loading are measured in processes of their own,
without imports. The cost of events is found by compiling the kernel without the lines that write them.
"""

import importlib.util
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import ModuleType

from benchmarks.training_corpus import corpus

N_ROUNDS = 5
_FIRST_CALL = """
import time
from playground.training import trainer, warm_up
started, cpu_started = time.perf_counter(), time.process_time()
{call}
print(time.perf_counter() - started, time.process_time() - cpu_started)
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        compiling = first_call(folder, "warm_up.compile_here(warm_up.TRAINER)")
        encoder = first_call(folder, "warm_up.compile_here(warm_up.ENCODER)")
        loading = sorted(first_call(folder, "warm_up.warm_up()") for _ in range(N_ROUNDS))[N_ROUNDS // 2]
    print("\nbeside training; median of 5, but compiling once")
    for what, (seconds, cpu), goal in (
        ("compiling the trainer, once on a computer", compiling, 15),
        ("compiling the encoder, once on a computer", encoder, 15),
        ("first training of a process, compiled before, without imports", loading, 0.3),
    ):
        print(f"  {what}: {seconds:.2f} s, {cpu:.2f} s of the processor; goal at most {goal}")
    for n_bytes, vocab_size in ((1_000_000, 4096), (10_000_000, 32768)):
        with_events, without = event_seconds(n_bytes, vocab_size)
        print(
            f"  events, {n_bytes:,} bytes: merging takes {with_events:.4f} s, without {without:.4f} s: "
            f"{with_events / without - 1:+.0%}; goal at most +15%"
        )


def first_call(cache_folder: str, call: str) -> tuple[float, float]:
    """Return the seconds of a call in a new process, on the clock and of CPU time."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache_folder}
    command = [sys.executable, "-c", _FIRST_CALL.format(call=call)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    seconds, cpu = map(float, done.stdout.splitlines()[-1].split())
    return seconds, cpu


def event_seconds(n_bytes: int, vocab_size: int) -> tuple[float, float]:
    """Return the seconds of merging with and without events: medians of trainings that take turns."""
    from playground.bpe.split_pattern import SplitPattern
    from playground.training import trainer as train
    from playground.training.kernel import merge_kernel
    from playground.training.pretoken_counts import count_pretokens

    pretokens = count_pretokens([corpus(n_bytes).decode()], SplitPattern.named("cl100k"))
    kernels = (merge_kernel, _kernel_without_events(Path(merge_kernel.__file__)))
    seconds: tuple[list[float], list[float]] = ([], [])
    try:
        for round_number in range(4 * N_ROUNDS + 1):
            turns = list(zip(kernels, seconds, strict=True))
            for kernel, times in turns if round_number % 2 else reversed(turns):
                train.kernel = kernel  # type: ignore[attr-defined]
                trainer = train.Trainer(pretokens, vocab_size=vocab_size)
                started = time.perf_counter()
                trainer.advance()
                if round_number:  # the first run compiles
                    times.append(time.perf_counter() - started)
    finally:
        train.kernel = merge_kernel  # type: ignore[attr-defined]
    return statistics.median(seconds[0]), statistics.median(seconds[1])


def _kernel_without_events(path: Path) -> ModuleType:
    """Return a copy of the kernel without its lines that end in `# event`."""
    lines = path.read_text().splitlines(keepends=True)
    kept = [line for line in lines if not line.rstrip().endswith("# event")]
    assert len(kept) < len(lines), "no line of the kernel is marked as an event's"
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "kernel_without_events.py"
        copy.write_text("".join(kept))
        spec = importlib.util.spec_from_file_location(copy.stem, copy)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    main()
