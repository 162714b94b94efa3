from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.analysis.traces import encoding_frames
from playground.bpe.merging import ByPair
from playground.catalog.openai import load_openai
from tests.bpe.test_merging import listed_merges


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
@settings(max_examples=50, deadline=None)
@given(
    text=st.text(min_size=1, max_size=20) | st.sampled_from([" tokenization", "aaaaaaa", " नमस्ते", "  \n  "])
)
def test_replaying_frames_always_merges_the_leftmost_pair_of_lowest_rank(name, text):
    tokenizer = load_openai(name)
    ranks = tokenizer.mergeable_ranks
    merged = tokenizer.merges.build(text.encode(errors="replace"))
    frames = encoding_frames(merged)
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
    assert merged.is_whole or [ranks[part] for part in parts] == list(merged.ids)


@settings(max_examples=50, deadline=None)
@given(merges=listed_merges(), text=st.text("abc", min_size=1, max_size=15))
def test_where_pairs_merge_the_ranks_shown_are_those_of_the_pairs(merges, text):
    rank_of = {(left, right): rank for rank, (left, right, _) in enumerate(merges, start=256)}
    frames = encoding_frames(ByPair(range(256), merges).build(text.encode()))
    ids = list(text.encode())
    pair_ranks = list(frames.pair_ranks)
    for step in frames.steps:
        assert pair_ranks == [rank_of.get(pair) for pair in pairwise(ids)]
        assert step.rank == min(rank for rank in pair_ranks if rank is not None)
        ids[step.position : step.position + 2] = [merges[step.rank - 256][2]]
        del pair_ranks[step.position]
        if step.position:
            pair_ranks[step.position - 1] = step.left_rank
        if step.position < len(pair_ranks):
            pair_ranks[step.position] = step.right_rank
    assert not [rank for rank in pair_ranks if rank is not None]
