"""Time training algorithms and their peers on the novel: `python -m benchmarks.algorithms [vocab_size]`.

Each figure is the best of five runs from a text in memory, with compiled code loaded.
"""

import io
import sys
import time
from collections.abc import Callable, Mapping

from playground.bpe.split_pattern import SplitPattern
from playground.catalog.wordpiece import SPECIAL_PIECES, bert_steps
from playground.training.algorithms.learner import Algorithm, OptionValue, TrainingTexts
from playground.training.algorithms.unigram import MINGRAM, UNIGRAM
from playground.training.algorithms.wordpiece import WORDPIECE
from playground.training.corpora import novel
from playground.training.pretoken_counts import count_pretokens

_N_RUNS = 5


def _ours(
    algorithm: Algorithm, text: str, vocab_size: int, options: Mapping[str, OptionValue]
) -> Callable[[], int]:
    def train() -> int:
        pattern = SplitPattern.named("gpt2")
        texts = TrainingTexts(count_pretokens([text], pattern), None, None, pattern)
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
        "Unigram": _ours(UNIGRAM, text, vocab_size, {"byte_fallback": False}),
        "MinGram": _ours(MINGRAM, text, vocab_size, {"byte_fallback": False}),
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


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 8192)
