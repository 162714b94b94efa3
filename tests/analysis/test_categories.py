"""Fast counts of categories equal those of a slow reference, which asks character by character."""

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
from playground.catalog.registry import TOKENIZERS, get_tokenizer
from playground.core.tokenizer import segment
from tests.analysis.texts import MIXED, texts
from tests.catalog.kinds import TILING

TABLES: dict[str, CategoryTable] = {}


def count_fast(tokenizer, text, *, allowed_special=frozenset()):
    table = TABLES.setdefault(tokenizer.name, CategoryTable(tokenizer.vocabulary))
    encoding = tokenizer.encode(text, allowed_special=allowed_special)
    ids, n_bytes = encoding.ids, encoding.lengths
    return count_categories(ids, text, n_bytes, tokenizer.special_tokens.values(), table)


def categories_of(tokenizer, text):
    return {Category(number) for number, count in enumerate(count_fast(tokenizer, text)) if count}


def categorize(segmentation):
    """The category of each token, character by character, as `count_categories` says it."""
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
    return n_bytes.most_common(1)[0][0] if n_bytes else Category.WHITESPACE  # of a tie, what came first


def count_slow(tokenizer, text, *, allowed_special=frozenset()):
    categories = categorize(segment(tokenizer, text, allowed_special=allowed_special))
    return [categories.count(category) for category in Category]


@pytest.mark.parametrize("name", TOKENIZERS)
@settings(max_examples=12)
@given(text=texts())
def test_fast_counts_equal_the_reference(name, text):
    tokenizer = get_tokenizer(name)
    allowed = frozenset(["<|endoftext|>"])
    fast = count_fast(tokenizer, text, allowed_special=allowed)
    assert fast.tolist() == count_slow(tokenizer, text, allowed_special=allowed)


@pytest.mark.parametrize("name", TOKENIZERS)
def test_fast_counts_equal_the_reference_on_many_scripts(name):
    tokenizer = get_tokenizer(name)
    assert count_fast(tokenizer, MIXED[:10_000]).tolist() == count_slow(tokenizer, MIXED[:10_000])


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


@pytest.mark.parametrize("name", TILING)
def test_texts_of_one_category(name):
    for text, expected in OF_ONE_CATEGORY:
        assert categories_of(get_tokenizer(name), text) == {expected}, text


def test_a_tie_goes_to_what_comes_first_and_one_space_does_not_count():
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
def test_white_space_is_unicodes(character):
    is_space = character_category(character) is Category.WHITESPACE
    assert is_space == bool(regex.fullmatch(r"\p{White_Space}", character))
