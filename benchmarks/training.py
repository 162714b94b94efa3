"""Times of the trainer beside rustbpe, ffbpe, gigabpe and Hugging Face tokenizers.

Run with `python -m benchmarks.training` in an environment with `benchmarks/requirements.txt`; a peer that
is not installed is left out. Each measurement is a process of its own with imports and compiled code warm;
peers take turns, and the median of five rounds is told. Tokens are compared: with `lowest-pair` ours must
equal rustbpe's and ffbpe's, with `hugging-face` those of tokenizers. gigabpe splits a file into lines first,
so its tokens are compared with those of a third, untimed training of ours, on lines.

The text is the standard library's Python files: code and English comments that every machine has. From
100 MB on (`--large`), the packages beside them are read too, from a file.
"""

import argparse
import hashlib
import importlib.util
import json
import resource
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from playground.bpe.files import HUGGING_FACE_PATTERNS
from playground.bpe.gpt2_bytes import from_gpt2_characters
from playground.bpe.pretokenize import SPLIT_PATTERNS

N_ROUNDS = 5


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--large", action="store_true", help="also 100 MB, read from a file; takes minutes")
    parser.add_argument("--rounds", type=int, default=N_ROUNDS)
    parser.add_argument("--worker", nargs=3, metavar=("PEER", "FILE", "VOCAB"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        peer, file, vocab_size = arguments.worker
        print(json.dumps(measure(peer, Path(file), int(vocab_size))))
        return
    sizes = [(1_000_000, 4096), (10_000_000, 32768)] + [(100_000_000, 32768)] * arguments.large
    with tempfile.TemporaryDirectory() as folder:
        for n_bytes, vocab_size in sizes:
            file = Path(folder) / f"{n_bytes}.txt"
            file.write_bytes(corpus(n_bytes))
            compare(file, vocab_size, n_rounds=arguments.rounds)


def compare(file: Path, vocab_size: int, *, n_rounds: int) -> None:
    peers = [name for name in PEERS if MODULES.get(name) is None or importlib.util.find_spec(MODULES[name])]
    results: dict[str, list[dict[str, float | str]]] = {name: [] for name in peers}
    for _ in range(n_rounds):
        for name in peers:
            command = [
                sys.executable,
                "-m",
                "benchmarks.training",
                "--worker",
                name,
                str(file),
                str(vocab_size),
            ]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            results[name].append(json.loads(done.stdout.splitlines()[-1]))
    print(f"\n{file.stat().st_size:,} bytes, vocabulary {vocab_size:,}; median of {n_rounds} rounds")
    print(f"{'trainer':24} {'seconds':>8} {'memory MB':>10} {'tokens':>8}")
    for name, rounds in results.items():
        seconds = statistics.median(float(r["seconds"]) for r in rounds)
        memory = statistics.median(float(r["memory"]) for r in rounds)
        print(f"{name:24} {seconds:8.3f} {memory:10.0f} {rounds[0]['digest']:>10}")


def measure(peer: str, file: Path, vocab_size: int) -> dict[str, float | str]:
    """Train once and tell the time, the growth of memory and a digest of the tokens."""
    train = PEERS[peer](file, vocab_size)  # everything that is no training: imports, reading, a warm-up
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.perf_counter()
    tokens = train()
    seconds = time.perf_counter() - started
    memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    learned = sorted(tokens())
    digest = learned[0].decode() if len(learned) == 1 else hashlib.sha256(b"\0".join(learned)).hexdigest()[:8]
    return {"seconds": seconds, "memory": memory, "digest": digest}


Tokens = Callable[[], Iterable[bytes]]


def _ours(
    ties: str, pattern_name: str, *, from_file: bool = False
) -> Callable[[Path, int], Callable[[], Tokens]]:
    def prepare(file: Path, vocab_size: int) -> Callable[[], Tokens]:
        from playground.analysis.training_run import warm_up
        from playground.bpe.chunk_counts import count_chunks, count_file_chunks
        from playground.bpe.split_pattern import SplitPattern
        from playground.bpe.train import Trainer

        warm_up()
        pattern = SplitPattern.named(pattern_name)
        text = "" if from_file else file.read_bytes().decode()

        def train() -> Tokens:
            chunks = count_file_chunks([file], pattern) if from_file else count_chunks([text], pattern)
            trainer = Trainer(chunks, vocab_size=vocab_size, ties=ties)
            trainer.advance()
            return trainer.token_bytes

        return train

    return prepare


def _rustbpe(file: Path, vocab_size: int) -> Callable[[], Tokens]:
    import rustbpe

    text = file.read_bytes().decode()

    def train() -> Tokens:
        tokenizer = rustbpe.Tokenizer()
        tokenizer.train_from_iterator([text], vocab_size, pattern=SPLIT_PATTERNS["cl100k"])
        return lambda: [bytes(raw) for raw, _ in tokenizer.get_mergeable_ranks()]

    return train


def _ffbpe(file: Path, vocab_size: int) -> Callable[[], Tokens]:
    import ffbpe

    text = file.read_bytes().decode()

    def train() -> Tokens:
        counter = ffbpe.PreTokenizer([], pat_str=SPLIT_PATTERNS["cl100k"]).word_counter()
        counter.add_source([text], max_records=4096, max_bytes=64 << 20, prefetch=1)
        trainer = ffbpe.BpeTrainer([])
        trainer.add_word_counter(counter)
        trainer.train(vocab_size)
        return lambda: list(trainer.vocab)

    return train


def _tokenizers(file: Path, vocab_size: int) -> Callable[[], Tokens]:
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

    text = file.read_bytes().decode()

    def train() -> Tokens:
        tokenizer = Tokenizer(models.BPE())
        split = pre_tokenizers.Split(Regex(HUGGING_FACE_PATTERNS["cl100k"]), behavior="isolated")
        byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, byte_level])
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        trainer = trainers.BpeTrainer(vocab_size=vocab_size, show_progress=False, initial_alphabet=alphabet)
        tokenizer.train_from_iterator([text], trainer)
        return lambda: map(from_gpt2_characters, tokenizer.get_vocab())

    return train


