"""Tokenizers without merges of bytes are exported to files that a library reads as this app does."""

import pytest
from sentencepiece import SentencePieceProcessor
from tokenizers import Tokenizer

from playground.bpe.split_pattern import SplitPattern
from playground.catalog.exports import exports_of
from playground.files.proof import Export, proof_texts
from playground.training.algorithms.learner import TrainingTexts
from playground.training.algorithms.registry import get_algorithm
from playground.training.corpora import udhr_languages
from playground.training.pretoken_counts import count_pretokens
from tests.catalog import tokenizer_documents

TEXT = "The cat sat on the mat; the other cat, Élan, sat on that hat -- 12 times!\n" * 40
GPT2 = SplitPattern.named("gpt2")


@pytest.mark.parametrize("name", ["unigram", "character-bpe", "wordpiece", "words", "characters"])
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
    model = exports.get("sentencepiece")
    if name in ("unigram", "character-bpe"):
        assert isinstance(model, Export), model
        assert "It has no split pattern" in model.proof.sentence
        processor = SentencePieceProcessor(model_proto=model.binary["cats.model"])
        both = f"{TEXT}<|endoftext|>"
        assert processor.encode(both) == list(tokenizer.encode(both, allowed_special=frozenset(special)))
    if name == "wordpiece":
        pieces = exports["BERT's vocab.txt"]
        assert isinstance(pieces, Export), pieces
        assert "do_lower_case=False" in pieces.proof.sentence


@pytest.mark.parametrize("name", ["unigram", "character-bpe"])
def test_pieces_without_a_split_pattern_are_the_same_in_sentencepiece(name):
    none = SplitPattern.named("none")
    texts = TrainingTexts(count_pretokens([[line] for line in TEXT.splitlines()], none), None, None, none)
    learner = get_algorithm(name).start(texts, 320, {})
    learner.advance()
    tokenizer = learner.tokenizer("cats")
    model = dict(exports_of(tokenizer))["sentencepiece"]
    assert isinstance(model, Export), model
    assert "split pattern" not in model.proof.sentence
    processor = SentencePieceProcessor(model_proto=model.binary["cats.model"])
    for text in (*udhr_languages().values(), TEXT):
        assert processor.encode(text) == list(tokenizer.encode(text))


def test_a_model_that_cuts_otherwise_in_sentencepiece_is_written_and_says_for_which_text():
    cl100k = SplitPattern.named("cl100k")  # which cuts digits in threes
    numbers = " ".join(map(str, range(0, 3_000, 7)))
    learner = get_algorithm("unigram").start(
        TrainingTexts(count_pretokens([numbers], cl100k), None, None, cl100k), 600, {}
    )
    learner.advance()
    tokenizer = learner.tokenizer("numbers")
    model = dict(exports_of(tokenizer))["sentencepiece"]
    assert isinstance(model, Export), model
    assert model.proof.sentence.startswith("Not equal in sentencepiece")
    assert "other ids for '0 12 123 1234567" in model.proof.sentence
    processor = SentencePieceProcessor(model_proto=model.binary["numbers.model"])
    text = next(text for text in proof_texts() if text.startswith("0 12 123 1234567"))
    assert processor.encode(text) != list(tokenizer.encode(text))


def test_a_unigram_that_normalizes_is_not_written_for_sentencepiece():
    exports = dict(exports_of(tokenizer_documents.opened("like T5")))
    assert exports["sentencepiece"] == "it changes texts in a way that this app does not write as a .model"
