"""Lesson 22: the lecture's pair, and the declaration counted again."""

import pytest

from playground.catalog.openai import load_openai
from playground.lessons.languages import LANGUAGES, TOKENIZERS, n_tokens, show, times_english
from playground.training.parallel_texts import load_parallel_texts
from tests.lessons.asked import asked

HELLO, KOREAN = LANGUAGES.example()["english"], LANGUAGES.example()["other"]


def test_the_lectures_pair():
    assert (n_tokens(HELLO), n_tokens(KOREAN)) == ([5, 5, 5], [36, 15, 7])
    question = asked(show(HELLO, KOREAN))
    assert question.answer == "3.0"
    assert all(map(question.is_right, ("3", "3.0", "3,0", "3 ×", "3x", "3 times")))
    assert "divide 15 by 5" in question.hint("15")
    assert "That is gpt2" in question.hint("7.2")


def test_a_greeting_is_five_ids_in_three_groups():
    pieces = show(HELLO, "안녕하세요").figure["other"]["pieces"]
    assert len(pieces) == 3
    assert sum(len(piece["ids"]) for piece in pieces) == 5


@pytest.mark.parametrize("at", range(3))
def test_all_languages_are_counted_as_tiktoken_counts(at):
    encoding = load_openai(TOKENIZERS[at]).encoding
    counts = {text.name: len(encoding.encode_ordinary(text.articles[0])) for text in load_parallel_texts()}
    assert len(times_english()) == len(counts) == 39
    for language in times_english():
        assert language["times"][at] == round(counts[language["name"]] / counts["English"], 2)


def test_it_says_what_it_needs():
    assert "same sentence" in show("", KOREAN).needs
    assert "same sentence" in show(HELLO, "").needs
    assert "ASCII" in show(HELLO, "Hallo, wie geht's?").needs
    assert asked(show("a b", "é")).answer == "0.5"
