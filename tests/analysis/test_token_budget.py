"""Chunks cover the text, fit the budget, alone too, and are cut between whole characters."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.analysis.token_budget import Chunk, cut_at_budget
from playground.catalog.registry import get_tokenizer
from playground.core.errors import InvalidInputError
from playground.core.graphemes import grapheme_starts
from playground.core.tokenizer import segment
from tests.analysis.texts import texts

NAMES = ["gpt2", "cl100k_base", "o200k_base", "utf8_bytes"]


@pytest.mark.parametrize("name", NAMES)
@given(text=texts(), n_tokens=st.integers(1, 40), data=st.data())
def test_chunks_cover_the_text_and_fit_the_budget(name, text, n_tokens, data):
    tokenizer = get_tokenizer(name)
    overlap = data.draw(st.integers(0, n_tokens - 1))
    allowed = frozenset(data.draw(st.sets(st.just("<|endoftext|>"))))
    segmentation = segment(tokenizer, text, allowed_special=allowed)
    chunks: tuple[Chunk, ...] = ()
    problem = ""
    try:
        chunks = cut_at_budget(
            tokenizer, segmentation, n_tokens=n_tokens, overlap=overlap, allowed_special=allowed
        )
    except InvalidInputError as error:
        problem = str(error)
    if problem:
        widest = max(len(segment.tokens) for segment in segmentation.segments)
        assert "alone has" in problem
        assert widest > n_tokens or "by itself" in problem
        return
    is_start = grapheme_starts(text)
    assert [chunk.index for chunk in chunks] == list(range(len(chunks)))
    assert bool(chunks) == bool(text)
    if text:
        assert (chunks[0].char_start, chunks[-1].char_end) == (0, len(text))
    for chunk in chunks:
        assert chunk.text == text[chunk.char_start : chunk.char_end]
        assert is_start[chunk.char_start]
        assert is_start[chunk.char_end]
        assert 1 <= chunk.n_tokens <= n_tokens
        assert chunk.n_tokens_alone == len(tokenizer.encode(chunk.text, allowed_special=allowed)) <= n_tokens
    for one, other in pairwise(chunks):
        assert one.char_start < other.char_start <= one.char_end < other.char_end
        shared = sum(one.char_end > token.char_start >= other.char_start for token in segmentation.tokens)
        assert shared <= overlap
        if overlap == 0:
            assert other.char_start == one.char_end


def test_chunks_are_as_long_as_they_may_be():
    gpt2 = get_tokenizer("gpt2")
    text = "one two three four five six seven"
    chunks = cut_at_budget(gpt2, segment(gpt2, text), n_tokens=3, overlap=1)
    assert [chunk.text for chunk in chunks] == ["one two three", " three four five", " five six seven"]
    assert [chunk.n_tokens for chunk in chunks] == [3, 3, 3]


@pytest.mark.parametrize(
    ("n_tokens", "overlap", "words"),
    [
        (0, 0, "budget of 0"),
        (5, 5, "0 to 4"),
    ],
)
def test_impossible_budgets_are_refused(n_tokens, overlap, words):
    gpt2 = get_tokenizer("gpt2")
    with pytest.raises(InvalidInputError, match=words):
        cut_at_budget(gpt2, segment(gpt2, "a b c"), n_tokens=n_tokens, overlap=overlap)
