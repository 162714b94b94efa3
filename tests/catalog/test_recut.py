"""Tokenizers with another pattern: each piece is merged as tiktoken merges it alone."""

from functools import partial

import pytest
import regex
from hypothesis import given, settings

from playground.analysis.shown_tokens import python_snippet
from playground.bpe import typed_patterns
from playground.bpe.split_pattern import SPLIT_PATTERNS
from playground.catalog.openai import load_openai
from playground.catalog.recut import RecutTokenizer, recut
from playground.catalog.registry import get_tokenizer
from playground.core.errors import CannotHoldError, InvalidInputError
from tests.analysis.test_shown_tokens import run
from tests.analysis.texts import texts
from tests.catalog.kinds import trained_by_pair, trained_by_rank

OWN = r"\w+|[^\w\s]"


def by_hand(name: str, expression: str, text: str) -> list[int]:
    merge = load_openai(name).encoding._core_bpe.encode_single_piece
    ids: list[int] = []
    position = 0
    for match in [*regex.finditer(expression, text), None]:
        start, end = match.span() if match else (len(text), len(text))
        for piece in (text[position:start], text[start:end]):
            ids += merge(piece.encode()) if piece else []
        position = end
    return ids


@given(text=texts())
@settings(max_examples=20)
def test_a_typed_pattern_cuts_and_unmatched_text_is_kept(text):
    text = text.encode("utf-8", "replace").decode()
    assert recut(get_tokenizer("gpt2"), OWN, ()).encode(text) == by_hand("gpt2", OWN, text)


def test_an_alternative_that_is_off_takes_nothing():
    digits_off = recut(get_tokenizer("gpt2"), "", [2])
    text = "Hello've world123 1"
    pieces = [pretoken.text for pretoken in digits_off.iter_pretokens(text)]
    assert pieces == ["Hello", "'ve", " world", "123", " ", "1"]
    assert [*digits_off.encode(text)] == by_hand("gpt2", str(digits_off.split_pattern), text)
    assert digits_off.safe_cut is None
    nothing = recut(get_tokenizer("gpt2"), "", range(7))
    assert [pretoken.text for pretoken in nothing.iter_pretokens(text)] == [text]
    assert [*nothing.encode(text)] == load_openai("gpt2").encoding._core_bpe.encode_single_piece(
        text.encode()
    )


def test_the_pattern_of_another_keeps_its_safe_cuts():
    like_cl100k = recut(get_tokenizer("gpt2"), SPLIT_PATTERNS["cl100k"], ())
    assert like_cl100k.safe_cut == get_tokenizer("cl100k_base").safe_cut
    assert [*like_cl100k.encode("12345")] == by_hand("gpt2", r"\d{1,3}", "12345")


@pytest.mark.parametrize("make", [trained_by_rank, trained_by_pair, partial(get_tokenizer, "o200k_base")])
def test_a_long_piece_is_merged_as_a_short_one(make):
    tokenizer = make()
    whole = recut(tokenizer, "", range(9))
    short = "the cat 안녕 12"
    assert isinstance(whole, RecutTokenizer)
    assert [*whole.encode(short)] == [*tokenizer.merges.build(short.encode()).ids]
    long = short * 1_000
    assert whole.decode(whole.encode(long)) == long
    assert [*whole.encode(long)] == [*tokenizer.merges.build(long.encode()).ids]


def test_tokenizers_that_cannot_be_recut_are_refused(monkeypatch):
    monkeypatch.setattr(typed_patterns, "MAX_SECONDS", 0.2)
    gpt2 = get_tokenizer("gpt2")
    assert recut(gpt2, "", ()) is gpt2
    for name in ("bert_uncased", "qwen3", "utf8_bytes", "mistral_v1"):
        with pytest.raises(InvalidInputError, match=f"{name} has no split pattern that could be another"):
            recut(get_tokenizer(name), "a", ())
    for wrong in ("(", "a*", "(a|aa)+b"):
        with pytest.raises(InvalidInputError, match="the pattern"):
            recut(gpt2, wrong, ())
    with pytest.raises(CannotHoldError, match="by-pair"):
        recut(trained_by_pair(), "a", ()).python_program()


def test_the_python_program_gives_the_same_ids():
    text = "ab, ba 12\n\nunmatched ünï 안녕"
    tokenizer = recut(get_tokenizer("cl100k_base"), OWN, ())
    ids = list(tokenizer.encode(text))
    assert run(python_snippet(tokenizer, [text], len(ids))) == str(ids)
    uncut = recut(tokenizer.base, "", range(8)) if isinstance(tokenizer, RecutTokenizer) else tokenizer
    whole = list(uncut.encode(text))
    assert run(python_snippet(uncut, [text], len(whole))) == str(whole) != str(ids)
