"""Counts of a text, by plain counting, and that they add up where a text may be cut."""

import regex
from hypothesis import given
from hypothesis import strategies as st

from playground.analysis.text_counts import TextCounts, count_text
from tests.analysis.texts import texts

_white = st.text(st.sampled_from("ab \t\n\r\u2028\x85\x1c.é1"), max_size=20)


@given(text=texts() | _white)
def test_counts_are_those_of_counting(text):
    counts = count_text(text)
    assert counts.n_characters == len(text)
    assert counts.n_bytes == len(text.encode())
    assert counts.n_words == len(list(filter(None, text.split())))
    assert counts.n_line_ends == len(regex.findall(r"\r\n|\r|\n", text))


@given(text=texts() | _white)
def test_lines_are_those_of_an_editor(text):
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert count_text(text).n_lines == (len(lines) if text else 0)


@given(text=texts() | _white)
def test_counts_of_pieces_add_up_wherever_a_text_is_cut(text):
    for place in range(len(text) + 1):
        if text[place - 1 : place + 1] != "\r\n":
            assert count_text(text[:place]) + count_text(text[place:]) == count_text(text)
    characters = regex.findall(r"\r\n|(?s:.)", text)
    assert sum(map(count_text, characters), TextCounts()) == count_text(text)


def test_the_empty_text_has_no_line_and_adds_nothing():
    assert count_text("") == TextCounts()
    assert count_text("").n_lines == 0
    assert count_text("a") + TextCounts() == count_text("a")
