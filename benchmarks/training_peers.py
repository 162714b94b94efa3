"""Our trainer and four others behind one interface: `prepare(file, vocab_size)` returns what is timed.

Preparation is everything except training: imports, loading compiled code, and reading the text if a trainer
takes it from memory. The timed function returns another that gives the learned tokens.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from playground.bpe.gpt2_bytes import from_gpt2_characters
from playground.bpe.split_pattern import SPLIT_PATTERNS
from playground.files.tokenizers_library import HUGGING_FACE_PATTERNS

Tokens = Callable[[], Iterable[bytes]]
Prepare = Callable[[Path, int], Callable[[], Tokens]]


@dataclass(frozen=True, slots=True)
class Trainer:
    """A trainer in one configuration; `module` is the required module, "" for ours."""

    prepare: Prepare
    module: str = ""


def _ours(ties: str, pattern_name: str, *, from_file: bool = False) -> Prepare:
    def prepare(file: Path, vocab_size: int) -> Callable[[], Tokens]:
        from playground.bpe.split_pattern import SplitPattern
        from playground.corpora.corpus_pretokens import count_corpus_pretokens
        from playground.corpora.sources import Source
        from playground.training.algorithms.bpe import BpeLearner as OurTrainer
        from playground.training.pretoken_counts import count_pretokens

        pattern = SplitPattern.named(pattern_name)
        text = "" if from_file else file.read_bytes().decode()

        def train() -> Tokens:
            if from_file:
                pretokens = count_corpus_pretokens([Source(str(file))], pattern, n_threads=2)
            else:
                pretokens = count_pretokens([text], pattern)
            trainer = OurTrainer(pretokens, vocab_size=vocab_size, ties=ties)
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

    def train() -> Tokens:
        # Its alphabet is only the bytes that occur, so it learns a few more merges for the same size.
        _, merges = gigabpe.train_bpe([str(file)], vocab_size, special_tokens=[], pretokenizer="bytelevel")
        return lambda: [from_gpt2_characters(left + right) for left, right in merges[: vocab_size - 256]]

    return train


def _ours_by_lines(file: Path, vocab_size: int) -> Callable[[], Tokens]:
    """Train as gigabpe should: on a text split into lines first. Slow, and not timed."""
    from playground.bpe.split_pattern import SplitPattern
    from playground.training.algorithms.bpe import BpeLearner as OurTrainer
    from playground.training.pretoken_counts import count_pretokens

    lines = count_pretokens(file.read_bytes().decode().splitlines(keepends=True), SplitPattern.named("gpt2"))

    def train() -> Tokens:
        trainer = OurTrainer(lines, vocab_size=vocab_size, ties="hugging-face")
        trainer.advance()
        return lambda: trainer.token_bytes()[256:]

    return train


#: By the name in the table. "file": the text is read while the clock runs.
TRAINERS: dict[str, Trainer] = {
    "ours": Trainer(_ours("first-seen", "cl100k")),
    "ours, lowest-pair": Trainer(_ours("lowest-pair", "cl100k")),
    "ours, hugging-face": Trainer(_ours("hugging-face", "cl100k")),
    "rustbpe": Trainer(_rustbpe, "rustbpe"),
    "ffbpe": Trainer(_ffbpe, "ffbpe"),
    "tokenizers": Trainer(_tokenizers, "tokenizers"),
    "ours, file": Trainer(_ours("first-seen", "cl100k", from_file=True)),
    "ours, file, lowest-pair": Trainer(_ours("lowest-pair", "cl100k", from_file=True)),
    "ours, file, gpt2": Trainer(_ours("hugging-face", "gpt2", from_file=True)),
    "gigabpe, file, gpt2": Trainer(_gigabpe, "gigabpe"),
    "ours by lines, gpt2": Trainer(_ours_by_lines),
}
