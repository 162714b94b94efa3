"""Time of traces, merge trees and vocabulary searches. Run as `python -m benchmarks.merge_tree`."""

import statistics
import time
from collections.abc import Callable
from functools import partial

from benchmarks.keystroke import sample_text
from playground.analysis.traces import text_trees, trace_text
from playground.analysis.vocabulary_index import TokenQuery, VocabularyIndex, parents_of
from playground.catalog.openai import load_openai
from playground.server.merge_tree.data import draw_merge_trees

NAMES = ("gpt2", "cl100k_base", "o200k_base")


def main() -> None:
    print("Trace of ordinary text, ms, and as a multiple of tiktoken's encode (medians of 15, in turns)")
    for name in NAMES:
        tokenizer = load_openai(name)
        for n_bytes in (1_000, 10_000, 100_000):
            text = sample_text(n_bytes)
            encode, trace = milliseconds_in_turns(
                partial(tokenizer.encoding.encode_ordinary, text),
                partial(trace_text, tokenizer, text),
            )
            print(f"  {name:12} {n_bytes:7,} bytes {trace:8.2f} ms  {trace / encode:5.1f} x")
    cl100k = load_openai("cl100k_base")
    text = sample_text(2_000)
    trees = milliseconds(lambda: draw_merge_trees(text, cl100k))
    print(f"Trees and player steps of 2,000 characters: {trees:.1f} ms")
    word = "a" * 100_000

    def long_word() -> None:
        list(text_trees(trace_text(cl100k, word), cl100k.vocabulary))

    print(f"Trace and trees of one word of 100,000 letters: {milliseconds(long_word, n_runs=3):.0f} ms")
    for name in NAMES:
        tokenizer = load_openai(name)
        ranks, merges = tokenizer.mergeable_ranks, tokenizer.merges
        start = time.perf_counter()
        n_lost = sum(len(merges.parts_of(token_id)) > 2 for token_id in ranks.values())
        seconds = time.perf_counter() - start
        print(f"Merges of all {len(ranks):,} tokens of {name}: {seconds:.2f} s, {n_lost} not recovered")
    o200k = load_openai("o200k_base")
    special_ids = frozenset(o200k.special_tokens.values())
    every = TokenQuery(text="token", starts_with_space=True, is_utf8=True, script="Latin")
    for name, query in (("a text", TokenQuery(text="token")), ("every condition", every)):
        took = milliseconds(lambda query=query: VocabularyIndex(o200k.vocabulary, special_ids).search(query))  # type: ignore[misc]
        print(f"o200k, first search with its index, {name}: {took:.0f} ms")
    index = VocabularyIndex(o200k.vocabulary, special_ids)
    took = milliseconds(partial(parents_of, index, o200k.merges, o200k.mergeable_ranks[b" token"]))
    print(f"  the tokens merged from ' token': {took:.1f} ms")
    for query in (TokenQuery(text="ing"), TokenQuery(text="e"), TokenQuery(text="E", ignores_case=True)):
        index.search(query)
        took = milliseconds(partial(index.search, query))
        print(f"  search for {query.text!r}: {took:.1f} ms, {len(index.search(query)):,} tokens")


def milliseconds(function: Callable[[], object], *, n_runs: int = 7) -> float:
    """Return the median time of a call."""
    return milliseconds_in_turns(function, n_runs=n_runs)[0]


def milliseconds_in_turns(*functions: Callable[[], object], n_runs: int = 15) -> list[float]:
    """Return the median time of each function; they are called in turns, so that other load affects all."""
    times: list[list[float]] = [[] for _ in functions]
    for _ in range(n_runs):
        for function, own in zip(functions, times, strict=True):
            start = time.perf_counter()
            function()
            own.append(time.perf_counter() - start)
    return [1000 * statistics.median(own) for own in times]


if __name__ == "__main__":
    main()
