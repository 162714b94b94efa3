"""Merges and ranks give the same ids, compared with slow merging."""

from itertools import pairwise, product

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.bpe import lecture
from playground.bpe.model import BpeModel, iter_misfits, merges_and_whole, recovered_merges
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.trained import TrainedTokenizer
from playground.core.errors import InvalidInputError
from playground.corpora.encoders import MUCH_CHARACTERS
from playground.files.registry import read_model
from playground.files.tiktoken_ranks import ranks_text
from tests.corpora.test_encoders import encoder_of

BYTES = range(256)
SHORT = [bytes(word) for n in range(9) for word in product(b"ab", repeat=n)]


def merge_by_table(raw, rank_of, below=float("inf")):
    """Merge any neighbours that spell a token, the lowest rank first, the leftmost of equals."""
    parts = [raw[i : i + 1] for i in range(len(raw))]
    while True:
        ranks = [rank_of.get(left + right, below) for left, right in pairwise(parts)]
        if not ranks or min(ranks) >= below:
            return parts
        i = ranks.index(min(ranks))
        parts[i : i + 2] = [parts[i] + parts[i + 1]]


@st.composite
def merge_lists(draw):
    """Draw merges over a and b of any two known tokens, including twins and merges that never happen."""
    known = [97, 98]
    merges: list[tuple[int, int, int]] = []
    for pick in draw(st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)), max_size=7)):
        left, right = (known[n % len(known)] for n in pick)
        if all(merge[:2] != (left, right) for merge in merges):
            merges.append((left, right, 256 + len(merges)))
            known.append(merges[-1][2])
    return merges


def table_of(merges):
    raw_of = {byte: bytes([byte]) for byte in BYTES}
    for left, right, new_id in merges:
        raw_of[new_id] = raw_of[left] + raw_of[right]
    ranks: dict[bytes, int] = {}
    for token_id, raw in raw_of.items():
        ranks.setdefault(raw, token_id)
    return raw_of, ranks


@given(merges=merge_lists())
@settings(max_examples=30)
def test_ranks_and_pairs_give_the_same_ids_without_misfits(merges):
    by_pair = {(left, right): new_id for left, right, new_id in merges}
    raw_of, ranks = table_of(merges)
    misfit = next(iter_misfits(BYTES, merges), None)
    if misfit is None:
        for raw in SHORT:
            by_table = [ranks[raw]] if raw in ranks else [ranks[part] for part in merge_by_table(raw, ranks)]
            assert lecture.encode(raw, by_pair) == by_table
        assert recovered_merges(ranks) == tuple(merges)
    elif ranks[raw_of[misfit]] == misfit:
        assert lecture.encode(raw_of[misfit], by_pair) != [misfit]  # a table takes the whole pretoken
    else:
        assert misfit not in ranks.values()  # a twin


@pytest.mark.parametrize(
    ("merges", "misfits"),
    [
        ([(97, 98, 256), (256, 99, 257)], []),
        # abc of ab and c, and of a and bc
        ([(97, 98, 256), (98, 99, 257), (256, 99, 258), (97, 257, 259)], [259]),
        # abcd of a and bcd is the only way, and yet a and b merge first
        ([(97, 98, 256), (98, 99, 257), (257, 100, 258), (97, 258, 259)], [259]),
        # a token made from a misfit is a misfit
        ([(97, 98, 256), (98, 99, 257), (257, 100, 258), (97, 258, 259), (259, 101, 260)], [259, 260]),
        # aaa of a and aa: of two equal pairs the leftmost merges
        ([(97, 97, 256), (97, 256, 257)], [257]),
        ([(97, 97, 256), (256, 97, 257)], []),
        # a rank below that of an earlier merge
        ([(97, 98, 257), (99, 100, 256)], [256]),
    ],
)
def test_ids_that_no_rank_table_can_represent_are_found(merges, misfits):
    assert list(iter_misfits(BYTES, merges)) == misfits


def test_bytes_may_have_any_ids():
    byte_ids = tuple(range(1000, 1256))
    model = BpeModel(SplitPattern.named("none"), ((1097, 1098, 5), (5, 1099, 6)), byte_ids=byte_ids)
    assert not list(model.misfits())
    assert TrainedTokenizer("high bytes", model).encode("abcab") == [6, 5]


@given(tokens=st.lists(st.text("ab", min_size=2, max_size=6).map(str.encode), unique=True, max_size=12))
@settings(max_examples=30)
def test_recovered_parts_are_what_merging_gives_and_other_tokens_are_only_taken_whole(tokens):
    ranks = {b"a": 0, b"b": 1} | {raw: rank for rank, raw in enumerate(tokens, start=2)}
    expected, whole = [], []
    made = {b"a": 0, b"b": 1}
    for raw in tokens:
        parts = merge_by_table(raw, made, below=ranks[raw])
        if len(parts) == 2:
            expected.append((ranks[parts[0]], ranks[parts[1]], ranks[raw]))
            made[raw] = ranks[raw]
        else:
            whole.append((raw, ranks[raw]))
    assert merges_and_whole(ranks) == (tuple(expected), tuple(whole))
    if whole:
        with pytest.raises(InvalidInputError, match=rf"token {whole[0][1]} .*is not made of two tokens"):
            recovered_merges(ranks)


@given(
    tokens=st.lists(st.text("ab ", min_size=2, max_size=6).map(str.encode), unique=True, max_size=12),
    texts=st.lists(st.text("ab .", max_size=30), min_size=1, max_size=10),
)
@settings(max_examples=60)
def test_a_file_of_any_ranks_gives_the_ids_of_tiktoken(tokens, texts):
    ranks = {bytes([byte]): byte for byte in BYTES} | {raw: 256 + n for n, raw in enumerate(tokens)}
    pattern = SplitPattern.named("llama3")
    opened = TrainedTokenizer("any", read_model({"tokenizer.tiktoken": ranks_text(ranks).encode()}, pattern))
    peer = tiktoken.Encoding("any", pat_str=pattern.expression, mergeable_ranks=ranks, special_tokens={})
    expected = [peer.encode_ordinary(text) for text in texts]
    assert [list(opened.encode(text)) for text in texts] == expected
    assert [
        [token_id for pretoken in opened.iter_pretokens(text) for token_id in opened.build(pretoken).ids]
        for text in texts
    ] == expected
    encoder = encoder_of(opened)
    assert not encoder.needs_library(MUCH_CHARACTERS)
    assert [encoder.encode([text]).tolist() for text in texts] == expected
