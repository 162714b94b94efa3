"""A trace ends in the ids of the tokenizer's own encoder, and its trees are those tokens."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.analysis.traces import text_trees, trace_text
from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.openai import encoding_names, load_openai
from playground.catalog.ranked import RankedTokenizer
from playground.catalog.registry import get_tokenizer
from playground.catalog.trained import TrainedTokenizer
from tests.bpe.test_merging import check_tree

HARD_WORDS = """안녕하세요 မြန်မာ नमस्ते العربية 你好世界 👩‍👩‍👧‍👦 🇺🇳 ſ İi ǅ 's 'LL 1234567 3.14 <|endoftext|>
... tokenization SolidGoldMagikarp aaaaaaaaa camelCase http://a.b/c?d=e ========="""
HARD_SPACES = [
    *(
        "    ",
        "\n\n",
        "\r\n",
        "\t",
        " \u00a0 ",
        "\x1c",
        " the",
        "e\u0301",
        "\ufeff",
        "\u200b",
        "\x00",
        "\ud83d",
    )
]
HARD_PIECES = st.sampled_from([*HARD_WORDS.split(), *HARD_SPACES])
TEXTS = st.lists(HARD_PIECES | st.text(max_size=6), max_size=12).map("".join)


@pytest.mark.parametrize("name", encoding_names())
@settings(max_examples=30, deadline=None)
@given(text=TEXTS)
def test_a_trace_ends_in_tiktokens_ids(name, text):
    tokenizer = load_openai(name)
    trace = trace_text(tokenizer, text)
    assert list(trace.ids) == tokenizer.encoding.encode_ordinary(text)
    forest = list(text_trees(trace, tokenizer.vocabulary))
    assert [tree.id for tree in forest] == [tree.rank for tree in forest] == list(trace.ids)
    assert b"".join(tree.raw for tree in forest) == trace.text.encode()
    assert "".join(pretoken.text for pretoken in trace.pretokens) == trace.text
    for pretoken in trace.pretokens:
        assert trace.text[pretoken.char_start : pretoken.char_end] == pretoken.text
    for tree in forest:
        check_tree(tree)


@pytest.mark.parametrize("text", ["a" * 40_000, "ab" * 20_000, "語" * 10_000])
def test_one_very_long_word(text):
    tokenizer = load_openai("o200k_base")
    trace = trace_text(tokenizer, text)
    assert sum(len(tree.raw) for tree in text_trees(trace, tokenizer.vocabulary)) == len(text.encode())
    assert list(trace.ids) == tokenizer.encoding.encode_ordinary(text)


def test_an_empty_pattern_does_not_cut():
    merges = ((97, 10, 256),)
    tokenizer = TrainedTokenizer("x", BpeModel(SplitPattern.named("none"), merges))
    assert trace_text(tokenizer, "ba\nb").ids == (98, 256, 98)
    assert trace_text(tokenizer, "").ids == ()


@settings(max_examples=50, deadline=None)
@given(text=st.text("abd ", max_size=30))
def test_a_trace_ends_in_a_trained_tokenizers_ids(text):
    merges = ((97, 97, 256), (256, 97, 257), (257, 98, 258), (258, 100, 259))
    for pattern in ("none", "gpt2"):
        trained = TrainedTokenizer("lecture", BpeModel(SplitPattern.named(pattern), merges))
        assert list(trace_text(trained, text).ids) == trained.encode(text)


@pytest.mark.parametrize("name", ["utf8_bytes", "characters"])
def test_where_nothing_is_inside_a_tree_is_a_leaf(name):
    tokenizer = get_tokenizer(name)
    trace = trace_text(tokenizer, "aé")
    trees = list(text_trees(trace, tokenizer.vocabulary))
    assert [tree.id for tree in trees] == tokenizer.encode("aé")
    assert all(not tree.children and tree.rank < 0 for tree in trees)
    assert trace.n_merges == 0


def test_a_pretoken_that_comes_again_is_built_once(monkeypatch):
    built = []
    build = RankedTokenizer.build

    def counted(self, pretoken):
        built.append(pretoken.text)
        return build(self, pretoken)

    monkeypatch.setattr(RankedTokenizer, "build", counted)
    trace = trace_text(load_openai("gpt2"), "a tree, a tree, a tree")
    assert [pretoken.text for pretoken in trace.pretokens] == [
        "a",
        " tree",
        ",",
        " a",
        " tree",
        ",",
        " a",
        " tree",
    ]
    assert built == ["a", " tree", ",", " a"]
