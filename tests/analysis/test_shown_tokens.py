"""What an editor shows, asked about its tokens; a whole segmentation is the oracle."""

from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.analysis import shown_tokens
from playground.analysis.categories import Category
from playground.analysis.live_document import LiveDocument
from playground.analysis.pasted_ids import decode_ids
from playground.analysis.shown_tokens import show_document, show_ids
from playground.analysis.token_details import find_unstable
from playground.catalog.registry import get_tokenizer
from playground.core.errors import InvalidInputError
from playground.core.tokenizer import segment

TEXTS = st.text(alphabet="aZ é한🇩🇪👨‍👩‍👧न\u094d\u0301\n7.", max_size=30)


@pytest.mark.parametrize("name", ["gpt2", "o200k_base", "utf8_bytes", "characters"])
@given(text=TEXTS)
@settings(max_examples=20)
def test_spans_are_those_of_the_segmentation(name, text):
    tokenizer = get_tokenizer(name)
    shown = show_document(LiveDocument(tokenizer, text))
    tokens = segment(tokenizer, text).tokens
    with patch.object(shown_tokens, "MAX_UNSTABLE_TOKENS", 1):  # what a text may become is asked once
        described = [shown.describe(index) for index in range(len(tokens))]
    for details, token in zip(described, tokens, strict=True):
        assert (details.id, details.hex) == (token.id, token.raw.hex(" ").upper())
        assert (details.byte_start, details.byte_end) == (token.byte_start, token.byte_end)
        assert (details.char_start, details.char_end) == (token.char_start, token.char_end)
        assert details.character == text[token.char_start : token.char_end]
        assert len(details.code_points) == len(details.character)
        n_bytes = sum(
            len(character.encode()) for character in details.character
        )  # the token's own bytes are some or all of them
        assert len(token.raw) <= n_bytes


def test_variants_are_encoded_by_the_same_tokenizer():
    tokenizer = get_tokenizer("cl100k_base")
    details = show_document(LiveDocument(tokenizer, "an egg")).describe(1)
    variants = {variant.text: list(variant.ids) for variant in details.variants}
    assert set(variants) == {"egg", " egg", "EGG", " EGG", "Egg", " Egg"}
    assert all(tokenizer.encode(text) == ids for text, ids in variants.items())


@pytest.mark.parametrize(
    ("is_honoured", "own"), [(True, f"7*8?{' ' * 13}56!"), (False, "7*8?<|endoftext|>56!")]
)
def test_special_tokens_are_no_text_of_ones_own_where_they_are_honoured(is_honoured, own):
    document = LiveDocument(get_tokenizer("gpt2"), "7*8?<|endoftext|>56!", honours_special=is_honoured)
    assert show_document(document).own_text == own


def test_a_token_is_counted_wherever_it_stands():
    shown = show_document(LiveDocument(get_tokenizer("gpt2"), " the the a"))
    assert [shown.describe(index).n_occurrences for index in range(3)] == [2, 2, 1]


def test_ids_that_are_not_text_are_described_too():
    tokenizer = get_tokenizer("gpt2")
    shown = show_ids(tokenizer, decode_ids(tokenizer, [168, 15496, 230]))
    details = shown.describe(0)
    assert (details.text, details.hex, details.code_points) == (None, "EC", ())
    assert shown.describe(1).text == "Hello"
    assert sum(shown.categories()) == 3
    with_special = show_ids(tokenizer, decode_ids(tokenizer, [50256, 168, 15496]))
    counts = dict(zip(Category, with_special.categories(), strict=True))
    assert counts == dict.fromkeys(Category, 0) | dict.fromkeys(
        [Category.SPECIAL, Category.OTHER, Category.LETTERS], 1
    )
    with pytest.raises(InvalidInputError, match="no token 3"):
        shown.describe(3)


def test_the_end_of_a_text_is_told_what_it_may_become():
    gpt2 = get_tokenizer("gpt2")
    shown = show_document(LiveDocument(gpt2, "Hello there. Hello worl"))
    told = [shown.describe(index).unstable for index in range(len(shown.ids))]
    assert told[:-2] == [None] * (len(told) - 2)
    assert told[-1] == told[-2] == find_unstable(gpt2, "Hello worl")
    assert told[-1] is not None
    assert told[-1].first[0] == " world"
    settled = show_document(LiveDocument(gpt2, "don't"))
    assert settled.describe(1).unstable is None, "it can only become what it is"
    ended = show_document(LiveDocument(gpt2, "Hello worl<|endoftext|>", honours_special=True))
    assert ended.describe(len(ended.ids) - 1).unstable is None
    ids = show_ids(gpt2, decode_ids(gpt2, [995]))
    assert ids.describe(0).unstable is None
