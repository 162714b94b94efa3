import json
import re

import pytest

from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.openai import load_openai
from playground.catalog.ranked import RankedTokenizer
from playground.catalog.registry import get_tokenizer
from playground.catalog.trained import TrainedTokenizer
from playground.core.building import Merged, Pretoken, PretokenIdentity
from playground.core.errors import InvalidInputError
from playground.render.building import MAX_LEAVES
from playground.server.merge_tree.data import (
    MAX_TRACE_CHARS,
    MergeTrees,
    draw_merge_trees,
)


def data_of(text: str, name: str = "gpt2") -> MergeTrees:
    return draw_merge_trees(text, load_openai(name))


def n_trees(data: MergeTrees) -> int:
    return sum(data["new"][number]["svg"].count("<svg") for number in data["pretokens"])


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
    number_of: dict[PretokenIdentity, int] = {}
    draw_merge_trees("one two three", tokenizer, number_of=number_of)
    data = draw_merge_trees("one twos three", tokenizer, number_of=number_of)
    assert data["pretokens"] == [0, 3, 2]
    assert list(data["new"]) == [3]


@pytest.mark.parametrize("text", ["word " * 30_000, "a" * 100_000, "안" * 40_000])
def test_a_long_text_is_drawn_as_far_as_it_says(text):
    data = data_of(text, "cl100k_base")
    assert "All tokens are counted" in data["limit"]
    assert 0 < n_trees(data) <= MAX_LEAVES + 10
    assert ("first 100,000 characters" in data["limit"]) == (len(text) > MAX_TRACE_CHARS)
    assert data["n_tokens"] == len(load_openai("cl100k_base").encode(text)), "of the whole text"


def test_a_pattern_that_never_ends_is_stopped(monkeypatch):
    monkeypatch.setattr("playground.bpe.typed_patterns.MAX_SECONDS", 0.2)
    pattern = SplitPattern("custom", r"(a|aa|aaa)+\d(?<!b)(a|b)*$|(.*)*\1\1c(?<=q)")
    with pytest.raises(InvalidInputError, match="takes too long"):
        draw_merge_trees("a" * 60 + "!", TrainedTokenizer("slow", BpeModel(pattern, ())))


class Misbuilt(RankedTokenizer):
    """A tokenizer whose builds have wrong tokens, but as many: letters are built in upper case."""

    def build(self, pretoken: Pretoken) -> Merged:
        return super().build(pretoken._replace(text=pretoken.text.upper()))


def test_a_tokenizer_whose_merges_depend_on_the_pair_gets_its_own_trees():
    # By rank "xabc" would be taken whole; by its pairs "ab" merges first and then nothing.
    merges = ((97, 98, 256), (120, 97, 257), (98, 99, 258), (257, 258, 259))
    tokenizer = TrainedTokenizer("pairs", BpeModel(SplitPattern.named("none"), merges))
    data = draw_merge_trees("xabc", tokenizer)
    assert tokenizer.encode("xabc") == [120, 256, 99]
    assert data["problem"] == ""
    assert re.findall(r'class="caption"[^>]*>(?:id )?(\d+)<', data["new"][0]["svg"]) == ["120", "256", "99"]
    assert data["new"][0]["ids"] == (120, 256, 99)
    assert data["new"][0]["pair_ranks"] == (257, 256, 258)
    assert data["new"][0]["steps"] == [(1, 256, None, None, "ab")]


@pytest.mark.parametrize("name", ["utf8_bytes", "characters"])
def test_tokens_with_nothing_inside_are_boxes_and_have_no_steps(name):
    data = draw_merge_trees("aé", get_tokenizer(name))
    assert (n_trees(data), data["n_merges"], data["problem"]) == (3 if name == "utf8_bytes" else 2, 0, "")
    assert all("steps" not in kind for kind in data["new"].values())
