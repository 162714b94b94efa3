"""Lesson 21: the lecture's word forwards, backwards and spaced out, in three tokenizers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.lessons.spelling import SPELLING, backwards, letters_of, show, spaced_out
from tests.lessons.asked import asked

WORD = ".DefaultCellStyle"


def ids_of(way):
    return [token_id for piece in way["pieces"] for token_id in piece["ids"]]


@pytest.mark.parametrize(
    ("name", "counts", "shared"),
    [("cl100k_base", [1, 9, 17], []), ("gpt2", [4, 10, 17], [13]), ("o200k_base", [3, 9, 17], [])],
)
def test_one_token_forward_and_others_backward(name, counts, shared):
    figure = show(WORD, name).figure
    assert [way["n"] for way in figure["ways"]] == counts
    assert [len(ids_of(way)) for way in figure["ways"]] == counts
    assert figure["shared"] == shared


def test_the_example_is_one_block_of_seventeen_letters():
    assert SPELLING.example() == {"text": WORD, "tokenizer": "cl100k_base"}
    assert show(**SPELLING.example()).figure["ways"][0]["pieces"] == [
        {"text": WORD, "ids": [98518], "n_letters": 17}
    ]


def test_the_question_counts_the_commonest_letter():
    question = asked(show(WORD, "gpt2"))
    assert (question.asks, question.answer) == (f"How many times does l occur in “{WORD}”?", "4")
    assert "You missed one" in question.hint("3")
    assert "number of tokens" in asked(show(WORD, "cl100k_base")).hint("1")
    assert asked(show("Ananas", "gpt2")).answer == "3", "capitals count"
    assert asked(show("x" * 100, "gpt2")).asks == "How many times does x occur in the whole text?"


def test_it_says_what_a_text_lacks():
    assert show("", "gpt2").question is None
    assert "Type a word" in show("12", "gpt2").needs
    for text in ("q", "नेपाली"):  # the letters of the second have several tokens each
        assert "No fewer tokens than letters" in show(text, "gpt2").needs


def test_a_consonant_with_its_vowel_sign_is_a_letter():
    assert asked(show("नेपाल नेपाली ने", "gpt2")).asks == "How many times does ने occur in “नेपाल नेपाली ने”?"


@given(st.text(st.sampled_from("ab é👍🏽e\u0301"), max_size=20))
def test_letters_join_to_the_text_and_two_turns_bring_it_back(text):
    assert "".join(letters_of(text)) == text
    assert sorted(backwards(text)) == sorted(text)
    assert len(spaced_out(text)) == len(text) + max(0, len(letters_of(text)) - 1)


@given(st.text("abcXYZ. ", max_size=30))
def test_of_plain_letters_backwards_is_pythons_slice(text):
    assert backwards(text) == text[::-1]


def test_a_long_text_says_how_many_pieces_it_has_in_all():
    forward = show("word " * 300, "gpt2").figure["ways"][0]
    assert len(forward["pieces"]) < forward["n_pieces"] == 301
