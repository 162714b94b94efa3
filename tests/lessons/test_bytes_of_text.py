"""Lesson 5: the numbers of the example, and Python's own codecs as the oracle."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.core.errors import InvalidInputError
from playground.lessons.bytes_of_text import BYTES, MAX_SHOWN, show
from tests.lessons.asked import asked

HELLO = "안녕하세요 👋 (hello in Korean!)"


def test_the_example_has_the_lectures_numbers():
    assert BYTES.example() == {"text": HELLO, "start": ()}
    figure = show(HELLO).figure
    assert figure["n_characters"] == 26
    assert figure["n_bytes"] == {"utf8": 39, "utf16": 54, "utf32": 104}
    assert (len(HELLO.encode("utf-16")), len(HELLO.encode("utf-32"))) == (56, 108), "with its mark"
    codes = [character["code"] for character in figure["characters"]]
    assert codes[:7] == [50504, 45397, 54616, 49464, 50836, 32, 128075]
    assert figure["characters"][0]["utf8"] == [236, 149, 136]
    assert figure["characters"][0]["name"] == "HANGUL SYLLABLE AN"


def test_the_question_is_about_what_the_class_types():
    question = asked(show(HELLO))
    assert (question.asks, question.answer) == ("How many bytes does 👋 have in UTF-8?", "4")
    assert question.is_right("4 bytes")
    assert "one byte is enough" in question.hint("1").casefold()
    assert "UTF-16" in asked(show("é안")).hint("2")
    assert asked(show("né")).answer == "2"
    assert show("").question is None
    assert "Type something" in show("").needs
    assert "ASCII" in show("plain").needs


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=80))
def test_bytes_are_those_of_pythons_codecs(text):
    figure = show(text).figure
    shown = figure["characters"]
    assert "".join(character["text"] for character in shown) == text[:MAX_SHOWN]
    for way, codec in (("utf8", "utf-8"), ("utf16", "utf-16-le"), ("utf32", "utf-32-le")):
        raw = b"".join(bytes(character[way]) for character in shown)
        assert raw.decode(codec) == text[:MAX_SHOWN]
        assert figure["n_bytes"][way] == len(text.encode(codec))


def test_one_turns_to_any_place_of_a_text():
    text = "ab" * 500 + "é"
    figure = show(text, ("990",)).figure
    assert (figure["first"], figure["n_characters"]) == (990, 1_001)
    assert "".join(character["text"] for character in figure["characters"]) == text[990:]
    assert figure["n_bytes"] == show(text).figure["n_bytes"]
    assert show("short", ("990",)).figure["first"] == 0, "the text has become shorter"
    with pytest.raises(InvalidInputError, match="start must be a place in the text, and is '-1'"):
        show(text, ("-1",))
