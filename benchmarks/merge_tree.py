"""Traces, forests and vocabulary searches in Python. Run as `python -m benchmarks.merge_tree`."""

import statistics
import time
from collections.abc import Callable
from functools import partial

from benchmarks.keystroke import sample_text
from playground.analysis.vocabulary import TokenQuery, VocabularyIndex
from playground.bpe.encode import encode_with_trace, iter_token_parts, merge_forest
from playground.catalog.openai import load_openai
from playground.ui.forest_data import draw_forest

NAMES = ("gpt2", "cl100k_base", "o200k_base")


def main() -> None:
    print("Trace of ordinary text, ms, and as a multiple of tiktoken's encode (median of 7)")
    for name in NAMES:
        tokenizer = load_openai(name)
        ranks, pattern = tokenizer.mergeable_ranks, tokenizer.split_pattern
        for n_bytes in (1_000, 10_000, 100_000):
            text = sample_text(n_bytes)
            encode = milliseconds(partial(tokenizer.encoding.encode_ordinary, text))
            trace = milliseconds(partial(encode_with_trace, text, ranks, split_pattern=pattern))
            print(f"  {name:12} {n_bytes:7,} bytes {trace:8.2f} ms  {trace / encode:5.1f} x")
    cl100k = load_openai("cl100k_base")
    text = sample_text(2_000)
    forest = milliseconds(lambda: draw_forest(text, cl100k.mergeable_ranks, cl100k.split_pattern))
    print(f"Trees and player steps of 2,000 characters: {forest:.1f} ms")
    word = "a" * 100_000

    def long_word() -> None:
        trace = encode_with_trace(word, cl100k.mergeable_ranks, split_pattern=cl100k.split_pattern)
        merge_forest(trace, cl100k.mergeable_ranks)

    print(f"Trace and trees of one word of 100,000 letters: {milliseconds(long_word, n_runs=3):.0f} ms")
    for name in NAMES:
        ranks = load_openai(name).mergeable_ranks
        start = time.perf_counter()
        n_lost = sum(len(parts) > 2 for parts in iter_token_parts(list(ranks), ranks))
        seconds = time.perf_counter() - start
        print(f"Merges of all {len(ranks):,} tokens of {name}: {seconds:.2f} s, {n_lost} not recovered")
    start = time.perf_counter()
    index = VocabularyIndex(load_openai("o200k_base").mergeable_ranks)
    index.search(TokenQuery(text="token", starts_with_space=True, is_utf8=True, script="Latin"))
    print(f"o200k, first search with its index: {1000 * (time.perf_counter() - start):.0f} ms")
    for query in (TokenQuery(text="ing"), TokenQuery(text="e"), TokenQuery(text="E", ignores_case=True)):
        index.search(query)
        took = milliseconds(partial(index.search, query))
        print(f"  search for {query.text!r}: {took:.1f} ms, {len(index.search(query)):,} tokens")


def milliseconds(function: Callable[[], object], *, n_runs: int = 7) -> float:
    """The median time of a call."""
    times = []
    for _ in range(n_runs):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return 1000 * statistics.median(times)


if __name__ == "__main__":
    main()
