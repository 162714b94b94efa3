"""The merging loop equals a plain loop, the lecture's code, and GPT-2's file."""

import gzip
import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.bpe import lecture
from playground.bpe.gpt2_bytes import from_gpt2_characters
from playground.bpe.merging import ByPair, ByRank, apply_steps, merge_parts, merge_trees, token_tree
from playground.catalog.openai import load_openai
from playground.catalog.shipped_vocabularies import VOCABULARY_DIR
from playground.core.building import MergeNode
from playground.core.errors import UnknownTokenError

RANKS = {
    part: rank
    for rank, part in enumerate(
        [b"a", b"b", b"c", b" ", b"aa", b"ab", b"ba", b"aab", b"aba", b"aaaa", b"ca", b"abab", b"cab"]
    )
}


def check_tree(tree: MergeNode) -> None:
    nodes = list(tree.iter_nodes())
    for node in nodes:
        assert not node.children or b"".join(child.raw for child in node.children) == node.raw
        assert node.children or len(node.raw) == 1
    steps = sorted(node.step for node in nodes if node.children)
    assert steps == list(range(1, len(steps) + 1))
    for node in nodes:
        assert all(child.step < node.step for child in node.children)


@settings(max_examples=30, deadline=None)
@given(text=st.text("abc ", max_size=30), below=st.sampled_from([0, 6, 9, 100]))
def test_the_heap_merges_like_a_plain_loop(text, below):
    raw = text.encode()
    parts, merged = [bytes([byte]) for byte in raw], []
    while True:
        pairs = [(RANKS.get(a + b, below), index) for index, (a, b) in enumerate(pairwise(parts))]
        if not pairs or min(pairs)[0] >= below:
            break
        rank, index = min(pairs)
        merged.append((rank, sum(map(len, parts[:index]))))
        parts[index : index + 2] = [parts[index] + parts[index + 1]]
    singles = [bytes([byte]) for byte in raw]
    steps, left, ends = merge_parts(list(singles), RANKS.get, below=below)
    assert [(step.rank, step.start) for step in steps] == merged
    assert left == [raw[start:end] for start, end in pairwise((0, *ends))] == parts
    assert apply_steps(list(singles), steps, None) == left
    for n in range(len(steps)):
        assert b"".join(apply_steps(list(singles), steps[:n], None)) == raw


@st.composite
def listed_merges(draw, n_merges=8):
    """Draw merges of any known tokens, including twins and tokens that are never made again."""
    ids = [97, 98, 99]
    merges: list[tuple[int, int, int]] = []
    for _ in range(n_merges):
        pair = draw(st.tuples(st.sampled_from(ids), st.sampled_from(ids)))
        if pair not in [(left, right) for left, right, _ in merges]:
            ids.append(256 + len(merges))
            merges.append((*pair, ids[-1]))
    return merges


@settings(max_examples=30, deadline=None)
@given(merges=listed_merges(), text=st.text("abc", max_size=25))
def test_merging_by_pair_equals_the_lecture(merges, text):
    rule = ByPair(range(256), merges)
    pairs = {(left, right): new_id for left, right, new_id in merges}
    built = rule.build(text.encode())
    assert list(built.ids) == lecture.encode(text.encode(), pairs)
    trees = merge_trees(built)
    assert [tree.id for tree in trees] == list(built.ids)
    for tree in trees:
        check_tree(tree)
        for node in tree.iter_nodes():
            if node.children:
                left, right = node.children
                assert (left.id, right.id, node.id) == merges[node.rank - 256]


@settings(max_examples=30, deadline=None)
@given(merges=listed_merges())
def test_every_listed_token_has_a_tree_of_listed_merges(merges):
    rule = ByPair(range(256), merges)
    raw_of = {97: b"a", 98: b"b", 99: b"c"}
    for left, right, new_id in merges:
        raw_of[new_id] = raw_of[left] + raw_of[right]
    for left, right, new_id in merges:
        tree = token_tree(new_id, rule)
        check_tree(tree)
        assert (tree.raw, tree.id, rule.rank_of(new_id)) == (raw_of[new_id], new_id, new_id)
        assert rule.parts_of(new_id) == tuple(child.id for child in tree.children) == (left, right)
    assert rule.parts_of(97) == ()


def test_the_tree_of_a_token_shows_the_merge_that_happens():
    # "abc" is listed as a + bc and as ab + c; "ab" merges first, so the second happens.
    merges = [(97, 98, 256), (98, 99, 257), (97, 257, 258), (256, 99, 258)]
    rule = ByPair(range(256), merges)
    assert rule.build(b"abc").ids == (258,)
    assert rule.parts_of(258) == (256, 99)
    assert token_tree(258, rule).rank == 259
    assert rule.rank_of(258) == 258


def test_gpt2s_recovered_merges_are_the_lines_of_its_merges_file():
    rule = load_openai("gpt2").merges
    lines = gzip.decompress((VOCABULARY_DIR / "vocab.bpe.gz").read_bytes()).decode().split("\n")[1:-1]
    ids = load_openai("gpt2").vocabulary.ids_of
    published = [tuple(ids(from_gpt2_characters(part))[0] for part in line.split()) for line in lines]
    some = slice(0, len(published), 9)
    assert [rule.parts_of(token_id) for token_id in range(256, 50256)[some]] == published[some]


@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base"])
def test_recovered_merges_join_two_earlier_tokens(name):
    tokenizer = load_openai(name)
    for raw, rank in random.sample(list(tokenizer.mergeable_ranks.items()), 4_000):
        parts = tokenizer.merges.parts_of(rank)
        assert len(parts) == (0 if len(raw) == 1 else 2)
        assert all(part < rank for part in parts)
        assert not parts or b"".join(map(tokenizer.vocabulary.raw_of, parts)) == raw


def test_a_token_that_no_merge_makes_is_marked_and_taken_whole():
    rule = ByRank({b"a": 0, b"b": 1, b"c": 2, b"abc": 3})
    tree = token_tree(3, rule)
    assert not tree.is_recovered
    assert [child.raw for child in tree.children] == [b"a", b"b", b"c"]
    assert rule.parts_of(3) == (0, 1, 2)
    built = rule.build(b"abc")
    assert (built.is_whole, built.ids) == (True, (3,))
    assert merge_trees(built) == (tree,)


def test_bytes_that_a_vocabulary_lacks_are_named():
    with pytest.raises(UnknownTokenError, match="byte 78"):
        ByRank({b"a": 0}).build(b"x")
    with pytest.raises(UnknownTokenError, match="no token that merges has id 5"):
        token_tree(5, ByRank({b"a": 0}))
    with pytest.raises(UnknownTokenError, match="gpt2 has no token 60000"):
        token_tree(60000, load_openai("gpt2").merges)
    with pytest.raises(UnknownTokenError, match="no token that merges has id 256"):
        token_tree(256, ByPair(range(256), []))
