import gzip
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.bpe.merging import encode_with_trace, iter_token_parts, merge_bytes, merge_forest, token_tree
from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.openai import _byte_of_gpt2_character, encoding_names, load_openai
from playground.catalog.trained import TrainedTokenizer
from playground.catalog.vocabulary_files import VOCABULARY_DIR
from playground.core.errors import UnknownTokenError
from playground.core.merge_nodes import MergeNode

HARD_WORDS = """안녕하세요 မြန်မာ नमस्ते العربية 你好世界 👩‍👩‍👧‍👦 🇺🇳 ſ İi ǅ 's 'LL 1234567 3.14 <|endoftext|>
... tokenization SolidGoldMagikarp aaaaaaaaa camelCase http://a.b/c?d=e ========="""
HARD_SPACES = [
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
]
HARD_PIECES = st.sampled_from([*HARD_WORDS.split(), *HARD_SPACES])
TEXTS = st.lists(HARD_PIECES | st.text(max_size=6), max_size=12).map("".join)


@pytest.mark.parametrize("name", encoding_names())
@settings(max_examples=150, deadline=None)
@given(text=TEXTS)
def test_a_trace_ends_in_tiktokens_ids(name, text):
    tokenizer = load_openai(name)
    ranks = tokenizer.mergeable_ranks
    trace = encode_with_trace(text, ranks, split_pattern=tokenizer.split_pattern)
    assert list(trace.ids) == tokenizer.encoding.encode_ordinary(text)
    forest = merge_forest(trace, ranks)
    assert [tree.rank for tree in forest] == list(trace.ids)
    assert b"".join(tree.raw for tree in forest) == trace.text.encode()
    for tree in forest:
        check_tree(tree)


def check_tree(tree: MergeNode) -> None:
    nodes = list(tree.iter_nodes())
    for node in nodes:
        assert not node.children or b"".join(child.raw for child in node.children) == node.raw
        assert node.children or len(node.raw) == 1
    steps = sorted(node.step for node in nodes if node.children)
    assert steps == list(range(1, len(steps) + 1))
    for node in nodes:
        assert all(child.step < node.step for child in node.children)


@settings(max_examples=200, deadline=None)
@given(text=st.text("abc ", max_size=30))
def test_merging_by_heap_equals_merging_the_slow_obvious_way(text):
    ranks = {
        part: rank
        for rank, part in enumerate(
            [b"a", b"b", b"c", b" ", b"aa", b"ab", b"ba", b"aab", b"aba", b"aaaa", b"ca", b"abab", b"cab"]
        )
    }
    raw = text.encode()
    parts, merged = [bytes([byte]) for byte in raw], []
    while True:
        pairs = [(ranks[a + b], index) for index, (a, b) in enumerate(pairwise(parts)) if a + b in ranks]
        if not pairs:
            break
        rank, index = min(pairs)
        merged.append((rank, sum(map(len, parts[:index]))))
        parts[index : index + 2] = [parts[index] + parts[index + 1]]
    steps, ends = merge_bytes(raw, ranks)
    assert [(step.rank, step.start) for step in steps] == merged
    assert [raw[start:end] for start, end in pairwise((0, *ends))] == parts


def test_gpt2s_recovered_merges_are_the_lines_of_its_merges_file():
    ranks = load_openai("gpt2").mergeable_ranks
    byte_of = _byte_of_gpt2_character()
    lines = gzip.decompress((VOCABULARY_DIR / "vocab.bpe.gz").read_bytes()).decode().split("\n")[1:-1]
    published = [tuple(bytes(byte_of[c] for c in part) for part in line.split()) for line in lines]
    merged = [raw for raw in ranks if len(raw) > 1]
    assert list(iter_token_parts(merged, ranks)) == published


@pytest.mark.parametrize("name", ["r50k_base", "p50k_base", "cl100k_base", "o200k_base"])
def test_every_token_is_recovered_as_two_earlier_tokens(name):
    ranks = load_openai(name).mergeable_ranks
    for raw, parts in zip(ranks, iter_token_parts(list(ranks), ranks), strict=True):
        assert len(parts) == (0 if len(raw) == 1 else 2)
        assert all(ranks[part] < ranks[raw] for part in parts)


def test_a_token_that_no_merge_makes_says_so_and_is_taken_whole():
    ranks = {b"a": 0, b"b": 1, b"c": 2, b"abc": 3}
    tree = token_tree(b"abc", ranks)
    assert not tree.is_recovered
    assert [child.raw for child in tree.children] == [b"a", b"b", b"c"]
    trace = encode_with_trace("abc", ranks, split_pattern=r"\w+")
    assert trace.pretokens[0].is_whole
    assert trace.ids == (3,)


def test_a_known_tree():
    ranks = load_openai("gpt2").mergeable_ranks
    tree = token_tree(b" token", ranks)
    assert (tree.rank, tree.is_recovered) == (11241, True)
    assert [child.raw for child in tree.children] == [b" to", b"ken"]
    check_tree(tree)


def test_bytes_that_a_vocabulary_lacks_are_named():
    with pytest.raises(UnknownTokenError, match="byte 78"):
        encode_with_trace("x", {b"a": 0}, split_pattern=r"\w+")
    with pytest.raises(UnknownTokenError, match="no token b'xyzzyplugh'"):
        token_tree(b"xyzzyplugh", load_openai("gpt2").mergeable_ranks)


@pytest.mark.parametrize("text", ["a" * 100_000, "ab" * 50_000, "語" * 30_000])
def test_one_very_long_word(text):
    tokenizer = load_openai("o200k_base")
    trace = encode_with_trace(text, tokenizer.mergeable_ranks, split_pattern=tokenizer.split_pattern)
    merge_forest(trace, tokenizer.mergeable_ranks)
    assert list(trace.ids) == tokenizer.encode(text)


def test_an_empty_pattern_does_not_cut():
    ranks = {b"a": 0, b"b": 1, b"\n": 2, b"a\n": 3}
    assert encode_with_trace("ba\nb", ranks, split_pattern="").ids == (1, 3, 1)
    assert encode_with_trace("", ranks, split_pattern="").ids == ()


@settings(max_examples=100, deadline=None)
@given(text=st.text("abd ", max_size=30))
def test_a_trace_ends_in_a_trained_tokenizers_ids(text):
    merges = ((97, 97, 256), (256, 97, 257), (257, 98, 258), (258, 100, 259))
    for pattern in ("none", "gpt2"):
        trained = TrainedTokenizer("lecture", BpeModel(SplitPattern.named(pattern), merges))
        trace = encode_with_trace(text, trained.mergeable_ranks, split_pattern=trained.split_pattern)
        assert list(trace.ids) == trained.encode(text)
