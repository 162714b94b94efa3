"""A file of ranks is split as its maker splits: published ones are known, for others someone must choose."""

import random
from typing import Any

import pytest

from playground.bpe.split_pattern import SplitPattern
from playground.catalog.kept_file import read_kept, write_kept
from playground.catalog.registry import get_tokenizer
from playground.catalog.trained import NOT_MERGED, TrainedTokenizer
from playground.core.errors import NeedsPatternError
from playground.files.registry import read_model
from playground.files.tiktoken_ranks import ranks_text


@pytest.mark.parametrize("name", ["r50k_base", "p50k_base", "cl100k_base", "o200k_base", "kimi_k2"])
def test_a_published_file_of_ranks_is_split_as_its_maker_splits(name):
    tokenizer: Any = get_tokenizer(name)
    text = ranks_text(tokenizer.mergeable_ranks)
    opened = TrainedTokenizer(name, read_model({"x.tiktoken": text.encode()}, None))
    for sample in ("HTMLParser don't 12345\n\n  x", "こんにちは世界 IT'S café", "a  b\r\n/c"):
        assert opened.encode(sample) == tokenizer.encode(sample)
    assert "split by" in opened.about
    with pytest.raises(
        NeedsPatternError, match=r"x\.tiktoken has no split pattern, and its ids depend on one"
    ):
        read_model({"x.tiktoken": text[: text.rindex("\n", 0, -1) + 1].encode()}, None)


def test_ranks_in_random_order_are_doubted():
    gpt2: Any = get_tokenizer("gpt2")
    ranks = gpt2.mergeable_ranks
    raws = [*ranks]
    random.Random(1).shuffle(raws)
    for table, is_doubted in ((ranks, False), ({raw: rank for rank, raw in enumerate(raws)}, True)):
        model = read_model({"x.tiktoken": ranks_text(table).encode()}, SplitPattern.named("gpt2"))
        assert (NOT_MERGED in TrainedTokenizer("x", model).about) == is_doubted


@pytest.mark.parametrize("pattern", ["none", "cl100k", r"\d|\D+", "word"])
def test_a_browser_keeps_ranks_with_their_split_pattern(pattern):
    ranks = {bytes([byte]): byte for byte in range(256)} | {b"ab": 256}
    split = SplitPattern.named(pattern) if pattern in {"none", "cl100k"} else SplitPattern.typed(pattern)
    model = read_model({"my.tiktoken": ranks_text(ranks).encode()}, split)
    kept: Any = read_kept(write_kept(model), visitor="")
    assert (kept, kept.read_from) == (model, model.read_from)
