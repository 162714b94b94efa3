"""Blocks cut at safe places give the whole text's ids, however the text is chunked."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.bpe.pretokenize import SAFE_CUT
from playground.catalog.registry import TOKENIZERS, get_tokenizer
from playground.training.blocks import iter_safe_blocks
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


class CountingPattern:
    """SAFE_CUT, which also adds up how many characters were searched."""

    n_searched = 0

    def finditer(self, text, start):
        self.n_searched += len(text) - start
        return SAFE_CUT.finditer(text, start)


def test_the_search_is_linear_where_nothing_can_be_cut():
    pattern: Any = CountingPattern()
    assert len(list(iter_safe_blocks(["a" * 10_000] * 400, pattern))) == 1
    assert pattern.n_searched < 3 * 4_000_000  # each chunk searched again for each that follows: 200 times


def test_only_the_end_of_a_block_is_searched():
    pattern: Any = CountingPattern()
    assert len(list(iter_safe_blocks(["tiles of a text " * 100_000, " "], pattern))) > 1
    assert pattern.n_searched < 1_000
