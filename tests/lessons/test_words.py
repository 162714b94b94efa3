"""Lesson 2: the two versions of a tokenizer of words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.lessons.words import (
    UNKNOWN,
    WORDS,
    decode,
    encode,
    encode_or_unknown,
    rows_of,
    show,
    words_of,
)
from tests.lessons.asked import asked

LEARNED, SENTENCE = WORDS.example()["learned"], WORDS.example()["sentence"]


def test_rows_are_the_sorted_words_and_two_more():
    rows = rows_of("Yes, no -- yes. no")
    assert list(rows) == [",", "--", ".", "Yes", "no", "yes", "<|endoftext|>", "<|unk|>"]
    assert list(rows.values()) == list(range(8))


def test_the_first_version_breaks_and_the_second_forgets():
    rows = rows_of(LEARNED)
    with pytest.raises(KeyError, match="people"):
        encode(SENTENCE, rows)
    shown = show(LEARNED, SENTENCE)
    assert shown.figure["error"] == "KeyError: 'people'"
    assert shown.figure["back"] == "The <|unk|> <|unk|> Nepal climb <|unk|>, and come back."
    assert encode_or_unknown("Kathmandu", rows) == [rows[UNKNOWN]] == [len(rows) - 1]


@given(st.text("ab,.! \n", max_size=40))
def test_what_was_learned_comes_back_but_for_white_space(text):
    rows = rows_of(text)
    ids = encode(text, rows)
    assert ids == encode_or_unknown(text, rows)
    assert words_of(decode(ids, rows)) == words_of(text)


def test_the_question_counts_words_without_a_row():
    question = asked(show(LEARNED, SENTENCE))
    assert question.answer == "3"
    assert "“people” has no row" in question.hint("9")
    assert asked(show("a b", "a c c")).answer == "2"
    assert "Kathmandu" in show("a b", "b a").needs
    assert "Type a text" in show("", "a").needs
    assert "Type a text" in show("a", " ").needs
