from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.analysis.encoding_frames import encoding_frames
from playground.bpe.merging import trace_pretoken
from playground.catalog.openai import load_openai


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
@settings(max_examples=100, deadline=None)
@given(
    text=st.text(min_size=1, max_size=20) | st.sampled_from([" tokenization", "aaaaaaa", " नमस्ते", "  \n  "])
)
def test_replaying_frames_always_merges_the_leftmost_pair_of_lowest_rank(name, text):
    ranks = load_openai(name).mergeable_ranks
    pretoken = trace_pretoken(text.encode(errors="replace").decode(), ranks)
    frames = encoding_frames(pretoken, ranks)
    parts = [bytes([byte]) for byte in frames.raw]
    pair_ranks = list(frames.pair_ranks)
    for step in frames.steps:
        assert pair_ranks == [ranks.get(a + b) for a, b in pairwise(parts)]
        candidates = [rank for rank in pair_ranks if rank is not None]
        assert step.rank == min(candidates)
        assert step.position == pair_ranks.index(step.rank)
        parts[step.position : step.position + 2] = [parts[step.position] + parts[step.position + 1]]
        del pair_ranks[step.position]
        if step.position:
            pair_ranks[step.position - 1] = step.left_rank
        if step.position < len(pair_ranks):
            pair_ranks[step.position] = step.right_rank
    assert not [rank for rank in pair_ranks if rank is not None]
    assert pretoken.is_whole or [ranks[part] for part in parts] == list(pretoken.ids)
