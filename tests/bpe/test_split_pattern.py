"""The table of split patterns is tiktoken's."""

import pytest

from playground.bpe.split_pattern import SPLIT_PATTERNS, SplitPattern
from playground.catalog.openai import encoding_names, load_openai
from playground.core.errors import InvalidInputError


@pytest.mark.parametrize(
    ("pattern_name", "encoding_name"),
    [("gpt2", "gpt2"), ("gpt2", "p50k_edit"), ("cl100k", "cl100k_base"), ("o200k", "o200k_harmony")],
)
def test_split_patterns_are_tiktokens(pattern_name, encoding_name):
    assert SPLIT_PATTERNS[pattern_name] == load_openai(encoding_name).split_pattern


def test_a_pattern_is_known_by_its_expression():
    for name in encoding_names():
        assert SplitPattern.of(load_openai(name).split_pattern).is_known
    assert SplitPattern.of("") == SplitPattern.named("none")
    assert not SplitPattern.of("").is_known
    assert SplitPattern.of(r"\w+").name == "custom"
    assert SplitPattern.typed(SPLIT_PATTERNS["o200k"]) == SplitPattern.named("o200k")


@pytest.mark.parametrize("name", ["gpt5", "cl100k_bas", "llama-3.1"])
def test_a_word_is_a_name_and_no_expression(name):
    with pytest.raises(InvalidInputError, match=f"'{name}'; choose from none, gpt2, cl100k, o200k, llama3"):
        SplitPattern.parse(name)
    assert [SplitPattern.parse(known).name for known in ("none", "llama3", "x", r"\w+")] == [
        "none", "llama3", "custom", "custom",
    ]  # fmt: skip
