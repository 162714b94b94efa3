import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.analysis.comparison import (
    Agreement,
    ComparisonRow,
    comparison_rows,
    count_agreement,
    cut_text,
    shared_boundaries,
)
from playground.catalog.openai import load_openai
from playground.catalog.registry import get_tokenizer
from playground.core.tokenizer import segment
from playground.core.tokens import Segmentation

NAMES = ("gpt2", "cl100k_base", "o200k_base", "utf8_bytes", "characters", "p50k_base")
TEXTS = st.text(max_size=40) | st.sampled_from(
    [
        "안녕하세요 👩‍👩‍👧 hi",
        "def f(x):\n    return x + 1",
        "नमस्ते",
        "a\r\n\t b",
        "🇺🇳🇳🇴",
        "e\u0301é",
        "a\ud83d",
    ]
)


def rows_of(text: str, names: tuple[str, ...] = NAMES) -> list[ComparisonRow]:
    return comparison_rows(text, [cut_text(get_tokenizer(name), text) for name in names])


def boundaries(segmentation: Segmentation) -> set[int]:
    return {token.byte_start for token in segmentation.tokens} - {0}


def test_counts_are_tiktokens():
    text = "Hello world, 안녕하세요! .DefaultCellStyle  x"
    for row in rows_of(text, NAMES[:3]):
        encoding = load_openai(row.tokenizer_name).encoding
        assert row.n_tokens == len(encoding.encode(text, disallowed_special=()))
        assert row.bytes_per_token == pytest.approx(len(text.encode()) / row.n_tokens)
        assert row.characters_per_token == pytest.approx(len(text) / row.n_tokens)
        assert row.tokens_per_word == row.n_tokens / 5
        assert row.n_vocab == encoding.n_vocab


def test_the_first_row_shares_all_with_itself_and_needs_no_more_than_it():
    first, second = rows_of(".DefaultCellStyle", ("gpt2", "cl100k_base"))
    assert (first.shared_boundaries, first.tokens_against_first) == (1.0, 0)
    assert (second.shared_boundaries, second.tokens_against_first) == (0.0, -3)


def test_an_empty_text_has_rows_of_zeros():
    for row in rows_of(""):
        assert (row.n_tokens, row.bytes_per_token, row.characters_per_token, row.tokens_per_word) == (
            0,
            0,
            0,
            0,
        )
        assert row.shared_boundaries == 1.0
    cuts = [cut_text(get_tokenizer(name), "") for name in NAMES]
    assert count_agreement(cuts) == Agreement(0, 0, 0)


def test_a_single_cut_agrees_with_itself():
    assert count_agreement([cut_text(get_tokenizer("gpt2"), "Egg egg")]) == Agreement(2, 0, 0)


@settings(max_examples=75, deadline=None)
@given(text=TEXTS)
def test_boundaries_are_those_of_the_segmentations(text):
    segmentations = [segment(get_tokenizer(name), text) for name in NAMES]
    cuts = [cut_text(get_tokenizer(name), text) for name in NAMES]
    sets = [boundaries(segmentation) for segmentation in segmentations]
    for cut, segmentation, own in zip(cuts, segmentations, sets, strict=True):
        assert cut.ids.tolist() == list(segmentation.ids)
        assert set(cut.byte_starts[1:].tolist()) == own
        either = sets[0] | own
        assert shared_boundaries(cuts[0], cut) == (len(sets[0] & own) / len(either) if either else 1.0)
    every = set().union(*sets)
    n_found = [sum(position in own for own in sets) for position in every]
    n_all, n_one = n_found.count(len(NAMES)), n_found.count(1)
    assert count_agreement(cuts) == Agreement(n_all, len(every) - n_all - n_one, n_one)
