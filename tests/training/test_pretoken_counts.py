"""Distinct pretokens are counted in texts, in files in blocks, and with typed patterns."""

import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.bpe.split_pattern import SplitPattern, iter_pretokens
from playground.corpora import corpus_pretokens, text_files
from playground.corpora.corpus_pretokens import count_corpus_pretokens
from playground.corpora.sources import Source
from playground.training import pretoken_counts
from playground.training.pretoken_counts import PretokenCounter, count_pretokens

GPT2 = SplitPattern.named("gpt2")


@pytest.mark.parametrize("name", ["gpt2", "cl100k", "o200k", "llama3", "none"])
def test_files_in_blocks_count_as_the_whole_text(name, corpora, tmp_path, monkeypatch):
    monkeypatch.setattr(pretoken_counts, "BLOCK_CHARACTERS", 1 << 13)
    monkeypatch.setattr(text_files, "BLOCK_BYTES", 1 << 13)
    paths = []
    for title, text in corpora.items():
        paths.append(Source(str(tmp_path / title)))
        Path(paths[-1].path).write_text(text, newline="")
    pattern = SplitPattern.named(name)
    counter = PretokenCounter(pattern)
    for text in corpora.values():
        counter.add(text)
    whole = counter.result()
    expected = Counter(p.encode() for text in corpora.values() for p, _ in iter_pretokens(text, pattern))
    assert list(whole.items()) == list(expected.items())
    for counted in (count_corpus_pretokens(paths, pattern), count_pretokens(corpora.values(), pattern)):
        assert list(counted.items()) == list(whole.items())
        assert counted.n_bytes == whole.n_bytes


@pytest.mark.parametrize("name", ["gpt2", "cl100k", "o200k", "llama3"])
@given(
    text=st.lists(st.sampled_from([*" \n\r\t/!'aAs1é語\u0301\x1c\x85\u3000", "\n ", "\n/", "!\n", " a"])).map(
        "".join
    )
)
@settings(max_examples=150)
def test_no_pretoken_crosses_a_chunk(name, text):
    pattern = SplitPattern.named(name)
    expected = Counter(pretoken.encode() for pretoken, _ in iter_pretokens(text, pattern))
    assert list(count_pretokens([text], pattern).items()) == list(expected.items())


def test_counts_on_several_cores_are_those_of_one(corpora, tmp_path, monkeypatch):
    monkeypatch.setattr(corpus_pretokens, "MUCH_BYTES", 1)
    path = tmp_path / "a.txt"
    path.write_text(corpora["languages"], newline="")
    one, two = (count_corpus_pretokens([Source(str(path))], GPT2, n_threads=n) for n in (1, 2))
    assert list(one.items()) == list(two.items())
    assert one.n_bytes == two.n_bytes


def test_text_that_no_alternative_matches_is_kept_and_reported():
    counted = count_pretokens(["ab-cd--"], SplitPattern.typed(r"\w+"))
    assert list(counted.items()) == [(b"ab", 1), (b"-", 1), (b"cd", 1), (b"--", 1)]
    assert counted.n_unmatched_bytes == 3


@pytest.mark.parametrize("expression", [r"\w+|\W", "   ", r"\d+", r"\p{Lu}?\p{Ll}+|\s"])
def test_typed_patterns_give_the_counts_of_cutting_piece_by_piece(expression):
    rng = random.Random(5)
    pattern = SplitPattern.typed(expression)
    words = ["été", "日本語", "12", "   ", "-", "\n", "x" * 70_000, "Zoë🙂"]
    texts = ["".join(rng.choices(words, k=40)) for _ in range(3)] + ["", "été"]
    expected: Counter[bytes] = Counter()
    n_unmatched = 0
    for text in texts:
        for pretoken, is_match in iter_pretokens(text, pattern):
            expected[pretoken.encode()] += 1
            n_unmatched += 0 if is_match else len(pretoken.encode())
    counted = count_pretokens(texts, pattern)
    assert list(counted.items()) == list(expected.items())  # first seen first
    assert counted.n_unmatched_bytes == n_unmatched
    assert counted.n_bytes == sum(len(text.encode()) for text in texts)


@pytest.mark.parametrize("pattern", [GPT2, SplitPattern.typed(r"\w+|\W+")], ids=["known", "typed"])
def test_short_texts_are_counted_together_and_stay_separate(pattern, monkeypatch):
    monkeypatch.setattr(pretoken_counts, "_MAX_CHUNKS", 3)
    texts = ["to be or", "né", "", " be", "to be", "x" * 99, "né or"] * 3 + ["to"]
    counter = PretokenCounter(pattern)
    found = count_pretokens(texts, pattern)
    for text in texts:
        counter.add(text)
    expected = Counter(pretoken.encode() for text in texts for pretoken, _ in iter_pretokens(text, pattern))
    assert [*found.items()] == [*counter.result().items()] == [*expected.items()]
    assert found.n_bytes == sum(len(text.encode()) for text in texts)
