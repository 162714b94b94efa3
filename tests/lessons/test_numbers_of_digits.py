"""Lesson 23: the counts of GPT-2's splits, and tiktoken as the oracle."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.catalog.registry import get_tokenizer
from playground.lessons.numbers_of_digits import NUMBERS, cuts_of_all, digits_of_tokens, show
from tests.lessons.asked import asked


def test_gpt2_cuts_numbers_as_counted_by_tiktoken():
    cuts = cuts_of_all("gpt2", False)
    assert len(cuts) == 10_000
    assert cuts.count("0") == 907
    assert Counter(cuts[1_000:]) == {"0": 88, "4": 538, "2": 5_807, "1": 2_538, "5": 29}
    assert asked(show("127 + 677", "gpt2", False)).answer == "521"


def test_a_space_before_cuts_them_anew():
    cuts = cuts_of_all("gpt2", True)
    assert cuts.count("0") == 681
    question = asked(show("127 + 677", "gpt2", True))
    assert (question.asks, question.answer) == (
        "What is the smallest number that GPT-2 splits after a space?",
        "362",
    )


@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base"])
def test_later_ones_cut_after_three_digits(name):
    for has_space in (False, True):
        assert cuts_of_all(name, has_space) == "0" * 1_000 + "4" * 9_000


def test_qwen_gives_each_digit_its_token():
    assert cuts_of_all("qwen3", False) == "0" * 10 + "1" * 90 + "3" * 900 + "7" * 9_000


@given(st.integers(0, 999_999_999), st.booleans())
def test_digits_of_tokens_are_those_of_their_bytes(number, has_space):
    for name in ("gpt2", "cl100k_base", "qwen3"):
        tokenizer = get_tokenizer(name)
        text = " " * has_space + str(number)
        raws = [tokenizer.vocabulary.raw_of(one) for one in tokenizer.encode(text)]
        expected = [length for raw in raws if (length := len(raw.strip()))]
        assert digits_of_tokens(tokenizer, str(number), has_space=has_space) == expected


def test_the_addition_is_right_and_says_what_it_needs():
    rows = show(**NUMBERS.example()).figure["rows"]
    assert [row["digits"] for row in rows] == ["3456", "2675", "6131"]
    assert [row["tokens"] for row in rows] == [[3, 1], [2, 2], [1, 3]], "no column has the same cut"
    assert [row["digits"] for row in show("007+1=9", "gpt2", False).figure["rows"]] == ["7", "1", "8"]
    for other in ("none 12", "12", "-5 + 3", "1.5 + 2", "5 + ٣", "99999999999999999999 + 1", "1 + 1 + 1 + 1"):
        shown = show(other, "gpt2", False)
        assert (shown.figure["rows"], "such as 127 + 677" in shown.needs) == ([], True), other
    assert "one token" in show("1 + 2", "gpt2", False).needs
    assert show("1275 + 1", "gpt2", False).needs == ""


def test_a_hint_follows_from_the_guess():
    question = asked(show("1275 + 6773", "gpt2", False))
    assert "677 is one token" in question.hint("677")
    assert "a smaller number" in question.hint("9998")
    assert "0 to 9999" in question.hint("10000")
