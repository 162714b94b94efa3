"""Every page opens with every kind of built-in tokenizer."""

import pytest

from tests.ui.visits import visit

KINDS = ["qwen3", "deepseek_v3", "mistral_v3", "bert_uncased"]


@pytest.mark.parametrize("name", KINDS)
def test_tokenize_merge_tree_and_vocabulary_open(name):
    tokenize = visit("tokenize", {"keep.tokenizer": [name]})
    assert not tokenize.error
    for view in ("Trees", "Merge race"):
        merge_tree = visit("merge_tree", {"keep.tokenizer": [name], "view.merge_tree": view})
        assert not merge_tree.error
    assert not visit("vocabulary", {"keep.tokenizer": [name]}).error


def test_compare_and_formats_open_with_several():
    compare = visit("compare", {"keep.tokenizers": ["gpt2", *KINDS]})
    assert not compare.error
    formats = visit("formats", {"keep.tokenizers": ["o200k_base", *KINDS]})
    assert not formats.error
