"""Counts of characters, lines, categories and languages, against plain counting."""

import math
from collections import Counter

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.analysis.categories import (
    Category,
    CategoryTable,
    character_category,
    count_categories,
)
from playground.analysis.language_counts import article_text, count_languages
from playground.analysis.text_counts import TextCounts, count_text
from playground.catalog.registry import get_tokenizer
from playground.catalog.word_table import WordTableTokenizer, learn_table
from playground.core.errors import InvalidInputError
from playground.core.tokenizer import segment
from tests.analysis.texts import texts

_white = st.text(st.sampled_from("ab \t\n\r\u2028\x85\x1c.é1"), max_size=20)


@given(text=texts() | _white)
def test_counts_equal_plain_counting(text):
    counts = count_text(text)
    assert counts.n_characters == len(text)
    assert counts.n_bytes == len(text.encode())
    assert counts.n_words == len(list(filter(None, text.split())))
    assert counts.n_line_ends == len(regex.findall(r"\r\n|\r|\n", text))


@given(text=texts() | _white)
def test_lines_are_counted_as_editors_do(text):
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert count_text(text).n_lines == (len(lines) if text else 0)


@given(text=texts() | _white)
def test_counts_of_parts_add_up_to_those_of_the_text(text):
    for place in range(len(text) + 1):
        if text[place - 1 : place + 1] != "\r\n":
            assert count_text(text[:place]) + count_text(text[place:]) == count_text(text)
    characters = regex.findall(r"\r\n|(?s:.)", text)
    assert sum(map(count_text, characters), TextCounts()) == count_text(text)


def test_an_empty_text_has_no_lines():
    assert count_text("") == TextCounts()
    assert count_text("").n_lines == 0
    assert count_text("a") + TextCounts() == count_text("a")


TABLES: dict[str, CategoryTable] = {}
#: Tokenizers whose tokens always spell the text.
SPELLING = ["gpt2", "o200k_base", "utf8_bytes", "characters"]
KINDS = [*SPELLING, "qwen3", "mistral_v1", "mistral_v3", "bert_uncased"]


def count_fast(tokenizer, text, *, allowed_special=frozenset()):
    table = TABLES.setdefault(tokenizer.name, CategoryTable(tokenizer.vocabulary))
    encoding = tokenizer.encode(text, allowed_special=allowed_special)
    ids, n_bytes = encoding.ids, encoding.lengths
    return count_categories(ids, text, n_bytes, tokenizer.special_tokens.values(), table)


def categories_of(tokenizer, text):
    return {Category(number) for number, count in enumerate(count_fast(tokenizer, text)) if count}


def categorize(segmentation):
    """Return the category of each token, found character by character."""
    return tuple(
        Category.SPECIAL if token.is_special else category_of(token, segmentation.text)
        for token in segmentation.tokens
    )


def category_of(token, text):
    n_spaces = token.raw.startswith(b" ")
    try:
        characters = token.raw.decode()[n_spaces:]
    except UnicodeDecodeError:
        return character_category(text[token.char_start + n_spaces])
    n_bytes: Counter[Category] = Counter()
    for character in characters:
        n_bytes[character_category(character)] += len(character.encode())
    return n_bytes.most_common(1)[0][0] if n_bytes else Category.WHITESPACE  # the first one wins a tie


def count_slow(tokenizer, text, *, allowed_special=frozenset()):
    categories = categorize(segment(tokenizer, text, allowed_special=allowed_special))
    return [categories.count(category) for category in Category]


@pytest.mark.parametrize("name", KINDS)
@settings(max_examples=12)
@given(text=texts())
def test_category_counts_equal_a_slow_reference(name, text):
    tokenizer = get_tokenizer(name)
    allowed = frozenset(["<|endoftext|>"])
    fast = count_fast(tokenizer, text, allowed_special=allowed)
    assert fast.tolist() == count_slow(tokenizer, text, allowed_special=allowed)


OF_ONE_CATEGORY = [
    ("안녕하세요", Category.LETTERS),
    ("नमस्ते", Category.LETTERS),
    ("e\u0301", Category.LETTERS),
    ("👩🏽\u200d👧🇳🇵❤\ufe0f", Category.OTHER),
    ("\x00\ufeff\u200b", Category.OTHER),
    ("+$^~।、", Category.PUNCTUATION),
    ("12٣½", Category.DIGITS),
    (" \t\r\n\u3000", Category.WHITESPACE),
]


@pytest.mark.parametrize("name", SPELLING)
def test_texts_of_one_category_have_no_other(name):
    for text, expected in OF_ONE_CATEGORY:
        assert categories_of(get_tokenizer(name), text) == {expected}, text


def test_the_first_category_wins_a_tie_and_a_leading_space_is_ignored():
    cl100k = get_tokenizer("cl100k_base")
    assert len(cl100k.encode("(x")) == 1
    assert categories_of(cl100k, "(x") == {Category.PUNCTUATION}
    assert categories_of(cl100k, " a") == {Category.LETTERS}
    assert categories_of(cl100k, "  ") == {Category.WHITESPACE}


def test_special_tokens_count_only_when_allowed():
    tokenizer = get_tokenizer("gpt2")
    assert count_fast(tokenizer, "a<|endoftext|>", allowed_special=frozenset(["<|endoftext|>"])).tolist() == [
        1, 0, 0, 0, 1, 0,
    ]  # fmt: skip
    assert count_fast(tokenizer, "<|endoftext|>")[Category.SPECIAL] == 0


@given(st.characters(exclude_categories=["Cs"]))
def test_white_space_is_unicodes_white_space_property(character):
    is_space = character_category(character) is Category.WHITESPACE
    assert is_space == bool(regex.fullmatch(r"\p{White_Space}", character))


NAMES = ["gpt2", "cl100k_base", "o200k_base"]
#: Counted with tiktoken: article 1.
KNOWN = {
    "English": (33, 33, 33),
    "Nepali": (262, 169, 47),
    "Hindi": (296, 182, 54),
    "Korean": (197, 85, 51),
    "Burmese": (726, 512, 134),
}


def test_article_1_has_the_counts_of_tiktoken():
    counts = count_languages([get_tokenizer(name) for name in NAMES])
    assert len(counts) == 39 * len(NAMES)
    for language, expected in KNOWN.items():
        assert tuple(count.n_tokens for count in counts if count.language == language) == expected
    assert all(count.times_english == 1 for count in counts if count.code == "eng")


def test_languages_that_a_tokenizer_cannot_represent_are_marked_as_lossy():
    of_english = WordTableTokenizer("words", learn_table([article_text("eng", 1)], "words"))
    of_korean = WordTableTokenizer("korean", learn_table(["안녕"], "words"))
    lossy = {
        tokenizer.name: {count.language for count in count_languages([tokenizer]) if count.is_lossy}
        for tokenizer in (get_tokenizer("gpt2"), get_tokenizer("bert_uncased"), of_english)
    }
    assert lossy["gpt2"] == set()
    assert {"Khmer, Central", "Amharic"} <= lossy["bert_uncased"]
    assert "English" not in lossy["bert_uncased"]
    assert "Korean" in lossy["words"]
    assert all(math.isnan(count.times_english) and count.is_lossy for count in count_languages([of_korean]))


def test_unknown_articles_and_languages_are_refused():
    for article in (0, 31):
        with pytest.raises(InvalidInputError, match=f"no article {article}; the declaration has 1 to 30"):
            article_text("eng", article)
    assert len({article_text("eng", article) for article in (1, 30, None)}) == 3
    with pytest.raises(InvalidInputError, match="unknown language 'tlh'; choose from eng"):
        article_text("tlh", 1)
