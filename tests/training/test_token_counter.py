"""Counting long texts by their pretokens equals encoding them."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.registry import TOKENIZERS, get_tokenizer
from playground.catalog.trained import TrainedTokenizer
from playground.training import token_counter
from playground.training.token_counter import TokenCounter

NAMES = ["gpt2", "cl100k_base", "o200k_base"]


@pytest.fixture(autouse=True)
def every_text_is_long(monkeypatch):
    monkeypatch.setattr(token_counter, "MIN_CHARACTERS", 0)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=30, deadline=None)
@given(texts=st.lists(st.text(), max_size=6))
def test_token_counts_equal_the_lengths_of_encode(name, texts):
    tokenizer = get_tokenizer(name)
    counter = TokenCounter(tokenizer)
    for text in [*texts, *texts]:
        assert counter.count(text) == len(tokenizer.encode(text))


@pytest.mark.parametrize("name", TOKENIZERS)
def test_every_tokenizer_can_be_counted(name):
    tokenizer = get_tokenizer(name)
    draw = random.Random(3)
    counter = TokenCounter(tokenizer)
    for _ in range(3):
        text = "".join(
            draw.choice(["a", "b", " ", "\n", '"', ": ", "12", "é", "😀", "'s"]) for _ in range(2_000)
        )
        assert counter.count(text) == len(tokenizer.encode(text))


@pytest.mark.parametrize("pattern", ["gpt2", "none", "o200k"])
def test_a_trained_tokenizer_is_counted(pattern):
    model = BpeModel(SplitPattern.named(pattern), ((97, 98, 256), (256, 34, 257), (32, 97, 258)))
    tokenizer = TrainedTokenizer("own", model)
    text = 'ab"ab ab\n{"ab": 12}' * 50
    assert TokenCounter(tokenizer).count(text) == len(tokenizer.encode(text))


def test_lone_surrogates_and_long_white_space_are_counted():
    for name in NAMES:
        tokenizer = get_tokenizer(name)
        for text in ("a\ud83d b", " " * 300_000 + "x", "\n " * 1_000, "x" * 50_000):
            assert TokenCounter(tokenizer).count(text) == len(tokenizer.encode(text))
