import json
from typing import Any

import pytest

from playground.catalog.openai import load_openai
from playground.core.errors import UnknownTokenError
from playground.ui.merge_forest import forest_data
from playground.ui.merge_forest.forest_data import MAX_LEAVES, MAX_TRACE_CHARS
from playground.ui.merge_forest.forest_data import forest_data as make_data


def data_of(text: str, name: str = "gpt2") -> dict[str, Any]:
    tokenizer = load_openai(name)
    return make_data(text, tokenizer.mergeable_ranks, tokenizer.split_pattern)


def test_an_empty_text_has_no_trees():
    data = data_of("")
    assert (data["trees"], data["groups"], data["n_tokens"], data["limit"]) == ([], [], 0, "")
    assert set(forest_data.NO_TREES) <= set(data)


def test_groups_have_a_tree_for_each_token_and_repeat_for_repeated_words():
    text = "a tokenization, a tokenization 안녕"
    data = data_of(text)
    ids = load_openai("gpt2").encode(text)
    assert sum(map(len, data["groups"])) == data["n_tokens"] == len(ids)
    assert f">{ids[-1]}</text></svg>" in data["trees"][data["groups"][-1][-1]]
    assert data["groups"][1] == data["groups"][4]
    assert data["n_merges"] == sum(len(data["kinds"][kind]["steps"]) for kind in data["pretokens"])
    json.dumps(data)


@pytest.mark.parametrize("text", ["word " * 30_000, "a" * 100_000, "안" * 40_000])
def test_a_long_text_is_drawn_as_far_as_it_says(text):
    data = data_of(text, "cl100k_base")
    assert "Your text is kept whole" in data["limit"]
    n_shown = sum(map(len, data["groups"]))
    assert 0 < n_shown <= MAX_LEAVES + 10
    assert ("first 100,000 characters" in data["limit"]) == (len(text) > MAX_TRACE_CHARS)
    expected = load_openai("cl100k_base").encode(text[:MAX_TRACE_CHARS])
    assert data["n_tokens"] == len(expected)


def test_a_vocabulary_without_some_byte_says_which():
    with pytest.raises(UnknownTokenError, match="no token for the byte 7A"):
        make_data("z", {b"a": 0}, r"\w+")
