"""Merging by rank equals a loop that looks for the lowest pair, for vocabularies of any order."""

import random
from itertools import pairwise

import numpy as np
import pytest

from playground.corpora.compiled_encoder import CompiledEncoder, RankRecipe
from playground.training.kernel.rank_table import TokenRow
from playground.training.kernel.scanners import GPT2

BYTES = [bytes([byte]) for byte in range(256)]


def merged(raw: bytes, ranks: dict[bytes, int]) -> list[int]:
    """Return the ranks of a pretoken's tokens by tiktoken's rule."""
    if raw in ranks:
        return [ranks[raw]]
    parts = [bytes([byte]) for byte in raw]
    while len(parts) > 1:
        found = [ranks.get(left + right, len(ranks)) for left, right in pairwise(parts)]
        place = found.index(min(found))
        if found[place] == len(ranks):
            break
        parts[place : place + 2] = [parts[place] + parts[place + 1]]
    return [ranks[part] for part in parts]


def encoder_of_tokens(tokens: list[bytes]) -> CompiledEncoder:
    recipe = RankRecipe(TokenRow.of(tokens), np.arange(len(tokens), dtype=np.uint32), GPT2)
    return CompiledEncoder.of(recipe, {})


@pytest.mark.parametrize("letters", ["ab", "abc", "abcdefgh", "жяé京"])
@pytest.mark.parametrize("seed", range(6))
def test_merging_equals_lowest_rank_first_for_any_order_of_ranks(letters, seed):
    # A token may be of lower rank than its parts, or have none: no trained vocabulary has such.
    draw = random.Random(seed)
    utf8 = "".join(letters).encode()
    drawn = {
        bytes(draw.choices(utf8, k=draw.choice([2, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 12]))) for _ in range(200)
    }
    tokens = [*BYTES, *sorted(drawn)]
    if seed % 2:
        draw.shuffle(tokens)
    ranks = {token: rank for rank, token in enumerate(tokens)}
    words = [
        "".join(draw.choices(letters, k=draw.choice([2, 3, 5, 8, 13, 15, 16, 30, 60, 64, 100])))
        for _ in range(150)
    ]

    encoder = encoder_of_tokens(tokens)
    found = [encoder.encode([word]).tolist() for word in words]
    n_found = [encoder.fork().count([word]) for word in words]

    assert found == [merged(word.encode(), ranks) for word in words]
    assert n_found == [len(ids) for ids in found]


def test_tokens_with_equal_hashes_are_distinguished():
    draw = random.Random(7)
    drawn = {bytes(draw.choices(b"abcdefghijklmnop", k=draw.randint(3, 20))) for _ in range(5_000)}
    tokens = [*BYTES, *drawn]

    encoder = encoder_of_tokens(tokens)

    assert [encoder.encode([token.decode()]).tolist() for token in tokens[256:]] == [
        [rank] for rank in range(256, len(tokens))
    ]
