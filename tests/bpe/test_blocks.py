"""Blocks cut at safe places give the whole text's ids, however the text is chunked."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.bpe.blocks import iter_safe_blocks
from playground.bpe.pretokenize import SAFE_CUT
from playground.catalog.registry import TOKENIZERS, get_tokenizer
from tests.bpe.test_pretokenize import hard_texts


@st.composite
def chunked_texts(draw):
    text = draw(hard_texts) + draw(hard_texts)
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=12)))
    return [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]


@pytest.mark.parametrize("name", TOKENIZERS)
@given(chunks=chunked_texts())
@settings(max_examples=120, deadline=None)
def test_blocks_keep_the_ids(name, chunks):
    tokenizer = get_tokenizer(name)
    blocks = list(iter_safe_blocks(chunks, tokenizer.safe_cut))
    text = "".join(chunks)
    assert "".join(blocks) == text
    assert "" not in blocks
    assert [id_ for block in blocks for id_ in tokenizer.encode(block)] == tokenizer.encode(text)


@given(chunks=chunked_texts())
def test_without_safe_places_there_is_one_block(chunks):
    text = "".join(chunks)
    assert list(iter_safe_blocks(chunks, None)) == ([text] if text else [])


@pytest.mark.parametrize("chunks", [["word"] * 500, ["a b c d"] * 500, ["x y\r", "\nz "] * 500])
def test_short_chunks_are_cut_where_they_may_be(chunks):
    blocks = list(iter_safe_blocks(chunks, SAFE_CUT))
    assert "".join(blocks) == "".join(chunks)
    assert len(blocks) == 1 if " " not in "".join(chunks) else len(blocks) >= 500


def test_time_is_linear_where_nothing_can_be_cut():
    def seconds(n_chunks):
        start = time.perf_counter()
        assert len(list(iter_safe_blocks(["a" * 10_000] * n_chunks, SAFE_CUT))) == 1
        return time.perf_counter() - start

    seconds(10)
    assert seconds(400) < 40 * min(seconds(40) for _ in range(3))  # ten times the text; a square takes 100


def test_only_the_end_of_a_block_is_searched():
    prose = "tiles of a text " * 1_000_000
    start = time.perf_counter()
    assert len(list(iter_safe_blocks([prose, " "], SAFE_CUT))) > 1
    assert time.perf_counter() - start < 0.5  # a search from the start finds four million places first
