"""Lessons 0 to 6: characters, words, tokens and bytes as numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.catalog.openai import load_openai
from playground.catalog.registry import get_tokenizer
from playground.core.errors import InvalidInputError
from playground.lessons import attention, bytes_of_text, first_look, journey, oddities, words
from playground.lessons.registry import LESSONS
from tests.lessons.asked import asked

# Lesson 0: the numbers on the board, and the lessons that it opens.


def test_the_five_oddities_have_the_counted_numbers():
    numbers = {card["title"]: card["number"] for card in oddities.show().figure["cards"]}
    assert numbers == {
        "Spelling": "4", "Languages": "3 ×", "Arithmetic": "819", "Code": "15", "Magikarp": "1",
    }  # fmt: skip


def test_each_card_has_its_step_and_its_lesson_and_opens():
    cards = oddities.show().figure["cards"]
    assert len(cards) == len(oddities.ODDITIES.steps) == 5
    assert {card["lesson"] for card in cards} <= {*LESSONS}
    assert oddities.show(("Code",)).figure["opened"] == ["Code"]


# Lesson 1: the lecture's first tokenizer, and the effect of removing a letter.


# The journey: one picture from a text's bytes to rows, and back.


@given(st.text(max_size=30))
def test_a_journey_leads_to_the_ids_of_tiktoken_and_its_bytes_back_to_the_text(text):
    made = journey.journey(text)
    assert bytes(made["bytes"]).decode() == "".join(one["text"] for one in made["characters"]) == text
    ids = [token["id"] for token in made["tokens"]]
    assert ids == load_openai("gpt2").encoding.encode_ordinary(text)
    starts = {0, *range(len(made["bytes"]))} - {*made["merges"]} if text else set()
    assert len(starts) == len(ids), "each merge removes the border between two parts"
    assert sum(made["pretokens"]) == sum(token["n_bytes"] for token in made["tokens"]) == len(text.encode())


def test_the_rows_of_an_untrained_model_have_its_deviation():
    numbers = [number for i in range(200) for number in journey.untrained_row(i)]
    assert abs(sum(numbers) / len(numbers)) < 0.002
    assert 0.018 < (sum(number**2 for number in numbers) / len(numbers)) ** 0.5 < 0.022


# Lesson 2: the two versions of a tokenizer of words.

CORPUS, SENTENCE = words.WORDS.example()["learned"], words.WORDS.example()["sentence"]


def test_rows_are_the_sorted_words_and_two_special_tokens():
    rows = words.rows_of("Yes, no -- yes. no")
    assert list(rows) == [",", "--", ".", "Yes", "no", "yes", "<|endoftext|>", "<|unk|>"]
    assert list(rows.values()) == list(range(8))


def test_a_missing_word_is_an_error_or_becomes_unknown():
    rows = words.rows_of(CORPUS)
    with pytest.raises(KeyError, match="people"):
        words.encode(SENTENCE, rows)
    shown = words.show(CORPUS, SENTENCE)
    assert shown.figure["error"] == "KeyError: 'people'"
    assert shown.figure["back"] == "The <|unk|> <|unk|> Nepal climb <|unk|>, and come back."
    assert words.encode_or_unknown("Kathmandu", rows) == [rows[words.UNKNOWN]] == [len(rows) - 1]


@given(st.text("ab,.! \n", max_size=40))
def test_a_learned_text_is_decoded_except_for_white_space(text):
    rows = words.rows_of(text)
    ids = words.encode(text, rows)
    assert ids == words.encode_or_unknown(text, rows)
    assert words.words_of(words.decode(ids, rows)) == words.words_of(text)


def test_the_question_counts_words_without_a_row():
    question = asked(words.show(CORPUS, SENTENCE))
    assert question.answer == "3"
    assert asked(words.show("a b", "a c c")).answer == "2"
    assert "Kathmandu" in words.show("a b", "b a").needs
    assert "Type a text" in words.show("", "a").needs
    assert "Type a text" in words.show("a", " ").needs


# Lesson 4: ids of the lecture's first example.

GPT2 = {
    "127": [16799], " 677": [718, 3324], " 804": [807, 3023], "1275": [1065, 2425], " 6773": [718, 46871],
    " 8041": [807, 50049], "Egg": [36, 1130], " Egg": [14562], "egg": [33856], "EGG": [7156, 38],
}  # fmt: skip


@pytest.mark.parametrize("text", GPT2)
def test_gpt2_has_the_ids_of_the_lecture(text):
    assert list(get_tokenizer("gpt2").encode(text)) == GPT2[text]


def test_four_spellings_of_egg_have_different_ids():
    shown = first_look.show(first_look.FIRST_LOOK.example()["text"])
    spellings = shown.figure["spellings"]
    assert [one["ids"] for one in spellings] == [GPT2[text] for text in ("Egg", " Egg", "egg", "EGG")]
    assert asked(shown).answer == "2"
    assert "without" in asked(shown).asks
    assert "Type a word" in first_look.show("127").needs


@pytest.mark.parametrize(
    ("text", "spellings"),
    [
        ("सगरमाथा नेपाल", ["सगरमाथा", " सगरमाथा"]),
        ("안녕 Egg", ["안녕", " 안녕"]),
        ("egg", ["egg", " egg", "EGG"]),
    ],
)
def test_words_of_any_script_stay_whole_and_spellings_are_distinct(text, spellings):
    shown = first_look.show(text)
    assert [one["text"] for one in shown.figure["spellings"]] == spellings
    assert f"“{spellings[0]}”" in asked(shown).asks


@pytest.mark.parametrize("text", ["", "Hello 👋🏽 안녕", first_look.FIRST_LOOK.example()["text"]])
def test_each_pane_has_the_ids_of_tiktoken(text):
    for pane, name in zip(first_look.show(text).figure["panes"], first_look.TOKENIZERS, strict=True):
        ids = [token_id for piece in pane["pieces"] for token_id in piece["ids"]]
        assert ids == load_openai(name).encoding.encode_ordinary(text)
        assert pane["n_tokens"] == len(ids)
        assert "".join(piece["text"] for piece in pane["pieces"]) == text


# Lesson 5: the numbers of the example, and Python's own codecs as the oracle.

HELLO = "안녕하세요 👋 (hello in Korean!)"


def test_the_example_has_the_lectures_numbers():
    assert bytes_of_text.BYTES.example() == {"text": HELLO, "start": ()}
    figure = bytes_of_text.show(HELLO).figure
    assert figure["n_characters"] == 26
    assert figure["n_bytes"] == {"utf8": 39, "utf16": 54, "utf32": 104}
    assert (len(HELLO.encode("utf-16")), len(HELLO.encode("utf-32"))) == (56, 108), "with its mark"
    codes = [character["code"] for character in figure["characters"]]
    assert codes[:7] == [50504, 45397, 54616, 49464, 50836, 32, 128075]
    assert figure["characters"][0]["utf8"] == [236, 149, 136]
    assert figure["characters"][0]["name"] == "HANGUL SYLLABLE AN"


def test_the_question_asks_for_the_bytes_of_the_longest_character():
    question = asked(bytes_of_text.show(HELLO))
    assert (question.asks, question.answer) == ("How many bytes does 👋 have in UTF-8?", "4")
    assert question.is_right("4 bytes")
    assert asked(bytes_of_text.show("né")).answer == "2"
    assert bytes_of_text.show("").question is None
    assert "Type something" in bytes_of_text.show("").needs
    assert "ASCII" in bytes_of_text.show("plain").needs


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=80))
def test_bytes_are_those_of_pythons_codecs(text):
    figure = bytes_of_text.show(text).figure
    shown = figure["characters"]
    assert "".join(character["text"] for character in shown) == text[: bytes_of_text.MAX_SHOWN]
    for way, codec in (("utf8", "utf-8"), ("utf16", "utf-16-le"), ("utf32", "utf-32-le")):
        raw = b"".join(bytes(character[way]) for character in shown)
        assert raw.decode(codec) == text[: bytes_of_text.MAX_SHOWN]
        assert figure["n_bytes"][way] == len(text.encode(codec))


def test_the_figure_shows_any_part_of_a_text():
    text = "ab" * 500 + "é"
    figure = bytes_of_text.show(text, ("990",)).figure
    assert (figure["first"], figure["n_characters"]) == (990, 1_001)
    assert "".join(character["text"] for character in figure["characters"]) == text[990:]
    assert figure["n_bytes"] == bytes_of_text.show(text).figure["n_bytes"]
    assert bytes_of_text.show("short", ("990",)).figure["first"] == 0, "the text has become shorter"
    with pytest.raises(InvalidInputError, match="start must be a place in the text, and is '-1'"):
        bytes_of_text.show(text, ("-1",))


# Lesson 6: the pairs of the declaration.


def test_the_declaration_in_bytes_has_29_times_the_pairs():
    shown = attention.show(8_287)
    assert (shown.figure["n_bytes"], shown.figure["n_tokens"]) == (8_287, 1_524)
    assert asked(shown).answer == "29.6"
    assert attention.ATTENTION.example() == {"n_bytes": 8_287}
