"""Lesson 11: what is text, with Python's own decoder as the oracle."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from playground.lessons.back_to_text import BACK_TO_TEXT, iter_groups, show
from tests.lessons.asked import asked


def groups_of(text):
    return [(group["bytes"], group["text"], group["why"]) for group in show(text).figure["groups"]]


def test_three_bytes_are_a_letter_and_two_of_them_are_none():
    assert BACK_TO_TEXT.example() == {"text": "236 149 136"}
    assert groups_of("236 149 136") == [([236, 149, 136], "안", "")]
    question = asked(show("236 149 136"))
    assert (question.asks, question.answer) == ("Are the bytes 236 149 136 valid UTF-8, yes or no?", "yes")
    assert question.is_right("안")
    assert "count those" in question.hint("no")
    assert groups_of("236 149") == [([236, 149], "�", "the bytes end too early")]
    assert asked(show("236 149")).hint("yes") == "Read on from 236: the bytes end too early."
    assert [prefix["text"] for prefix in show("236 149 136").figure["prefixes"]] == ["�", "�", "안"]


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("128", "128 continues a character, but none was begun"),
        ("255", "no character begins with 255"),
        ("236 104", "104 does not continue it"),
        ("224 128 128", "128 does not continue it"),
        ("237 160 128", "160 does not continue it"),
    ],
)
def test_a_byte_that_cannot_be_taken_is_told(typed, why):
    assert groups_of(typed)[0][2] == why
    assert asked(show(typed)).answer == "no"


def test_a_text_is_taken_as_its_bytes_and_a_number_must_be_a_byte():
    assert [group[1] for group in groups_of("né!")] == ["n", "é", "!"]
    assert "from 0 to 255" in show("256").needs
    assert "from 0 to 255" in show(" ").needs
    assert "All of this is ASCII" in show("104 105").needs
    assert asked(show("110 111")).is_right("no") is False, "the text “no” is text"


@given(st.binary(max_size=12))
@example(b"\xf0\x90\x80")
@example(b"\xf4\x90\x80\x80")
def test_groups_are_those_of_pythons_decoder(raw):
    groups = list(iter_groups(raw))
    assert b"".join(group.raw for group in groups) == raw
    told = "".join("\ufffd" if group.why else group.raw.decode() for group in groups)
    assert told == raw.decode(errors="replace")
