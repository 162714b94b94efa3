"""Trained tokenizers keep the promises of every tokenizer, and encode exactly as the lecture does."""

import base64
import random

import pytest

from playground.bpe import lecture
from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern, iter_pretokens
from playground.catalog.openai import load_openai
from playground.catalog.trained import TrainedTokenizer
from playground.core.errors import UnknownTokenError
from playground.core.tokenizer import decode_bytes, segment
from playground.files.registry import read_model
from playground.files.tiktoken_ranks import write_tiktoken
from playground.training.pretoken_counts import count_pretokens
from playground.training.trainer import Trainer, model_of


def trained(text, pattern, n_merges):
    trainer = Trainer(count_pretokens([text], pattern), vocab_size=256 + n_merges)
    trainer.advance()
    return TrainedTokenizer("mine", model_of(trainer, pattern, ("<|end|>",)))


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


def test_twins_made_by_hand_are_encoded_by_pairs():
    merges = ((97, 98, 256), (98, 99, 257), (256, 99, 258), (97, 257, 259))
    tokenizer = TrainedTokenizer("twins", BpeModel(SplitPattern.named("none"), merges))
    assert not tokenizer.is_exact_in_tiktoken
    learned = {(left, right): new for left, right, new in merges}
    for raw in (b"abc", b"aabcbc", b"bcabc"):
        assert tokenizer.encode(raw.decode()) == lecture.encode(raw, learned)


def test_promises(corpora):
    tokenizer = trained(corpora, SplitPattern.named("cl100k"), 500)
    text = "Hello <|end|> wörld 🙂\n"
    cut = segment(tokenizer, text, allowed_special=frozenset(["<|end|>"]))
    assert tokenizer.special_tokens["<|end|>"] in cut.ids
    assert tokenizer.vocabulary.n_vocab == 757
    assert "".join(segment.text for segment in cut.segments) == text
    assert decode_bytes(tokenizer, cut.ids) == text.encode()
    assert tokenizer.special_tokens["<|end|>"] not in tokenizer.encode(text)
    with pytest.raises(UnknownTokenError, match="0 to 756"):
        tokenizer.vocabulary.raw_of(757)


def test_openais_own_ranks_are_read_with_their_merges():
    gpt2 = load_openai("gpt2")
    some = {raw: rank for raw, rank in gpt2.mergeable_ranks.items() if rank < 3000}
    lines = write_tiktoken(BpeModel(SplitPattern.named("gpt2"), ()), "x")["x.tiktoken"]
    assert lines.startswith("AA== 0\n")
    text = "".join(f"{base64.b64encode(raw).decode()} {rank}\n" for raw, rank in some.items())
    model = read_model({"gpt2.tiktoken": text.encode()}, SplitPattern.named("gpt2"))
    assert model.mergeable_ranks() == some
    tokenizer = TrainedTokenizer("gpt2-3000", model)
    assert tokenizer.encode(" the") == gpt2.encode(" the")


@pytest.fixture(scope="module")
def corpora():
    from pydoc_data import topics

    return "\n".join(topics.topics.values())[:100_000]
