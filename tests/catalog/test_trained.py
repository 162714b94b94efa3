"""Trained tokenizers keep the contract, and encode exactly like the lecture's code."""

import gzip
import random

import pytest

from playground.bpe import lecture
from playground.bpe.split_pattern import SplitPattern, iter_pretokens
from playground.catalog import shipped_vocabularies
from playground.catalog.trained import TrainedTokenizer
from playground.training.algorithms.bpe import BpeLearner
from playground.training.pretoken_counts import count_pretokens
from scripts import train_bundled


def trained(text, pattern, n_merges):
    trainer = BpeLearner(count_pretokens([text], pattern), pattern=pattern, vocab_size=256 + n_merges)
    trainer.advance()
    return TrainedTokenizer("mine", trainer.model(("<|end|>",)))


@pytest.mark.parametrize("name", ["none", "gpt2", "o200k", r"\w+|\s"])
def test_ids_equal_the_lecture(name):
    rng = random.Random(2)
    pattern = SplitPattern.parse(name)
    for _ in range(60):
        tokenizer = trained("".join(rng.choices("aab b", k=rng.randint(5, 120))), pattern, 40)
        assert tokenizer.is_exact_in_tiktoken  # what is trained never has two tokens of one spelling
        merges = {(left, right): new for left, right, new in tokenizer.model.merges}
        text = "".join(rng.choices("aab b", k=60))
        pretokens = [pretoken.encode() for pretoken, _ in iter_pretokens(text, pattern)]
        expected = [token_id for pretoken in pretokens for token_id in lecture.encode(pretoken, merges)]
        assert tokenizer.encode(text) == expected


def test_training_again_gives_the_same_file():
    if train_bundled.corpus_hash() != train_bundled.CORPUS_HASH:
        pytest.skip("this Python's documentation is not that of Python 3.11.7")
    file = shipped_vocabularies.VOCABULARY_DIR / "python_docs_4k.tiktoken.gz"
    assert train_bundled.train().encode() == gzip.decompress(file.read_bytes())
