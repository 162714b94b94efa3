"""What the examples' notices say is so."""

import pytest
import regex

from playground.analysis.examples import EXAMPLES
from playground.catalog.registry import get_tokenizer

BY_TITLE = {example.title: example for example in EXAMPLES}


def count(name, text):
    return len(get_tokenizer(name).encode(text))


def test_titles_differ_and_nothing_is_empty():
    assert len(BY_TITLE) == len(EXAMPLES)
    assert all(example.text and example.notice.endswith(".") for example in EXAMPLES)


@pytest.mark.parametrize("title", ["A Korean greeting", "A Nepali sentence"])
def test_counts_in_a_notice(title):
    example = BY_TITLE[title]
    text = example.text.rstrip("\n")
    names = {"GPT-2": "gpt2", "cl100k": "cl100k_base", "o200k": "o200k_base"}
    said = [int(number) for number in regex.findall(r"\b\d+\b", example.notice)]
    shown = [names[name] for name in regex.findall(r"GPT-2|cl100k|o200k", example.notice)]
    said = [number for number in said if number != 2]  # the 2 of GPT-2
    assert said in ([count(name, text) for name in shown], [count(name, example.text) for name in shown])


def test_strawberry_is_three_tokens_and_ten_letters():
    assert "three tokens, not ten letters" in BY_TITLE["Words that split"].notice
    assert {count(name, "strawberry") for name in ["gpt2", "cl100k_base", "o200k_base"]} == {3}
    assert len("strawberry") == 10


def test_the_family_is_ten_tokens_in_gpt2():
    assert "ten tokens in GPT-2" in BY_TITLE["Emoji"].notice
    assert count("gpt2", "👨‍👩‍👧") == 10
