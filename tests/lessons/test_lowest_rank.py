"""Lesson 12: where the lowest rank and the longest match differ; tiktoken is the oracle."""

import random

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from playground.catalog.openai import load_openai
from playground.catalog.registry import get_tokenizer
from playground.core.assets import read_text
from playground.lessons.lowest_rank import MAX_BYTES, longest_first, show
from tests.lessons.asked import asked

GPT2 = load_openai("gpt2").encoding


def test_strawberry_is_not_cut_by_the_longest_match():
    shown = show("strawberry")
    assert [token["text"] for token in shown.figure["ranked"]] == ["st", "raw", "berry"]
    assert [token["text"] for token in shown.figure["greedy"]] == ["stra", "wb", "erry"]
    assert shown.needs == ""
    assert "lowest rank" in asked(shown).hint("8396")


def test_the_first_merge_of_tokenization_has_rank_256():
    shown = show(" tokenization")
    assert (asked(shown).answer, shown.figure["made"][0]) == ("256", " t")
    assert "agree" in shown.needs


@pytest.mark.parametrize("word", ["", "x", "👋", "two words"])
def test_other_words(word):
    shown = show(word)
    assert shown.needs or shown.question
    if word == "two words":
        assert "“two”" in shown.needs or "agree" in shown.needs


@given(st.text(st.sampled_from("strawbeyoniT é👋"), min_size=1, max_size=12))
def test_the_ranked_tokens_are_tiktokens(word):
    first = next(iter(get_tokenizer("gpt2").iter_pretokens(word))).text
    if len(first.encode()) <= MAX_BYTES:
        assert [token["id"] for token in show(word).figure["ranked"]] == GPT2.encode_ordinary(first)


def test_of_the_novels_words_827_differ():
    gpt2, novel = get_tokenizer("gpt2"), read_text("texts/pride_and_prejudice.txt")
    pretokens = {pretoken.text for pretoken in gpt2.iter_pretokens(novel)}
    words = {text for text in pretokens if text.strip().isalpha()}
    runs_of_letters = set(regex.findall(r" ?\p{L}+", novel))
    assert sorted(runs_of_letters ^ words) == ["ll", "m", "t"], "the pattern keeps 'll, 'm and 't together"
    different = {
        word
        for word in runs_of_letters
        if longest_first(gpt2, word.encode()) != GPT2.decode_tokens_bytes(GPT2.encode_ordinary(word))
    }
    assert (len(words), len(runs_of_letters), len(different), len(different & words)) == (
        7_032,
        7_035,
        827,
        827,
    )


def test_ids_do_not_always_survive_decoding_and_encoding():
    chance = random.Random(0)
    triples = [[chance.randrange(50_256) for _ in range(3)] for _ in range(1_500)]
    share = sum(GPT2.encode_ordinary(GPT2.decode(triple)) == triple for triple in triples) / len(triples)
    assert 0.90 < share < 0.95
