"""Lesson 1: the lecture's first tokenizer, and what taking a letter away does to it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.lessons.letters import ALPHABET, encode, rows_of, show
from tests.lessons.asked import asked


def test_the_lectures_numbers():
    rows = rows_of(ALPHABET)
    assert len(rows) == 65
    assert encode("hii there", rows) == [46, 47, 47, 1, 58, 46, 43, 56, 43]
    assert encode("First Citizen:", rows) == [18, 47, 56, 57, 58, 1, 15, 47, 58, 47, 64, 43, 52, 10]
    question = asked(show("hii there", ""))
    assert (question.asks, question.answer) == ("What is the id of h?", "46")
    assert "lower case" in question.hint("7")
    assert "counted from 0" in question.hint("47")


def test_a_letter_that_is_taken_away_moves_all_later_ids():
    shown = show("hii there", "q")
    moved = [row for row in shown.figure["rows"] if row["moved"]]
    assert "".join(row["text"] for row in moved) == "rstuvwxyz"
    assert shown.figure["n_moved"] == 9
    assert asked(shown).answer == "46"
    assert asked(show("there", "a")).answer == "57"
    assert "“h” has no row" in show("hat", "h").needs
    assert show("", "").question is None


@given(st.text(max_size=40), st.text(ALPHABET, max_size=5))
def test_the_rows_spell_the_text_again(text, taken):
    shown = show(text, taken).figure
    spelled = {row["id"]: row["text"] for row in shown["rows"]}
    assert sorted(spelled) == list(range(len(set(ALPHABET) - set(taken))))
    for letter in shown["letters"]:
        has_row = letter["text"] in ALPHABET and letter["text"] not in taken
        assert (spelled[letter["id"]] if has_row else None) == (letter["text"] if has_row else letter["id"])


@pytest.mark.parametrize(("text", "told"), [("a\tb", "“→”"), ("a\u200db", "“⟨200D⟩”"), ("aéb", "“é”")])
def test_a_letter_without_a_row_is_told_so_that_one_sees_it(text, told):
    assert show(text, "").needs.startswith(f"{told} has no row")
