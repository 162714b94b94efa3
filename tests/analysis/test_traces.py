"""Traces of merges end in the encoder's ids, and replayed frames merge in the same order."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.analysis.traces import encoding_frames, text_trees, trace_text
from playground.bpe.merging import ByPair
from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.openai import encoding_names, load_openai
from playground.catalog.registry import get_tokenizer
from playground.catalog.trained import TrainedTokenizer
from tests.bpe.test_merging import check_tree, listed_merges

HARD_WORDS = """안녕하세요 မြန်မာ नमस्ते العربية 你好世界 👩‍👩‍👧‍👦 🇺🇳 ſ İi ǅ 's 'LL 1234567 3.14 <|endoftext|>
... tokenization SolidGoldMagikarp aaaaaaaaa camelCase http://a.b/c?d=e ========="""
HARD_SPACES = [
    *[
        "    ",
        "\n\n",
        "\r\n",
        "\t",
        " \u00a0 ",
        "\x1c",
        " the",
        "e\u0301",
        "\ufeff",
        "\u200b",
        "\x00",
        "\ud83d",
    ],
]
HARD_PIECES = st.sampled_from([*HARD_WORDS.split(), *HARD_SPACES])
TEXTS = st.lists(HARD_PIECES | st.text(max_size=6), max_size=12).map("".join)


@pytest.mark.parametrize("name", encoding_names())
@given(text=TEXTS)
def test_traces_end_in_the_ids_of_tiktoken(name, text):
    tokenizer = load_openai(name)
    trace = trace_text(tokenizer, text)
    assert list(trace.ids) == tokenizer.encoding.encode_ordinary(text)
    trees = list(text_trees(trace, tokenizer.vocabulary))
    assert [tree.id for tree in trees] == [tree.rank for tree in trees] == list(trace.ids)
    assert b"".join(tree.raw for tree in trees) == trace.text.encode()
    assert "".join(pretoken.text for pretoken in trace.pretokens) == trace.text
    for pretoken in trace.pretokens:
        assert trace.text[pretoken.char_start : pretoken.char_end] == pretoken.text
    for tree in trees:
        check_tree(tree)


@given(text=st.text("abd ", max_size=30))
def test_traces_end_in_the_ids_of_a_trained_tokenizer(text):
    merges = ((97, 97, 256), (256, 97, 257), (257, 98, 258), (258, 100, 259))
    for pattern in ("none", "gpt2"):
        trained = TrainedTokenizer("lecture", BpeModel(SplitPattern.named(pattern), merges))
        assert list(trace_text(trained, text).ids) == trained.encode(text)


@pytest.mark.parametrize("name", ["utf8_bytes", "characters"])
def test_a_token_without_merges_is_a_leaf(name):
    tokenizer = get_tokenizer(name)
    trace = trace_text(tokenizer, "aé")
    trees = list(text_trees(trace, tokenizer.vocabulary))
    assert [tree.id for tree in trees] == tokenizer.encode("aé")
    assert all(not tree.children and tree.rank < 0 for tree in trees)
    assert trace.n_merges == 0


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
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


@given(merges=listed_merges(), text=st.text("abc", min_size=1, max_size=15))
def test_frames_of_a_tokenizer_that_merges_pairs_have_the_ranks_of_the_pairs(merges, text):
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
