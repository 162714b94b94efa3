"""Caches of texts are limited in bytes, whatever visitors send."""

import random
import tracemalloc

import pytest

from playground.bpe.typed_patterns import MAX_ITEMS, compile_typed
from playground.catalog.recut import recut
from playground.catalog.registry import get_tokenizer
from playground.core.short_texts import MAX_CHARACTERS, MAX_TEXTS, cache_short
from playground.core.short_texts import MAX_ITEMS as MAX_RESULT_ITEMS

MB = 1_000_000


def bytes_kept(work) -> int:
    """Return the bytes that work leaves behind."""
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        work()
        return tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()


def test_the_worst_short_texts_fill_a_cache_to_at_most_50_mb():
    cached = cache_short(lambda text: tuple(range(1_000, 1_000 + MAX_RESULT_ITEMS)) if text else ())

    def fill() -> None:
        for n in range(MAX_TEXTS + 1_000):
            cached(f"{n:07}" + "🫠" * (MAX_CHARACTERS - 7))

    assert bytes_kept(fill) < 60 * MB


TOKENIZERS = {
    "claude_3": lambda: get_tokenizer("claude_3"),
    "claude_4_7": lambda: get_tokenizer("claude_4_7"),
    "recut": lambda: recut(get_tokenizer("gpt2"), r"\w+", ()),
}


@pytest.mark.parametrize("name", TOKENIZERS)
def test_a_tokenizer_keeps_nothing_of_long_words(name):
    tokenizer = TOKENIZERS[name]()
    draw = random.Random(0)

    def encode() -> None:
        for _ in range(2):
            tokenizer.encode("".join(draw.choices("abcdefghij", k=20_000)).title())

    encode()  # what the tokenizer itself loads
    assert bytes_kept(encode) < 30_000  # keeping the two words takes 120,000


def test_a_pattern_that_compiles_to_many_megabytes_is_not_kept():
    small, large = r"\w+| ", f"[a-c]{{{MAX_ITEMS // 2}}}"
    assert compile_typed(small) is compile_typed(small)
    assert compile_typed(large) is not compile_typed(large)
