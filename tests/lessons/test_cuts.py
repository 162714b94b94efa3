"""Lesson 13: what the lecture's pattern cuts, and what a pattern without one alternative leaves out."""

import pytest

from playground.bpe import typed_patterns
from playground.core.errors import InvalidInputError
from playground.lessons.cuts import CUTS, MAX_PIECES, show
from tests.lessons.asked import asked

HELLO = "Hello've world123 how's are you!!!?"


def shown(**values):
    return show(**CUTS.check(values))


def pieces_of(**values):
    return [piece["text"] for piece in shown(**values).figure["pieces"]]


def test_the_example_is_cut_as_in_the_lecture():
    assert CUTS.example()["text"] == HELLO
    pieces = ["Hello", "'ve", " world", "123", " how", "'s", " are", " you", "!!!?"]
    assert pieces_of() == pieces
    assert [piece["by"] for piece in shown().figure["pieces"]] == [1, 0, 1, 2, 1, 0, 1, 1, 3]
    assert [one["n"] for one in shown().figure["alternatives"]] == [2, 5, 1, 1, 0, 0, 0]
    question = asked(shown())
    assert question.asks == "How many pieces is “Hello've world123” cut into?"
    assert (question.answer, question.is_right("4 pieces")) == ("4", True)
    assert "words" in question.hint("2")
    assert question.hint("5").startswith("Fewer")
    assert asked(shown(text="x")).hint("2") == "Fewer: the first piece is 1 character long."
    assert asked(shown(text="a1b2")).answer == "4"


def test_patterns_cut_differently():
    rows = {row["name"]: row["cells"] for row in shown().figure["matrix"]}
    assert rows["gpt2"][:2] == [["HOUSE", "'", "S"], ["1234567"]]
    assert rows["cl100k"][:2] == [["HOUSE", "'S"], ["123", "456", "7"]]
    assert rows["o200k"][:2] == [["HOUSE'S"], ["123", "456", "7"]]
    assert rows["llama3"][:2] == [["HOUSE", "'S"], ["123", "456", "7"]]


def test_without_the_digits_no_alternative_takes_them():
    figure = shown(off=["gpt2:2"]).figure
    assert [piece["text"] for piece in figure["pieces"] if piece["by"] is None] == ["123"]
    assert [one["is_on"] for one in figure["alternatives"]] == [True, True, False, True, True, True, True]
    assert figure["pieces"][-1] == {"text": "!!!?", "by": 3}, "places are those of the whole pattern"
    assert pieces_of(pattern="cl100k", off=["gpt2:2"]) == pieces_of(pattern="cl100k")
    none = shown(off=[f"gpt2:{place}" for place in range(7)])
    assert (none.figure["n_pieces"], none.figure["pieces"][0]["by"]) == (1, None)
    assert "Switch one on" in none.needs


def test_an_own_pattern_is_tried_out(monkeypatch):
    monkeypatch.setattr(typed_patterns, "MAX_SECONDS", 0.2)
    assert pieces_of(pattern="own", text="a-b") == ["a", "-", "b"]
    assert pieces_of(pattern="own", own=[""], text="a-b") == ["a-b"]
    for wrong in ("(", "a*", "(a|aa)+b"):
        with pytest.raises(InvalidInputError, match="the pattern"):
            shown(pattern="own", own=[wrong], text="a" * 40)


def test_it_says_what_the_text_lacks_and_stays_small():
    assert "add digits" in shown(text="word").needs
    assert shown(text="").question is None
    figure = shown(text="a1" * 20_000).figure
    assert (len(figure["pieces"]), figure["n_pieces"]) == (MAX_PIECES, 40_000)
