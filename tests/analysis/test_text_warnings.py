"""Warnings report what their names say, and nothing for ordinary texts."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.analysis.text_warnings import (
    MANY_WHOLE,
    NAMES_WITHOUT_BARS,
    find_lost,
    find_slow,
    find_warnings,
    special_elsewhere,
)
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.openai import load_openai
from playground.catalog.registry import TOKENIZERS, get_tokenizer
from playground.catalog.word_table import WordTableTokenizer, learn_table
from tests.analysis.texts import UDHR, texts
from tests.catalog import sentencepiece_models
from tests.catalog.test_trained import trained


def kinds(text):
    return [warning.kind for warning in find_warnings(text)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "A line.\nAnother.\n",
        "CRLF\r\nonly\r\n",
        "tab\there",
        "👨‍👩‍👧 ❤️‍🔥 🏳️‍🌈 👩🏽‍💻 🧑‍⚕️ 🙋🏽‍♀️",  # joiners that do their work
        "क्‍ष می‌خواهم",
        "naïve café Ångström 안녕하세요",
        "5 μm, Δx, kΩ, Москва Moscow, Αθήνα Athens, x-координата",
        "<b>&amp;</b>",
    ],
)
def test_ordinary_texts_have_no_warnings(text):
    assert kinds(unicodedata.normalize("NFC", text)) == []


@pytest.mark.parametrize("language", ["kor", "tha", "rus", "tur"])
def test_the_declaration_of_human_rights_has_no_warnings(language):
    (articles,) = (entry["articles"] for entry in UDHR if entry["code"] == language)
    assert kinds("\n".join(articles)) == []


@pytest.mark.parametrize(
    ("text", "kind", "count"),
    [
        ("The answer is ", "trailing space", 1),
        ("x   ", "trailing space", 3),
        ("\ufeffa", "byte order mark", 1),
        ("pass\u200dword", "zero-width character", 1),
        ("a\u2060b", "zero-width character", 1),
        ("user\u202enimda\u202c", "bidirectional control", 2),
        ("Log in at \u0440\u0430ypal.com, my p\u0430ssword is \u0440\u0430ypal", "look-alike letters", 3),
        ("G\u03bf", "look-alike letters", 1),
        ("a\x00b", "control character", 1),
        ("Z\u0301 ok cafe\u0301", "not NFC", 2),
        ("\u212b", "not NFC", 1),
        ("a\nb\r\nc\n", "mixed line ends", 1),
    ],
)
def test_each_kind_of_warning_counts_its_occurrences(text, kind, count):
    (warning,) = find_warnings(text)
    assert (warning.kind, warning.count) == (kind, count)
    assert warning.sentence.rstrip().endswith(".")


def test_warnings_name_the_characters():
    (warning,) = find_warnings("a\u200bb\u200b\u2060")
    assert "3 zero-width characters" in warning.sentence
    assert "U+200B zero width space, U+2060 word joiner" in warning.sentence
    (warning,) = find_warnings("\x01\x02\x03\x04")
    assert "and 1 more kind" in warning.sentence
    (warning,) = find_warnings("a\x07")
    assert warning.sentence.startswith("One control character (U+0007 alert)")


def test_replaced_surrogates_have_a_warning():
    (warning,) = find_warnings("ab\ufffd", n_replaced_surrogates=1)
    assert (warning.kind, warning.count) == ("lone surrogate", 1)
    assert "One lone surrogate" in warning.sentence
    assert find_warnings("\ufffd") == []


def test_a_text_may_have_several_warnings():
    assert kinds("\ufeffa\u200b\u202e\x00e\u0301\r\n\n ") == [
        "trailing space",
        "byte order mark",
        "zero-width character",
        "bidirectional control",
        "control character",
        "not NFC",
        "mixed line ends",
    ]


@given(text=texts())
def test_the_nfc_warning_agrees_with_unicodedata(text):
    found = [warning for warning in find_warnings(text) if warning.kind == "not NFC"]
    assert bool(found) == (not unicodedata.is_normalized("NFC", text))
    for warning in found:
        assert warning.count >= 1


@given(text=st.text(st.sampled_from("ab\r\n"), max_size=12))
def test_two_kinds_of_line_ends_have_a_warning(text):
    ends = text.replace("\r\n", "W")
    n_kinds = sum(mark in ends for mark in "W\r\n")
    found = [warning for warning in find_warnings(text) if warning.kind == "mixed line ends"]
    assert bool(found) == (n_kinds > 1)


def test_words_missing_from_a_learned_table_have_a_warning():
    words = WordTableTokenizer("mine", learn_table(["the cat sat"], "words"))
    (warning,) = find_lost("the zebra sat on a zebra", words)
    assert warning.count == 4
    assert warning.sentence.startswith("4 words have no row and are lost in mine (“zebra”, “on”, “a”): ")
    (warning,) = find_lost("cab", WordTableTokenizer("abc", learn_table(["ac"], "characters")))
    assert warning.sentence.startswith("One character has no row and is lost in abc (“b”): ")
    assert find_lost("the cat", words) == []
    kept = WordTableTokenizer("mine", learn_table(["the cat sat"], "words", has_unknown=True))
    assert find_lost("zebra", kept) == find_lost("zebra", load_openai("gpt2")) == []


def test_a_long_text_in_a_tokenizer_without_safe_cuts_has_a_warning():
    unigram, merged = map(sentencepiece_models.opened, ("unigram over spaces", "bpe, bytes"))
    long = "a" * (MANY_WHOLE + 1)
    (warning,) = find_slow(long, unigram)
    assert warning.sentence.startswith(f"{unigram.name} encodes the whole text again at each key")
    words = WordTableTokenizer("mine", learn_table(["a"], "words"))
    assert find_slow(long[1:], unigram) == find_slow(long, merged) == find_slow(long, words) == []


CHAT = "<|im_start|>system\nHi<|im_end|>\n<|im_start|>user\n<s>"


@pytest.mark.parametrize(
    ("text", "name", "found"),
    [
        (CHAT, "cl100k_base", ["<|im_start|>", "<|im_end|>", "<s>"]),
        (CHAT, "qwen3", ["<s>"]),
        ("<|endoftext|>", "cl100k_base", []),
        ("<｜begin▁of▁sentence｜>", "deepseek_v3", []),
        ("<b>, <section>, <|, |>, f <| x |> y, <||>, <|a b|>, <|a\n|>", "gpt2", []),
        ("<|a|><|b|><|c|><|d|><|e|>", "gpt2", ["<|a|>", "<|b|>", "<|c|>", "<|d|>"]),
    ],
)
def test_special_tokens_of_other_tokenizers_are_named_once(text, name, found):
    assert special_elsewhere(text, get_tokenizer(name)) == found


def test_a_name_that_is_a_single_token_is_not_reported():
    tokenizer = trained("<s>" * 9, SplitPattern.named("none"), 2)
    assert special_elsewhere("<s></s>", tokenizer) == ["</s>"]


def test_the_reported_names_without_bars_are_special_tokens_of_shipped_tokenizers():
    shipped = {name for tokenizer in TOKENIZERS for name in get_tokenizer(tokenizer).special_tokens}
    assert shipped.issuperset(NAMES_WITHOUT_BARS)
