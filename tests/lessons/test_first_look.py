"""Lesson 4: ids of the lecture's first example."""

import pytest

from playground.catalog.openai import load_openai
from playground.catalog.registry import get_tokenizer
from playground.lessons.first_look import FIRST_LOOK, TOKENIZERS, show
from tests.lessons.asked import asked

GPT2 = {
    "127": [16799], " 677": [718, 3324], " 804": [807, 3023], "1275": [1065, 2425], " 6773": [718, 46871],
    " 8041": [807, 50049], "Egg": [36, 1130], " Egg": [14562], "egg": [33856], "EGG": [7156, 38],
}  # fmt: skip


@pytest.mark.parametrize("text", GPT2)
def test_the_lectures_ids(text):
    assert list(get_tokenizer("gpt2").encode(text)) == GPT2[text]


def test_four_spellings_are_four_ids():
    shown = show(FIRST_LOOK.example()["text"])
    spellings = shown.figure["spellings"]
    assert [one["ids"] for one in spellings] == [GPT2[text] for text in ("Egg", " Egg", "egg", "EGG")]
    assert asked(shown).answer == "2"
    assert "without" in asked(shown).asks
    assert "after a space" in asked(shown).hint("1")
    assert "Type a word" in show("127").needs


@pytest.mark.parametrize(
    ("text", "spellings"),
    [
        ("सगरमाथा नेपाल", ["सगरमाथा", " सगरमाथा"]),
        ("안녕 Egg", ["안녕", " 안녕"]),
        ("egg", ["egg", " egg", "EGG"]),
    ],
)
def test_a_word_of_any_script_stays_whole_and_no_spelling_comes_twice(text, spellings):
    shown = show(text)
    assert [one["text"] for one in shown.figure["spellings"]] == spellings
    assert f"“{spellings[0]}”" in asked(shown).asks


@pytest.mark.parametrize("text", ["", "Hello 👋🏽 안녕", FIRST_LOOK.example()["text"]])
def test_panes_are_tiktokens(text):
    for pane, name in zip(show(text).figure["panes"], TOKENIZERS, strict=True):
        ids = [token_id for piece in pane["pieces"] for token_id in piece["ids"]]
        assert ids == load_openai(name).encoding.encode_ordinary(text)
        assert pane["n_tokens"] == len(ids)
        assert "".join(piece["text"] for piece in pane["pieces"]) == text
