import json
from typing import Any

import pytest

from playground.catalog.openai import load_openai
from playground.core.errors import InvalidInputError, UnknownTokenError
from playground.server.forest_data import MAX_LEAVES, MAX_TRACE_CHARS, NO_TREES, draw_forest


def data_of(text: str, name: str = "gpt2") -> dict[str, Any]:
    tokenizer = load_openai(name)
    return draw_forest(text, tokenizer.mergeable_ranks, tokenizer.split_pattern)


def n_trees(data: dict[str, Any]) -> int:
    return sum(data["new"][number]["svg"].count("<svg") for number in data["pretokens"])


def test_an_empty_text_has_no_trees():
    data = data_of("")
    assert (data["pretokens"], data["new"], data["n_tokens"], data["limit"]) == ([], {}, 0, "")
    assert set(NO_TREES) <= set(data)


def test_pretokens_have_a_tree_for_each_token_and_repeat_for_repeated_words():
    text = "a tokenization, a tokenization 안녕"
    data = data_of(text)
    ids = load_openai("gpt2").encode(text)
    assert n_trees(data) == data["n_tokens"] == len(ids)
    assert f">{ids[-1]}</text></svg>" in data["new"][data["pretokens"][-1]]["svg"]
    assert data["pretokens"][1] == data["pretokens"][4]
    assert data["n_merges"] == sum(len(data["new"][number]["steps"]) for number in data["pretokens"])
    json.dumps(data)


def test_only_new_pretokens_are_drawn_again():
    tokenizer = load_openai("gpt2")
    ranks, pattern = tokenizer.mergeable_ranks, tokenizer.split_pattern
    number_of: dict[str, int] = {}
    draw_forest("one two three", ranks, pattern, number_of=number_of)
    data = draw_forest("one twos three", ranks, pattern, number_of=number_of)
    assert data["pretokens"] == [0, 3, 2]
    assert list(data["new"]) == [3]


@pytest.mark.parametrize("text", ["word " * 30_000, "a" * 100_000, "안" * 40_000])
def test_a_long_text_is_drawn_as_far_as_it_says(text):
    data = data_of(text, "cl100k_base")
    assert "Your text is kept whole" in data["limit"]
    assert 0 < n_trees(data) <= MAX_LEAVES + 10
    assert ("first 100,000 characters" in data["limit"]) == (len(text) > MAX_TRACE_CHARS)
    expected = load_openai("cl100k_base").encode(text[:MAX_TRACE_CHARS])
    assert data["n_tokens"] == len(expected)


def test_a_vocabulary_without_some_byte_says_which():
    with pytest.raises(UnknownTokenError, match="no token for the byte 7A"):
        draw_forest("z", {b"a": 0}, r"\w+")


def test_a_pattern_that_never_ends_is_stopped(monkeypatch):
    monkeypatch.setattr("playground.bpe.split_pattern.MAX_SECONDS", 0.2)
    ranks = {bytes([byte]): byte for byte in range(256)}
    with pytest.raises(InvalidInputError, match="takes too long"):
        draw_forest("a" * 60 + "!", ranks, r"(a|aa|aaa)+\d(?<!b)(a|b)*$|(.*)*\1\1c(?<=q)")
