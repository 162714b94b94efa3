"""The counts of a corpus's parts merge to those of the whole, in any division and grouping."""

import random

import pytest

from playground.bpe.split_pattern import SplitPattern
from playground.training.pretoken_counts import count_pretokens, merge_counts

GPT2 = SplitPattern.named("gpt2")


@pytest.mark.parametrize("seed", range(4))
def test_counts_of_any_division_merge_to_the_counts_of_the_whole(seed, corpora):
    draw = random.Random(seed)
    text = corpora["languages"]
    texts = [text[(at := draw.randrange(200_000)) : at + draw.randrange(2_000)] for _ in range(60)]
    tables, start = [], 0
    while start < len(texts):
        stop = start + draw.randrange(9)
        tables.append(count_pretokens(texts[start:stop], GPT2))
        start = stop
    while len(tables) > 1:  # neighbours in groups of any size
        at = draw.randrange(len(tables))
        tables[at : at + 4] = [merge_counts(tables[at : at + 4])]
    whole = count_pretokens(texts, GPT2)
    assert [*tables[0].items()] == [*whole.items()]
    assert tables[0].n_bytes == whole.n_bytes
