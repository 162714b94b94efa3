"""Counting for several tokenizers at once equals counting for each."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.catalog.openai import load_openai
from playground.catalog.registry import get_tokenizer
from playground.corpora.compiled_encoder import CompiledEncoder, CountingTogether
from playground.corpora.encoders import TextCounter, encoder_of
from tests.corpora.test_encoders import COMPILED, HARD, encoder, expected
from tests.training.kernel.test_ascii_starts import PARTS

#: Each scanner, two of one scanner, and one that normalizes.
SEVERAL = ["gpt2", "cl100k_base", "o200k_base", "mistral_tekken", "glm4", "r50k_base", "qwen3"]


def forked(names):
    return {number: encoder(name).fork() for number, name in enumerate(names)}


def counts(names, texts):
    return {number: sum(len(expected(name, text)) for text in texts) for number, name in enumerate(names)}


@pytest.mark.parametrize("names", [SEVERAL[:3], SEVERAL[3:5], COMPILED])
def test_39_languages_and_code_have_the_ids_of_the_library(names, corpora):
    encoders, together = forked(names), CountingTogether()
    for text in corpora.values():
        found = together.count(encoders, [text[:60_000].encode()])
        assert found == {number: n for number, n in counts(names, [text[:60_000]]).items() if number in found}
        assert len(found) >= len(names) - 1  # one that normalizes may count alone


@settings(max_examples=150)
@given(
    names=st.lists(st.sampled_from(SEVERAL), min_size=2, max_size=6, unique=True),
    texts=st.lists(
        st.text(st.sampled_from(HARD)) | st.lists(st.sampled_from(PARTS), max_size=60).map("".join),
        min_size=1, max_size=4,
    ),
    n_lines=st.sampled_from([1, 8, 1 << 10]),
)  # fmt: skip
def test_counts_are_exact_for_any_neighbouring_texts_and_any_cache_size(names, texts, n_lines):
    """Each text twice, and more of them once, so that cached counts are used with other neighbours."""
    encoders, together = forked(names), CountingTogether(n_lines=n_lines)
    for given_texts in ([*texts, *texts], ["x" + text for text in texts], ["".join(texts)]):
        given_texts = [text.encode(errors="replace").decode() for text in given_texts]
        found = together.count(encoders, [text.encode() for text in given_texts])
        assert found.items() <= counts(names, given_texts).items()
        assert len(found) >= len(names) - 2  # one may normalize, and a fifth stay alone


@pytest.mark.parametrize("n_letters", [5, 14, 15, 16, 40, 63, 64, 200])
def test_segments_of_any_length_are_counted_even_if_lists_fill_up(n_letters):
    draw = random.Random(n_letters)
    tails = ("".join(draw.choices("abcdefgh", k=n_letters)) for _ in range(20_000))
    words = ["sameword"[: n_letters - 5] + tail[-max(5, n_letters - 8) :] for tail in tails]
    text = "".join(draw.choice([" ", ".", "\n", "  ", "Q", "é"]) + word for word in words)
    names = SEVERAL[:3]
    found = CountingTogether().count(forked(names), [text.encode()])
    assert found == counts(names, [text])


@pytest.mark.parametrize("blank", [" ", "\t", " \t", "  \n"])
def test_white_space_of_any_length_after_any_text_is_counted(blank):
    """The cache knows how many spaces end a segment; other white space is different."""
    beginnings = (
        "",
        "\n",
        ":\n",
        "x = (\n\n",
        "'s\n",
        "fourteen_bytes",
        "fifteen_letters",
        "seventeen.letters\n",
    )
    blanks = [begin + (blank * n)[:n] for n in range(70) for begin in beginnings]
    pieces = [text + end for text in blanks for end in ("a", ".b", "\n", "1")]
    names, together = ["gpt2", "cl100k_base", "o200k_base", "mistral_tekken"], CountingTogether()
    encoders = forked(names)
    for text in ("".join(pieces), "".join(random.Random(1).sample(3 * pieces, len(pieces)))):
        assert together.count(encoders, [text.encode()]) == counts(names, [text])


def test_an_interrupted_count_does_not_affect_the_next(monkeypatch):
    names, text = SEVERAL[:3], "def add(one, other): return one + other\n" * 50
    together, encoders = CountingTogether(), forked(names)
    with monkeypatch.context() as patch:
        patch.setattr(CompiledEncoder, "count_listed", _no_room)
        with pytest.raises(MemoryError):
            together.count(encoders, [text.encode()])
    assert together.count(encoders, [text.encode()]) == counts(names, [text])


def _no_room(*_arguments):
    raise MemoryError


def test_a_segment_cut_differently_inside_is_another_segment():
    """Each pattern cuts the numbers of "a12345" elsewhere, depending on the text before."""
    names = ["gpt2", "cl100k_base", "mistral_tekken"]
    together, encoders = CountingTogether(), forked(names)
    for text in ("a 1234567 b" * 30, "a 1 1234567 b" * 30, "a    b\n   b   c" * 30, "it's 's 'S's I'LL" * 30):
        assert together.count(encoders, [text.encode()]) == counts(names, [text])


def test_many_encoders_and_those_that_cannot_count_together_are_counted():
    names = [*SEVERAL, "bert_uncased", "characters"]
    texts = ["e\u0301 is not é <|endoftext|>", "def f(x): return x12345\n" * 40, ""]
    allowed = frozenset(["<|endoftext|>"])
    own = [encoder_of(get_tokenizer(name)) for name in names] + [
        encoder_of(load_openai("gpt2"), allowed_special=allowed)
    ]
    found = TextCounter(own).count(texts)
    assert found[:-1] == [sum(len(get_tokenizer(name).encode(text)) for text in texts) for name in names]
    assert found[-1] == sum(len(load_openai("gpt2").encoding.encode(t, allowed_special="all")) for t in texts)