def _gigabpe(file: Path, vocab_size: int) -> Callable[[], Tokens]:
    import gigabpe

    from playground.bpe.chunk_counts import count_chunks
    from playground.bpe.split_pattern import SplitPattern
    from playground.bpe.train import Trainer

    def train() -> Tokens:
        # Its alphabet is only the bytes that occur, so it learns a few merges more for the same size.
        _, merges = gigabpe.train_bpe([str(file)], vocab_size, special_tokens=[], pretokenizer="bytelevel")
        learned = [left + right for left, right in merges[: vocab_size - 256]]

        def tokens() -> Iterable[bytes]:
            lines = count_chunks(
                file.read_bytes().decode().splitlines(keepends=True), SplitPattern.named("gpt2")
            )
            trainer = Trainer(lines, vocab_size=vocab_size, ties="hugging-face")
            trainer.advance()
            own = trainer.token_bytes()[256:]
            return [b"as ours" if own == [*map(from_gpt2_characters, learned)] else b"differs"]

        return tokens

    return train


PEERS: dict[str, Callable[[Path, int], Callable[[], Tokens]]] = {
    "ours, first-seen": _ours("first-seen", "cl100k"),
    "ours, lowest-pair": _ours("lowest-pair", "cl100k"),
    "ours, hugging-face": _ours("hugging-face", "cl100k"),
    "rustbpe": _rustbpe,
    "ffbpe": _ffbpe,
    "tokenizers": _tokenizers,
    "ours, gpt2 from file": _ours("hugging-face", "gpt2", from_file=True),
    "ours, cl100k from file": _ours("first-seen", "cl100k", from_file=True),
    "gigabpe, gpt2 from file": _gigabpe,
}
MODULES = {
    "rustbpe": "rustbpe",
    "ffbpe": "ffbpe",
    "tokenizers": "tokenizers",
    "gigabpe, gpt2 from file": "gigabpe",
}


def corpus(n_bytes: int) -> bytes:
    """So many bytes of Python files, sorted by path, cut at a line end."""
    folder = Path(sysconfig.get_paths()["stdlib"])
    own = sorted(path for path in folder.rglob("*.py") if "site-packages" not in path.parts)
    packages = sorted(Path(sysconfig.get_paths()["purelib"]).rglob("*.py"))
    parts: list[bytes] = []
    size = 0
    for path in [*own, *packages]:
        raw = path.read_bytes()
        try:
            raw.decode()
        except UnicodeDecodeError:
            continue
        parts.append(raw)
        size += len(raw)
        if size >= n_bytes:
            break
    joined = b"".join(parts)[:n_bytes]
    return joined[: joined.rfind(b"\n") + 1]


if __name__ == "__main__":
    main()
