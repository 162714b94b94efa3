"""Tokenizers without merges of bytes are exported to files that a library reads as this app does."""

import pytest
from tokenizers import Tokenizer

from playground.bpe.split_pattern import SplitPattern
from playground.catalog.exports import exports_of
from playground.files.proof import Export
from playground.training.algorithms.learner import TrainingTexts
from playground.training.algorithms.registry import get_algorithm
from playground.training.pretoken_counts import count_pretokens

TEXT = "The cat sat on the mat; the other cat, Élan, sat on that hat -- 12 times!\n" * 40
GPT2 = SplitPattern.named("gpt2")


@pytest.mark.parametrize("name", ["unigram", "mingram", "wordpiece", "words", "characters"])
def test_what_was_learned_without_merges_is_exported_with_its_proof_and_read_again(name):
    texts = TrainingTexts(count_pretokens([TEXT], GPT2), None, None, GPT2)
    learner = get_algorithm(name).start(texts, 300, {})
    learner.advance()
    special = () if name in ("wordpiece", "words", "characters") else ("<|endoftext|>",)
    tokenizer = learner.tokenizer("cats", special)
    exports = dict(exports_of(tokenizer))
    written = exports["Hugging Face tokenizers"]
    assert isinstance(written, Export), written
    loaded = Tokenizer.from_str(written.files["cats.json"])
    assert loaded.encode(TEXT, add_special_tokens=False).ids == list(tokenizer.encode(TEXT))
    assert "becomes the same" in written.proof.sentence
    assert exports["tiktoken"] == "it has no merges of bytes, which these files consist of"
    if name == "wordpiece":
        pieces = exports["BERT's vocab.txt"]
        assert isinstance(pieces, Export), pieces
        assert "do_lower_case=False" in pieces.proof.sentence
