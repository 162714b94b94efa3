"""Time training algorithms and their peers on the novel: `python -m benchmarks.algorithms [vocab_size]`.

Each figure is the best of five runs from a text in memory, with compiled code loaded. `python -m
benchmarks.algorithms --large [MB] [NAME …]` runs each algorithm of the table once on text of this machine,
each in a process of its own: distinct files of Python's library and of the packages beside it.
"""

import hashlib
import io
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from playground.bpe.split_pattern import SplitPattern
from playground.catalog.registry import get_tokenizer
from playground.catalog.wordpiece import SPECIAL_PIECES, bert_steps
from playground.core.errors import PlaygroundError
from playground.files.tokenizers_library import split_expression
from playground.training.algorithms.learner import Algorithm, OptionValue, TrainingTexts
from playground.training.algorithms.registry import ALGORITHMS
from playground.training.algorithms.unigram import UNIGRAM
from playground.training.algorithms.wordpiece import WORDPIECE
from playground.training.corpora import Corpus, novel
from playground.training.pretoken_counts import count_pretokens

_N_RUNS = 5
_ENDINGS = (".py", ".pyi", ".md", ".rst", ".txt", ".html", ".json", ".js", ".css", ".h", ".c", ".xml")
_SECONDS = 150


def _ours(
    algorithm: Algorithm, text: str, vocab_size: int, options: Mapping[str, OptionValue]
) -> Callable[[], int]:
    def train() -> int:
        pattern = SplitPattern.named("gpt2")
        texts = TrainingTexts(count_pretokens([text], pattern), None, Corpus("", (text,)), pattern)
        learner = algorithm.start(texts, vocab_size, options)
        learner.advance()
        return int(learner.curve()[-1, 0])

    return train


def _sentencepiece(text: str, vocab_size: int) -> int:
    from sentencepiece import SentencePieceProcessor, SentencePieceTrainer

    written = io.BytesIO()
    SentencePieceTrainer.train(
        sentence_iterator=iter(text.split("\n")), model_writer=written, vocab_size=vocab_size,
        model_type="unigram", character_coverage=1.0, normalization_rule_name="identity",
        hard_vocab_limit=False, num_threads=1, minloglevel=2,
    )  # fmt: skip
    return int(SentencePieceProcessor(model_proto=written.getvalue()).get_piece_size())


def _tokenizers_bpe(text: str, vocab_size: int) -> int:
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    split = Regex(split_expression(SplitPattern.named("gpt2")))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(split, "isolated")
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size, min_frequency=2, show_progress=False, special_tokens=["<unk>"]
    )
    tokenizer.train_from_iterator([text], trainer)
    return int(tokenizer.get_vocab_size())


def _tokenizers(text: str, vocab_size: int) -> int:
    from tokenizers import Tokenizer, models, trainers

    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.pre_tokenizer, tokenizer.normalizer = bert_steps(is_lower=False)
    special = list(SPECIAL_PIECES)
    trainer = trainers.WordPieceTrainer(vocab_size=vocab_size, show_progress=False, special_tokens=special)
    tokenizer.train_from_iterator([text], trainer)
    return int(tokenizer.get_vocab_size())


def main(vocab_size: int) -> None:
    """Print a row for each trainer: milliseconds and vocabulary size."""
    text = novel().texts[0]
    rows: dict[str, Callable[[], int]] = {
        "BPE over characters": _ours(ALGORITHMS["character-bpe"], text, vocab_size, {"byte_fallback": False}),
        "tokenizers, BPE": lambda: _tokenizers_bpe(text, vocab_size),
        "SuperBPE": _ours(ALGORITHMS["superbpe"], text, vocab_size, {}),
        "Unigram": _ours(UNIGRAM, text, vocab_size, {"byte_fallback": False}),
        "sentencepiece, Unigram": lambda: _sentencepiece(text, vocab_size),
        "WordPiece, by count": _ours(WORDPIECE, text, vocab_size, {"score": "count", "min_count": 1}),
        "WordPiece, by ratio": _ours(WORDPIECE, text, vocab_size, {"score": "ratio"}),
        "tokenizers, WordPiece": lambda: _tokenizers(text, vocab_size),
    }
    for title, train in rows.items():
        train()
        best = float("inf")
        for _ in range(_N_RUNS):
            start = time.perf_counter()
            n_vocab = train()
            best = min(best, time.perf_counter() - start)
        print(f"{title:24} {1000 * best:7.0f} ms  {n_vocab:,} tokens", flush=True)


