"""Count a tree of small files, each program a whole process: `python -m benchmarks.count_tree [FOLDER]`.

Peers are the commands on PATH: `aitokencount` (PyPI; tiktoken, one file after another) and `repomix` (npm;
tokens of the files that it joins). Without FOLDER, files of Python's own library are copied, each with a
first line of its own, until there are `--files` of them.
"""

import argparse
import hashlib
import os
import re
import shutil
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path

from playground.catalog.openai import load_openai

_RANKS = "https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken"
_MAX_BYTES = 6_000
_TIMEOUT = 900


def make_tree(top: Path, n_files: int) -> None:
    """Write small files of code, 30 to a folder."""
    library = sorted(Path(sysconfig.get_path("stdlib")).rglob("*.py"))
    texts = [path.read_bytes()[:_MAX_BYTES] for path in library if "site-packages" not in path.parts]
    texts = [text for text in texts if text.isascii() and b"\r" not in text]
    for number in range(n_files):
        folder = top / f"d{number // 600}" / f"e{number // 30 % 20}"
        if number % 30 == 0:
            folder.mkdir(parents=True, exist_ok=True)
        (folder / f"f{number}.py").write_bytes(b"# %d\n" % number + texts[number % len(texts)])
    (top / ".gitignore").write_text("*.pyc\n__pycache__/\nnode_modules/\n*.log\n/build/\ndist/\n")


def keep_ranks(cache: Path) -> None:
    """Write the ranks of cl100k_base where tiktoken looks before it downloads them."""
    ranks = load_openai("cl100k_base").mergeable_ranks
    lines = (b64encode(raw) + b" %d\n" % rank for raw, rank in ranks.items())
    (cache / hashlib.sha1(_RANKS.encode()).hexdigest()).write_bytes(b"".join(lines))


def commands(folder: Path, scratch: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the name and command of each program that is here."""
    own = [sys.executable, "-m", "playground", "count", str(folder), "--tokenizer", "cl100k_base", "--csv"]
    yield "tessera, one thread", [*own, "--by", "language", "--threads", "1"]
    yield f"tessera, {os.cpu_count()} threads", [*own, "--by", "language", "--threads", str(os.cpu_count())]
    peers = {
        "aitokencount": [str(folder), "--quiet"],
        "repomix": [str(folder), "--token-count-encoding", "cl100k_base", "-o", str(scratch / "out.xml")],
    }
    for name, words in peers.items():
        if found := shutil.which(name):
            yield name, [found, *words]
        else:
            print(f"{name} is not on PATH", file=sys.stderr)


def tokens_of(name: str, printed: str) -> str:
    """Return the number of tokens that a program printed, or "—"."""
    if name.startswith("tessera"):
        return printed.splitlines()[-1].split(",")[0] if printed else "—"
    found = re.search(r"total tokens:\s*([\d,]+)", printed, re.IGNORECASE)
    return found[1].replace(",", "") if found else "—"


def main() -> None:
    """Print the seconds of each program, medians of the rounds, and its tokens."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--files", type=int, default=60_000)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        scratch = Path(made)
        folder = arguments.folder or scratch / "tree"
        if not arguments.folder:
            make_tree(folder, arguments.files)
        keep_ranks(scratch)
        environment = {**os.environ, "TIKTOKEN_CACHE_DIR": str(scratch)}
        seconds: dict[str, list[float]] = {}
        tokens: dict[str, str] = {}
        for _ in range(arguments.rounds):
            for name, command in commands(folder, scratch):
                began = time.perf_counter()
                done = subprocess.run(
                    command, env=environment, capture_output=True, text=True, timeout=_TIMEOUT, check=False
                )
                seconds.setdefault(name, []).append(time.perf_counter() - began)
                failed = f" (status {done.returncode})" if done.returncode else ""
                tokens[name] = tokens_of(name, done.stdout) + failed
        print("program | seconds | range | tokens")
        for name, each in seconds.items():
            print(
                f"{name} | {statistics.median(each):.2f} | {min(each):.2f}–{max(each):.2f} | {tokens[name]}"
            )


if __name__ == "__main__":
    main()
