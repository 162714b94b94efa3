"""Benchmark of `count` and `encode --out` against tiktoken and gigatoken, as whole processes.

Run `python -m benchmarks.corpora` in an environment with `benchmarks/requirements.txt`; missing peers are
skipped. Contenders take turns. The reported figures are the CPU time of all threads, which varies little on a
busy machine, and its ratio to the first contender's in the same round: the median, and in brackets the lowest
and the highest. The first round is not reported; "first run" has no compiled modules of Python, as on a new
machine. Counts must be equal. The files are
English and code (the standard library and the packages' sources), and 39 languages in which few words repeat:
letters of the Universal Declaration of Human Rights, drawn at random.
"""

import argparse
import hashlib
import importlib.util
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from multiprocessing import Process
from pathlib import Path
from typing import NamedTuple

from benchmarks.corpora_peers import PEERS
from benchmarks.training_corpus import corpus
from playground.catalog.shipped_vocabularies import read_vocabulary

_UDHR = Path(__file__).resolve().parents[1] / "assets" / "texts" / "udhr.json"
_OURS = [sys.executable, "-m", "playground"]
_FIRST = ["env", "PYTHONPYCACHEPREFIX=/dev/null", "PYTHONDONTWRITEBYTECODE=1"]
_CL100K = ["--tokenizer", "cl100k_base"]
_THREE = [*_CL100K, "--tokenizer", "o200k_base", "--tokenizer", "gpt2"]
#: What a program of tiktoken does that counts a file.
_TIKTOKEN = """
import sys, tiktoken
text = open(sys.argv[1], encoding="utf-8", newline="").read()
print(len(tiktoken.get_encoding("cl100k_base").encode_ordinary(text)))
"""
_ONE_THREAD = {"RAYON_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}


class Run(NamedTuple):
    """Resources of a process: CPU time of all threads, elapsed time, and peak memory."""

    processor_seconds: float
    seconds: float
    megabytes: float
    n_tokens: int


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--megabytes", type=int, default=60, help="of English and code; a fifth of languages")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--alone", action="store_true", help="without the peers, which take minutes of a GB")
    parser.add_argument("--start", action="store_true", help="only the start: 20 KB, beside tiktoken")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if arguments.start:
            _compare_starts(folder, arguments.rounds)
            return
        english, languages = folder / "english.txt", folder / "languages.txt"
        _write_in_a_process(english, languages, arguments.megabytes)
        known = [peer for peer in PEERS if importlib.util.find_spec(peer) is not None]
        peers = [] if arguments.alone else known
        ids = str(folder / "ids.npy")
        for file, title in ((english, "English and code"), (languages, "39 languages, few repeats")):
            one = [*_OURS, "count", str(file), "--json", "--threads", "1"]
            contenders = {"count": [*one, *_CL100K]}
            if file is english:
                contenders["count, first run"] = [*_FIRST, *contenders["count"]]
                contenders["count, 2 cores"] = [*one[:-1], "2", *_CL100K]
                contenders["count, 3 tokenizers"] = [*one, *_THREE]
            contenders |= {peer: _peer(peer, file) for peer in peers}
            _table(f"{title}, {file.stat().st_size / 1e6:.0f} MB", contenders, arguments.rounds)
        encode = [*_OURS, "encode", str(english), "--json", "--out", ids, *_CL100K, "--threads"]
        contenders = {"encode": [*encode, "1"], "encode, 2 cores": [*encode, "2"]}
        if not arguments.alone:
            contenders["tiktoken"] = [*_peer("tiktoken", english), ids]
        _table("ids.npy of English and code", contenders, arguments.rounds)
        if arguments.alone:
            return
        _compare_starts(folder, arguments.rounds)


def write_texts(english: Path, languages: Path, megabytes: int) -> None:
    """Write the two files."""
    english.write_bytes(corpus(megabytes * 1_000_000))
    languages.write_text(few_repeats(megabytes * 200_000), encoding="utf-8", newline="")


def _write_in_a_process(english: Path, languages: Path, megabytes: int) -> None:
    """Write in a process of its own, because a process inherits the peak memory of the one that starts it."""
    texts = Process(target=write_texts, args=(english, languages, megabytes))
    texts.start()
    texts.join()