def _distinct_texts(n_bytes: int) -> tuple[str, ...]:
    """Return the distinct texts of this machine's Python up to a size, joined for each ending."""
    parts: dict[str, list[str]] = {ending: [] for ending in _ENDINGS}
    seen: set[bytes] = set()
    paths = sorted(Path(sysconfig.get_paths()["stdlib"]).rglob("*"))
    for path in [*paths, *sorted(Path(sysconfig.get_paths()["purelib"]).rglob("*"))]:
        if path.suffix not in parts or not path.is_file() or n_bytes <= 0:
            continue
        raw = path.read_bytes()[:n_bytes]
        digest = hashlib.sha256(raw).digest()
        try:
            text = raw.decode()
        except UnicodeDecodeError:
            continue
        if digest not in seen:
            seen.add(digest)
            parts[path.suffix].append(text)
            n_bytes -= len(raw)
    return tuple("".join(texts) for texts in parts.values() if texts)


def _run_once(name: str, texts: tuple[str, ...], vocab_size: int) -> tuple[float, int]:
    """Return the seconds of a training from texts in memory, and the size that it reached."""
    algorithm, base = ALGORITHMS[name], get_tokenizer("gpt2")
    pattern = SplitPattern.named("gpt2" if algorithm.needs_base else "cl100k")
    corpus = Corpus("", texts)
    start = time.perf_counter()
    pretokens = count_pretokens([[text] for text in texts], pattern)
    given = TrainingTexts(pretokens, None, corpus, pattern, base=base if algorithm.needs_base else None)
    learner = algorithm.start(given, vocab_size, {})
    learner.advance()
    return time.perf_counter() - start, int(learner.curve()[-1, 0])


def large(megabytes: int, names: list[str], vocab_size: int = 8192) -> None:
    """Print a row for each algorithm: seconds, how many times BPE's, and vocabulary size, or why not."""
    of_bpe = 0.0
    for name in names:
        command = [sys.executable, "-m", __spec__.name, "--one", str(megabytes), name, str(vocab_size)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=True)
        except subprocess.TimeoutExpired:
            print(f"{name:12} more than {_SECONDS} s", flush=True)
            continue
        except subprocess.CalledProcessError as error:
            print(f"{name:12} {error.stderr.splitlines()[-1]}", flush=True)
            continue
        seconds, _, rest = done.stdout.partition(" ")
        of_bpe = of_bpe or float(seconds)
        print(
            f"{name:12} {float(seconds):7.2f} s  {float(seconds) / of_bpe:6.1f} × {names[0]}  {rest}", end=""
        )


def one(megabytes: int, name: str, vocab_size: int) -> None:
    """Print the seconds of one algorithm after a run on a short text, which loads compiled code."""
    _run_once(name, ("the cat sat on the mat\n" * 99, "there is a dog on the log\n" * 99), 320)
    try:
        seconds, n_vocab = _run_once(name, _distinct_texts(megabytes * 10**6), vocab_size)
    except PlaygroundError as error:
        sys.exit(str(error))
    print(f"{seconds} {n_vocab:,} tokens")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--large", *rest]:
            size = int(rest.pop(0)) if rest and rest[0].isdigit() else 100
            large(size, rest or [*ALGORITHMS])
        case ["--one", size, name, n]:
            one(int(size), name, int(n))
        case rest:
            main(int(rest[0]) if rest else 8192)
