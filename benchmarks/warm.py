"""Benchmark of encoding in a running process: one thread, four kinds of text, against other libraries.

Run `python -m benchmarks.warm` in an environment with `benchmarks/requirements.txt`; missing peers are
skipped. Each contender is a process of its own that loads cl100k_base, encodes the first tenth of a text, and
is then timed on the rest, which is in memory in pieces of a megabyte. Contenders take turns. Figures are the
processor's megabytes per second, medians of the rounds, and the ids must be equal.

The texts are made of what is on every machine: English documentation of the packages, their source code,
Chinese (words of the vocabulary of Qwen 3 and of the Universal Declaration of Human Rights, the nth most
frequent one n times as rarely), and letters of 39 languages at random, in which few words repeat.
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
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import regex

from benchmarks.corpora import few_repeats
from benchmarks.corpora_peers import gigatoken_tokenizer
from playground.bpe.safe_cuts import SafeCuts, iter_safe_blocks, safe_cut_of
from playground.catalog.openai import load_openai
from playground.catalog.registry import get_tokenizer

_NAME = "cl100k_base"
_PROSE, _CODE = {".md", ".rst", ".txt"}, {".py", ".pyi", ".pyx", ".js", ".c", ".h"}
_MAX_FILE_BYTES = 3_000_000
_PIECE = 1_000_000
_TEXTS = Path(__file__).resolve().parents[1] / "assets" / "texts"
_ONE_THREAD = {"RAYON_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}

#: Encodes pieces, and returns the ids of each.
Encode = Callable[[Sequence[str]], Sequence[Any]]


def english(n_bytes: int) -> str:
    """Return distinct documents that are mostly letters of ASCII and spaces."""
    return _joined(
        _PROSE, n_bytes, lambda text: text.isascii() and len(_LETTERS.findall(text)) > 0.75 * len(text)
    )


def code(n_bytes: int) -> str:
    """Return distinct files of source code."""
    return _joined(_CODE, n_bytes, lambda _text: True)


_LETTERS = regex.compile("[a-zA-Z ]")


def _joined(endings: set[str], n_bytes: int, is_wanted: Callable[[str], bool]) -> str:
    parts: list[str] = []
    seen: set[int] = set()
    size = 0
    for path in _files(endings):
        try:
            text = path.read_text("utf-8")
        except (OSError, UnicodeDecodeError):
            continue
        if hash(text) not in seen and text and is_wanted(text):
            seen.add(hash(text))
            parts.append(text)
            size += len(text)
            if size >= n_bytes:
                break
    return "\n".join(parts)[:n_bytes]


def _files(endings: set[str]) -> Iterator[Path]:
    folders = [os.path.dirname(os.__file__), *(place for place in sys.path if place.endswith("-packages"))]
    for folder in dict.fromkeys([*folders, "/usr/share"]):
        for place, inside, names in os.walk(folder):
            inside.sort()
            for name in sorted(names):
                path = Path(place, name)
                if path.suffix in endings and path.is_file() and path.stat().st_size <= _MAX_FILE_BYTES:
                    yield path


def chinese(n_bytes: int) -> str:
    """Return words of Chinese with the frequencies of real text, a sentence of about fifteen at a time."""
    draw = random.Random(15)
    declaration = next(
        each
        for each in json.loads((_TEXTS / "udhr.json").read_text("utf-8"))
        if each["code"].startswith(("cmn", "zho"))
    )
    vocabulary = get_tokenizer("qwen3").vocabulary
    spelled = [raw.decode(errors="replace") for raw in vocabulary.raws_of(vocabulary.ids)]
    words = regex.findall(r"\p{Han}{1,4}", json.dumps(declaration, ensure_ascii=False))
    words = [*dict.fromkeys([*words, *(word for word in spelled if regex.fullmatch(r"\p{Han}+", word))])]
    weights = [*accumulate(1 / (n + 1) for n in range(len(words)))]
    parts: list[str] = []
    size = 0
    while size < n_bytes:
        chosen = draw.choices(words, cum_weights=weights, k=draw.randint(5, 25))
        cut = draw.randrange(len(chosen))
        parts.append(f"{''.join(chosen[:cut])}，{''.join(chosen[cut:])}。" + "\n" * (draw.random() < 0.2))
        size += 3 * len(parts[-1])
    return "".join(parts)


TEXTS: dict[str, Callable[[int], str]] = {
    "English": english,
    "code": code,
    "Chinese": chinese,
    "39 languages": lambda n_bytes: few_repeats(n_bytes // 2),
}


def ours(_folder: Path) -> Encode:
    """Return the encoder of large texts."""
    from playground.corpora.encoders import Encoder

    encoder = Encoder(get_tokenizer(_NAME))
    return lambda pieces: [encoder.encode([piece]) for piece in pieces]


def tiktoken(_folder: Path) -> Encode:
    """Return `encode_ordinary` in a loop."""
    encode = load_openai(_NAME).encoding.encode_ordinary
    return lambda pieces: [encode(piece) for piece in pieces]


def gigatoken(_folder: Path) -> Encode:
    """Return its batch call in one thread."""
    return partial(gigatoken_tokenizer().encode_batch, parallel=False)


def tokenizers(folder: Path) -> Encode:
    """Return its fastest batch call, without spans."""
    from tokenizers import Tokenizer

    library: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
    return lambda pieces: library.encode_batch_fast(pieces, add_special_tokens=False)


CONTENDERS: dict[str, Callable[[Path], Encode]] = {
    "ours": ours, "gigatoken": gigatoken, "tiktoken": tiktoken, "tokenizers": tokenizers,
}  # fmt: skip


def time_here(name: str, text: Path) -> dict[str, object]:
    """Return the bytes and processor seconds of a contender on a text, and a hash of its ids."""
    whole = text.read_text("utf-8")
    cuts = SafeCuts(safe_cut_of("cl100k"))
    warm_up = [*iter_safe_blocks(iter([whole[: len(whole) // 10]]), cuts)]
    pieces = [
        *iter_safe_blocks((whole[n : n + _PIECE] for n in range(len(whole) // 10, len(whole), _PIECE)), cuts)
    ]
    encode = CONTENDERS[name](text.parent)
    encode(warm_up)
    began = time.process_time()
    found = encode(pieces)
    seconds = time.process_time() - began
    digest = hashlib.sha256()
    for ids in found:
        digest.update(np.array(getattr(ids, "ids", ids), np.uint32).tobytes())
    return {
        "bytes": sum(len(piece.encode()) for piece in pieces),
        "seconds": seconds,
        "ids": digest.hexdigest(),
    }


def main() -> None:
    """Print a table with a row for each text and a column for each contender."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=50, help="of each text")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--time", nargs=2, metavar=("NAME", "FILE"), help="time one contender in this process"
    )
    arguments = parser.parse_args()
    if arguments.time:
        print(json.dumps(time_here(arguments.time[0], Path(arguments.time[1]))))
        return
    names = [name for name in CONTENDERS if name == "ours" or importlib.util.find_spec(name)]
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        convert = ["convert", "--tokenizer", _NAME, "--out", str(folder / "tokenizer.json")]
        subprocess.run([sys.executable, "-m", "playground", *convert], check=True, stdout=subprocess.DEVNULL)
        print(f"MB/s of a processor: {' | '.join(['text', *names])}")
        for title, make in TEXTS.items():
            text = folder / "text.txt"
            text.write_text(make(arguments.megabytes * 1_000_000), encoding="utf-8", newline="")
            _print_row(title, text, names, arguments.rounds)


def _print_row(title: str, text: Path, names: Sequence[str], n_rounds: int) -> None:
    speeds: dict[str, list[float]] = {name: [] for name in names}
    digests: dict[str, str] = {}
    for _ in range(n_rounds):
        for name in names:
            command = [sys.executable, "-m", "benchmarks.warm", "--time", name, str(text)]
            answer = subprocess.run(
                command, check=True, capture_output=True, env=os.environ | _ONE_THREAD
            ).stdout
            found = json.loads(answer)
            speeds[name].append(found["bytes"] / 1e6 / found["seconds"])
            digests[name] = found["ids"]
    cells = []
    for name, each in speeds.items():
        differs = "" if digests[name] == digests["ours"] else ", other ids"
        cells.append(f"{statistics.median(each):.1f} ({min(each):.1f}–{max(each):.1f}{differs})")
    print(f"{title}, {text.stat().st_size / 1e6:.0f} MB | {' | '.join(cells)}", flush=True)


if __name__ == "__main__":
    main()