def few_repeats(n_characters: int) -> str:
    """Return random words of 39 languages' letters, with the lengths and frequencies of real text.

    >>> len(few_repeats(1_000))
    1000
    """
    draw = random.Random(39)
    texts = [json.dumps(language, ensure_ascii=False) for language in json.loads(_UDHR.read_text("utf-8"))]
    parts: list[str] = []
    n_parts = 0
    while n_parts < n_characters:
        letters = [*draw.choice(texts)[:4_000]]
        draw.shuffle(letters)
        parts.append("".join(letters) + "\n")
        n_parts += len(parts[-1])
    return "".join(parts)[:n_characters]


def _compare_starts(folder: Path, n_rounds: int) -> None:
    """Count 20 KB with `count`, and with tiktoken, whose cache of downloads is filled before."""
    small = folder / "small.txt"
    small.write_bytes(corpus(20_000))
    address = b"https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken"
    (folder / hashlib.sha1(address).hexdigest()).write_bytes(read_vocabulary("cl100k_base.tiktoken.gz"))
    os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
    contenders = {"tiktoken": [sys.executable, "-c", _TIKTOKEN, str(small)]}
    contenders["count"] = [*_OURS, "count", str(small), "--json", *_CL100K]
    _table("20 KB: the start", contenders, 5 * n_rounds)  # short, and so less even


def _peer(name: str, file: Path) -> list[str]:
    return [sys.executable, "-m", "benchmarks.corpora_peers", name, str(file)]


def _table(title: str, contenders: dict[str, list[str]], n_rounds: int) -> None:
    runs: dict[str, list[Run]] = {name: [] for name in contenders}
    for number in range(n_rounds + 1):
        for name, command in contenders.items():
            run = _run(command)
            if number:
                runs[name].append(run)
    first = [run.processor_seconds for run in next(iter(runs.values()))]
    print(f"\n{title}\n{'':20}{'processor s':20}{'against the first':20}clock s      MB  tokens")
    for name, found in runs.items():
        processor = [run.processor_seconds for run in found]
        ratios = [ours / other for ours, other in zip(processor, first, strict=True)]
        clock = statistics.median(run.seconds for run in found)
        megabytes = max(run.megabytes for run in found)
        print(
            f"{name:20}{_with_range(processor):20}{_with_range(ratios):20}{clock:7.2f}  {megabytes:6.0f}  "
            f"{found[0].n_tokens:,}",
            flush=True,
        )
    counts = {found[0].n_tokens for name, found in runs.items()}
    if len(counts) > 1:
        print(f"counts differ: {', '.join(f'{n:,}' for n in sorted(counts))}")


def _with_range(figures: list[float]) -> str:
    """Return the median of figures, and the lowest and the highest.

    >>> _with_range([3, 1, 2])
    '2.00 (1.00–3.00)'
    """
    return f"{statistics.median(figures):.2f} ({min(figures):.2f}–{max(figures):.2f})"


def run_process(command: list[str]) -> Run:
    """Return the time and memory of a process; what it prints is ignored."""
    return _finished(command)[0]


def _run(command: list[str]) -> Run:
    run, answer = _finished(command)
    return run._replace(n_tokens=_n_tokens(answer))


def _finished(command: list[str]) -> tuple[Run, bytes]:
    started = time.perf_counter()
    environment = os.environ | _ONE_THREAD
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # what is installed is compiled before its first use
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        answer = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    processor_seconds = usage.ru_utime + usage.ru_stime
    return Run(processor_seconds, time.perf_counter() - started, usage.ru_maxrss / 1024, 0), answer


def _n_tokens(answer: bytes) -> int:
    """Return the number of tokens that a process printed; of several tokenizers, the first one's."""
    told = json.loads(answer)
    if isinstance(told, int):
        return told
    if "total" not in told:
        return int(told["files"][0]["tokens"])
    tokens = told["total"]["tokens"]
    return int(next(iter(tokens.values())) if isinstance(tokens, dict) else tokens)


if __name__ == "__main__":
    main()
