from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings

from playground.catalog.registry import get_tokenizer
from playground.core.encoding import Encoding
from playground.core.graphemes import grapheme_starts
from playground.core.tokenizer import segment
from playground.core.tokens import Segmentation
from playground.core.vocabulary import TableVocabulary
from tests.analysis.texts import texts


def tokens_by_bytes(text, raws):
    """Find each token's place by looking at every byte, slowly."""
    owner = [place for place, character in enumerate(text) for _ in character.encode()]
    spans, start = [], 0
    for raw in raws:
        touched = owner[start : start + len(raw)]
        spans.append((start, start + len(raw), touched[0], touched[-1] + 1))
        start += len(raw)
    return spans


@pytest.mark.parametrize("name", ["gpt2", "o200k_base", "kimi_k2"])
@settings(max_examples=10)
@given(text=texts())
def test_tokens_and_segments_cover_the_text(name, text):
    cut = segment(get_tokenizer(name), text)
    assert [token[2:6] for token in cut.tokens] == tokens_by_bytes(text, [token.raw for token in cut.tokens])
    assert b"".join(token.raw for token in cut.tokens).decode() == text
    assert "".join(run.text for run in cut.segments) == text
    assert [token for run in cut.segments for token in run.tokens] == list(cut.tokens)
    starts = grapheme_starts(text)
    ends = np.cumsum([0] + [len(run.text) for run in cut.segments])
    assert starts[ends].all()
    # Shortest: within a segment, no token ends where the next begins and a cluster starts.
    for run in cut.segments:
        for token, following in pairwise(run.tokens):
            assert token.char_end > following.char_start or not starts[following.char_start]


def test_tokens_behave_as_a_tuple():
    cut = segment(get_tokenizer("gpt2"), "안 egg " * 200)
    tokens = tuple(cut.tokens)
    assert cut.tokens == tokens
    assert hash(cut.tokens) == hash(tokens)
    assert cut.tokens[-1] == tokens[-1]
    assert cut.tokens[3:300] == tokens[3:300]
    assert cut.tokens[::-2] == tokens[::-2]
    assert cut.tokens[5:2] == ()
    assert cut.segments == tuple(cut.segments)
    assert cut.tokens != tokens[1:]
    with pytest.raises(IndexError):
        cut.tokens[len(tokens)]


TOY = TableVocabulary("toy", range(3), [b"a", b"b", b"c"])


def test_text_that_no_token_covers_stays_in_a_segment():
    encoding = Encoding(" a  b ", np.array([0, 1], np.uint32), np.array([1, 4]), np.array([2, 5]))
    assert [segment.text for segment in Segmentation(encoding, TOY).segments] == [" a  ", "b "]


def test_tokens_that_do_not_spell_the_text_are_refused():
    with pytest.raises(ValueError, match="1 bytes, the text has 2"):
        _ = Encoding.tiling("ab", [0], TOY.n_bytes_of).starts
