"""Expensive words are counted like a plain reader counts them, with a correct reason."""

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from playground.analysis.expensive_words import find_expensive_words
from playground.catalog.registry import get_tokenizer
from playground.core.tokenizer import replace_lone_surrogates, segment
from tests.analysis.texts import texts

CL100K = get_tokenizer("cl100k_base")


def expensive_in(text, tokenizer=CL100K):
    return find_expensive_words(tokenizer, text, tokenizer.encode(text).lengths, limit=1_000)


def _belongs(character, kind):
    is_mark = regex.match(r"\p{M}", character) is not None
    return (is_mark and kind != "space") or (character in "ーｰﾞﾟ" and kind in ("Hiragana", "Katakana"))


def iter_words(text):
    """Yield the spans of words, read character by character; a word is of one script."""
    start, kind = 0, "space"
    for place, character in enumerate(text + " "):
        if regex.match(r"\s", character):
            found = "space"
        elif _belongs(character, kind):
            found = kind
        else:
            scripts = ("Han", "Hiragana", "Katakana")
            found = next((name for name in scripts if regex.match(rf"\p{{{name}}}", character)), "other")
        if found != kind:
            if kind != "space":
                yield start, place
            start, kind = place, found


@given(texts(12) | st.text("東京タワーへらーめんｶﾞ無い。は\u3099葛\U000e0100 a、", max_size=12))
def test_a_words_tokens_are_those_with_a_byte_of_it(text):
    text = replace_lone_surrogates(text)
    tokens = segment(CL100K, text).tokens
    expected: dict[str, list[int]] = {}
    for word_start, word_end in iter_words(text):
        start, end = (len(text[:place].encode()) for place in (word_start, word_end))
        n_tokens = sum(token.byte_start < end and token.byte_end > start for token in tokens)
        expected.setdefault(text[word_start:word_end], []).append(n_tokens)
    found = {word.word: (word.n_times, word.n_tokens_each, word.n_tokens) for word in expensive_in(text)}
    assert found == {
        word: (len(each), max(each), sum(each)) for word, each in expected.items() if sum(each) > len(each)
    }


@pytest.mark.parametrize(
    ("word", "why"),
    [
        ("https://example.org/a/b", "an address"),
        ("dGhlIHRva2VuaXplciBjYW5ub3Q0Mg==", "a random-looking code"),
        ("3.14159265358979", "a number of 15 digits"),
        ("👨‍👩‍👧", "emoji: 18 bytes"),
        ("नेपालमा", "Devanagari: 21 bytes for 7 characters"),
        ("getUserAccountById", "a name made of several words"),
        ("antidisestablishmentarianism", "a rare word, split into pieces"),
        ("UNBELIEVABLE", "capitals"),
        ("NW-2024-00017-XKCD.", "a code of letters and digits"),
        ("%&!?;", "punctuation that is rarely combined"),
        ("answer,", "one token plus the punctuation around it"),
    ],
)
def test_the_reason_why_a_word_is_expensive_is_named(word, why):
    (found,) = expensive_in(f"the {word} a")
    assert found.word == word
    assert found.why.startswith(why)


@pytest.mark.parametrize(
    ("word", "spelled", "other"),
    [
        ("UNBELIEVABLE", "in lower case", "unbelievable"),
        ("Cafe\u0301s", "composed (NFC)", "Cafés"),
    ],
)
def test_a_cheaper_spelling_is_named_with_its_count(word, spelled, other):
    (found,) = expensive_in(f"see {word}")
    n_tokens = len(CL100K.encode(f" {other}"))
    assert n_tokens < found.n_tokens_each
    assert found.why.endswith(f"{spelled} it is {n_tokens}")


def test_a_sentence_without_spaces_is_not_one_word():
    found = expensive_in("吾輩は猫である。名前はまだ無い。コーヒー")
    assert {"吾輩", "猫", "である", "名前", "コーヒー"} <= {word.word for word in found}
    assert max(len(word.word) for word in found) == 4
    assert next(word.why for word in found if word.word == "猫").startswith("Han: 3 bytes for 1 character,")


def test_the_most_expensive_words_come_first_and_cheap_ones_are_left_out():
    text = "the cat saw antidisestablishmentarianism, tokenization tokenization tokenization the end"
    found = expensive_in(text)
    assert [word.n_tokens - word.n_times for word in found] == sorted(
        (word.n_tokens - word.n_times for word in found), reverse=True
    )
    assert {"the", "cat", "end"}.isdisjoint(word.word for word in found)
    assert expensive_in("") == expensive_in("the cat") == []
