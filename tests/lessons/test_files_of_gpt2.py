"""Lesson 14: what GPT-2's files say, by the shipped `vocab.bpe` itself."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.catalog.registry import get_tokenizer
from playground.catalog.shipped_vocabularies import read_vocabulary
from playground.lessons.files_of_gpt2 import GPT2_FILES, file_lines, n_of_spaces, show
from tests.lessons.asked import asked

LINES = read_vocabulary("vocab.bpe.gz").decode().split("\n")


def test_the_lectures_indented_text():
    assert GPT2_FILES.example() == {"text": "hello world!!!", "indent": 4}
    gpt2, cl100k = show("hello world!!!", 4).figure["panes"]
    assert [i for piece in gpt2["pieces"] for i in piece["ids"]] == [220, 220, 220, 23748, 995, 10185]
    assert [i for piece in cl100k["pieces"] for i in piece["ids"]] == [262, 24748, 1917, 12340]
    assert (gpt2["n_of_spaces"], cl100k["n_of_spaces"]) == (1, 86)
    assert n_of_spaces(get_tokenizer("gpt2")) == 1
    assert show("hello world!!!", 4).figure["written"] == "ĠĠĠĠhelloĠworld!!!"


@pytest.mark.parametrize("indent", range(17))
def test_gpt2_pays_for_each_space_and_its_successor_for_the_indent(indent):
    gpt2, cl100k = show("return x", indent).figure["panes"]
    assert gpt2["n"] == 2 + max(0, indent - 1)
    assert cl100k["n"] == 2 + (indent > 1)


@given(st.integers(256, 50_255))
def test_a_merges_line_is_that_of_the_file(token_id):
    key, line, number = file_lines(token_id)
    assert LINES[number - 1] == line
    assert line.replace(" ", "") == key


def test_a_byte_is_no_merge_and_each_has_a_letter_of_its_own():
    assert file_lines(220) == ("Ġ", "", 0)
    letters = show("", 0).figure["letters"]
    assert len(set(letters)) == 256
    assert all(letter.isprintable() and not letter.isspace() for letter in letters)


def test_the_question_asks_for_the_letter_of_a_space():
    question = asked(show("hello", 4))
    asks = "Which letter (or code point) stands for a space in GPT-2's files?"
    assert (question.asks, question.answer) == (asks, "Ġ")
    assert all(map(question.is_right, ("u+0120", "288", "G with a dot", "g with dot above")))
    assert not question.is_right("g")
    assert "Nearly" in question.hint("g")
    assert "grid" in question.hint("_")
    assert question.hint("Ċ") == "That letter is byte 10."
    assert "288" in question.hint("x")
    assert asked(show("é", 0)).answer == "Ã"
    assert "itself" in asked(show("a", 0)).hint("q")
    assert show("a", 0).needs != ""
    assert show("", 0).question is None


def test_a_long_text_says_how_many_bytes_it_has_in_all():
    figure = show("é" * 300, 2).figure
    assert len(figure["written"]) < figure["n_bytes"] == 602
