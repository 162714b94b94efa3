"""Merging many pretokens at once: the vectors beside what they say in Python, and ids beside a slow loop."""

import random
from itertools import pairwise
from typing import cast

import numpy as np
import pytest

from playground.training.kernel import merge_lanes
from playground.training.kernel.byte_masks import highest_bit, n_bits
from playground.training.kernel.compiled import CompiledFunction, compiled
from playground.training.kernel.merge_lanes import (
    LENGTH,
    MAX_BYTES,
    PARTS,
    ROOM_BEHIND_TEXT,
    START,
    merge_together,
    new_merges,
    token_at,
)
from playground.training.kernel.pretoken_table import N_PRETOKENS
from playground.training.kernel.rank_table import NO_RANK, TokenRow, new_rank_table
from tests.training.kernel.test_rank_merges import BYTES, encoder_of_tokens, merged

_least, _few = merge_lanes._find_least_pairs, merge_lanes._find_few_pairs
_more, _most = merge_lanes._find_more_pairs, merge_lanes._find_most_pairs
_lowest = merge_lanes._lowest_of


def drawn_tokens(draw, letters, n):
    tokens = {bytes(draw.choices(letters, k=draw.choice([2, 2, 2, 3, 3, 4, 5, 7, 9, 15]))) for _ in range(n)}
    return [*BYTES, *sorted(tokens)]


@compiled
def find_pairs(ranks, merges, text, lengths, merging):
    for one in range(len(lengths)):
        if lengths[one] <= 8:
            merging[one] = _least(ranks, merges, one, 64 * one, text, 0, lengths[one])
        elif lengths[one] <= 16:
            merging[one] = _few(ranks, merges, one, 64 * one, text, 0, lengths[one])
        elif lengths[one] <= 32:
            merging[one] = _more(ranks, merges, one, 64 * one, text, 0, lengths[one])
        else:
            merging[one] = _most(ranks, merges, one, 64 * one, text, 0, lengths[one])


@compiled
def merge(ranks, text, merges, n):
    merge_together(ranks, text, merges, n)


@compiled
def weigh_bits(masks, numbers, found):
    for i in range(len(masks)):
        found[i, 0], found[i, 1] = highest_bit(masks[i]), n_bits(masks[i])
    found[0, 2] = _lowest(numbers, 3)


@pytest.mark.parametrize("letters", [b"ab", b"abcdef", "жяé京".encode()])
def test_instructions_do_what_their_python_says(letters):
    draw = random.Random(len(letters))
    tokens = sorted(drawn_tokens(draw, letters, 400), key=len)
    ranks = new_rank_table(TokenRow.of(tokens))
    text = np.frombuffer(bytes(draw.choices(letters, k=64)) + bytes(ROOM_BEHIND_TEXT), np.uint8)
    lengths = np.arange(2, MAX_BYTES + 1)
    told, found = np.zeros((2, len(lengths)), np.uint64)
    in_python, in_code = new_merges(len(lengths)), new_merges(len(lengths))
    for merges in (in_python, in_code):
        merges.pairs[:] = 7  # of what was merged before

    cast(CompiledFunction, find_pairs).function(ranks, in_python, text, lengths, told)
    find_pairs(ranks, in_code, text, lengths, found)

    assert told.any()
    assert found.tolist() == told.tolist()
    assert in_code.tokens.tolist() == in_python.tokens.tolist()
    assert in_code.pairs.tolist() == in_python.pairs.tolist()
    assert (in_code.pairs.reshape(-1, 64)[:, :16] == NO_RANK).all()  # all that `_lowest_of` reads
    assert in_code.maybe.tolist() == in_python.maybe.tolist()
    assert in_code.maybe.any()


def test_bits_and_the_lowest_are_what_their_python_says():
    draw = random.Random(3)
    drawn = [draw.getrandbits(draw.randint(1, 64)) for _ in range(200)]
    masks = np.array([0, 1, 2**63, 2**64 - 1, *drawn], np.uint64)
    numbers = np.array([0, 0, 0, *(draw.getrandbits(63) for _ in range(16)), 0], np.uint64)
    told, found = np.zeros((2, len(masks), 3), np.int64)
    cast(CompiledFunction, weigh_bits).function(masks, numbers, told)
    weigh_bits(masks, numbers, found)
    assert found.tolist() == told.tolist()
    assert found[0, 2] == numbers[3:19].min()


@pytest.mark.parametrize("letters", [b"ab", b"abc", b"abcdefgh", "жяé京".encode()])
@pytest.mark.parametrize("seed", range(4))
def test_each_of_a_batch_has_the_tokens_that_it_has_alone(letters, seed):
    """Of each length that there may be, more than once, in orders of ranks that no trained vocabulary has."""
    draw = random.Random(seed)
    tokens = drawn_tokens(draw, letters, 200)
    if seed % 2:
        draw.shuffle(tokens)
    rank_of = {token: rank for rank, token in enumerate(tokens)}
    lengths = [*range(1, MAX_BYTES + 1), *range(1, MAX_BYTES + 1), 1]
    draw.shuffle(lengths)
    raws = [bytes(draw.choices(letters, k=length)) for length in lengths]
    merges = new_merges(len(raws))
    for one, raw in enumerate(raws):
        merges.of[one, START], merges.of[one, LENGTH] = sum(map(len, raws[:one])), len(raw)
    text = np.frombuffer(b"".join(raws) + bytes(ROOM_BEHIND_TEXT), np.uint8)

    ranks = new_rank_table(TokenRow.of(tokens))
    merge(ranks, text, merges, len(raws))

    for one, raw in enumerate(raws):
        starts = [place for place in range(64) if int(merges.of[one, PARTS]) >> place & 1]
        found = [
            int(token_at(ranks, text, merges, one, start, stop - start)) for start, stop in pairwise(starts)
        ]
        expected = merged(raw, rank_of)
        assert found == expected, raw
        assert b"".join(tokens[rank] for rank in found) == raw
        assert starts == np.cumsum([0, *(len(tokens[rank]) for rank in found)]).tolist()


@pytest.mark.parametrize("max_pretokens", [1 << 18, 8])
@pytest.mark.parametrize("seed", range(3))
def test_ids_of_a_text_are_those_of_its_words(max_pretokens, seed):
    """Words come once and again, side by side and apart, and the table is full again and again."""
    draw = random.Random(seed)
    tokens = drawn_tokens(draw, b" abcde", 300)
    draw.shuffle(tokens)
    rank_of = {token: rank for rank, token in enumerate(tokens)}
    words = [
        " "
        + "".join(draw.choices("abcde", k=draw.choice([1, 3, 7, 12, 15, 16, 20, 31, 40, 62, 63, 90, 150])))
        for _ in range(150)
    ]
    said = [draw.choice(words) for _ in range(3_000)]
    encoder = encoder_of_tokens(tokens, max_pretokens=max_pretokens)
    ranks_of = {word: merged(word.encode(), rank_of) for word in words}
    expected = [rank for word in said for rank in ranks_of[word]]

    assert encoder.encode(["".join(said)]).tolist() == expected
    assert encoder.count(["".join(said)]) == len(expected)
    assert encoder.fork().count(["".join(said)]) == len(expected)


def test_the_table_grows_for_what_is_merged_and_has_each_pretoken_once():
    draw = random.Random(5)
    words = {" " + "".join(draw.choices("abcde", k=20)) for _ in range(20_000)}
    encoder = encoder_of_tokens(BYTES)
    text = "".join(word + word for word in words)

    assert encoder.count([text]) == len(text)
    assert len(words) - 2_000 < encoder._memo.table.used[N_PRETOKENS] <= len(words)
