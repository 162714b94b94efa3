"""Dear words are counted as a slow reader counts them, and what is said of them is measured."""

import pytest
import regex
from hypothesis import given

from playground.analysis.dear_words import find_dear_words
from playground.catalog.registry import get_tokenizer
from playground.core.tokenizer import replace_lone_surrogates, segment
from tests.analysis.texts import texts

CL100K = get_tokenizer("cl100k_base")


def dear(text, tokenizer=CL100K):
    return find_dear_words(tokenizer, text, tokenizer.encode(text).lengths, limit=1_000)


@given(texts(12))
def test_tokens_are_those_that_hold_a_byte_of_the_word(text):
    text = replace_lone_surrogates(text)
    tokens = segment(CL100K, text).tokens
    expected: dict[str, list[int]] = {}
    for match in regex.finditer(r"\S+", text):
        start, end = (len(text[:place].encode()) for place in match.span())
        n_tokens = sum(token.byte_start < end and token.byte_end > start for token in tokens)
        expected.setdefault(match.group(), []).append(n_tokens)
    found = {word.word: (word.n_times, word.n_tokens_each, word.n_tokens) for word in dear(text)}
    assert found == {
        word: (len(each), max(each), sum(each)) for word, each in expected.items() if sum(each) > len(each)
    }


@pytest.mark.parametrize(
    ("word", "why"),
    [
        ("https://example.org/a/b", "an address"),
        ("dGhlIHRva2VuaXplciBjYW5ub3Q0Mg==", "a code without words"),
        ("3.14159265358979", "a number of 15 digits"),
        ("👨‍👩‍👧", "emoji: 18 bytes"),
        ("नेपालमा", "Devanagari: 21 bytes for 7 characters"),
        ("getUserAccountById", "a name made of several words"),
        ("antidisestablishmentarianism", "a rare word, read in pieces"),
        ("UNBELIEVABLE", "capitals"),
        ("NW-2024-00017-XKCD.", "a code of letters and digits"),
        ("%&!?;", "signs that seldom stand together"),
        ("answer,", "one token, and the signs beside it"),
        ("1.", "one token, and the signs beside it"),
        ("answer👋", "emoji: 10 bytes"),
    ],
)
def test_what_makes_a_word_dear(word, why):
    (found,) = dear(f"the {word} a")
    assert found.word == word
    assert found.why.startswith(why)


@pytest.mark.parametrize(
    ("word", "spelled", "other"),
    [
        ("UNBELIEVABLE", "in lower case", "unbelievable"),
        ("Cafe\u0301s", "composed (NFC)", "Cafés"),
    ],
)
def test_a_spelling_that_costs_less_is_named_with_its_count(word, spelled, other):
    (found,) = dear(f"see {word}")
    n_tokens = len(CL100K.encode(f" {other}"))
    assert n_tokens < found.n_tokens_each
    assert found.why.endswith(f"{spelled} it is {n_tokens}")


def test_the_dearest_come_first_and_cheap_ones_not_at_all():
    found = dear("the cat saw antidisestablishmentarianism, tokenization tokenization tokenization the end")
    assert [word.n_tokens - word.n_times for word in found] == sorted(
        (word.n_tokens - word.n_times for word in found), reverse=True
    )
    assert {"the", "cat", "end"}.isdisjoint(word.word for word in found)
    assert dear("") == dear("the cat") == []
