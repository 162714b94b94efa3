"""Details of a token, and the ways in which further text may change the last tokens."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.analysis.token_details import character_name, describe_token, find_unstable, split_unstable
from playground.catalog.extended import with_own_special_tokens
from playground.catalog.openai import load_openai
from playground.catalog.ranked import RankedTokenizer
from playground.catalog.registry import get_tokenizer
from playground.core.tokenizer import segment


def details_of(tokenizer, segmentation):
    for token in segmentation.tokens:
        touched = segmentation.text[token.char_start : token.char_end].encode()
        first = len(segmentation.text[: token.char_start].encode())
        yield (
            token,
            describe_token(tokenizer, token, touched=touched, touched_start=first, n_occurrences=1),
        )


@pytest.mark.parametrize("name", ["gpt2", "o200k_base", "qwen3", "utf8_bytes", "characters"])
@given(text=st.text(max_size=30) | st.sampled_from(["👨‍👩‍👧‍👦 é́", "नमस्ते\r\n", "\x00\x85\ufeff", " 안녕 "]))
@settings(max_examples=12, deadline=None)
def test_every_tokens_card_agrees_with_the_text(name, text):
    tokenizer = get_tokenizer(name)
    for token, details in details_of(tokenizer, segment(tokenizer, text)):
        assert bytes.fromhex(details.hex) == token.raw
        assert details.text is None or details.text.encode() == token.raw
        assert (details.id, details.byte_end - details.byte_start) == (token.id, len(token.raw))
        assert details.character == text[details.char_start : details.char_end]
        partial = [point for point in details.code_points if " bytes)" in point.name]
        whole = [chr(int(point.code_point[2:], 16)) for point in details.code_points if point not in partial]
        held = sum(int(point.name.split("(")[1].split()[0]) for point in partial)
        assert sum(len(character.encode()) for character in whole) + held == len(token.raw)
        assert bool(partial) == (details.text is None)
        word = (details.text or "").strip()
        assert {word, f" {word}"} <= {variant.text for variant in details.variants} or not word
        for variant in details.variants:
            assert list(variant.ids) == tokenizer.encode(variant.text)


@given(st.characters(exclude_categories=["Cs"]))
def test_every_character_has_a_name(character):
    name = character_name(character)
    assert name == unicodedata.name(character, name) != ""


def test_a_special_token_has_neither_rank_nor_variants():
    tokenizer = with_own_special_tokens(get_tokenizer("gpt2"), ("<|user|>",))
    allowed = frozenset(tokenizer.special_tokens)
    segmentation = segment(tokenizer, "a<|user|>", allowed_special=allowed)
    _, details = list(details_of(tokenizer, segmentation))[-1]
    assert (details.is_special, details.rank, details.variants) == (True, None, ())
    assert details.text == "<|user|>"


def test_the_ranks_of_gpt2_are_its_ids():
    gpt2 = get_tokenizer("gpt2")
    ranks = {details.id: details.rank for _, details in details_of(gpt2, segment(gpt2, "Egg salad"))}
    assert ranks == {36: 36, 1130: 1130, 20698: 20698}


def test_each_character_has_its_bytes_in_utf8_utf16_and_utf32():
    gpt2 = get_tokenizer("gpt2")
    for _, details in details_of(gpt2, segment(gpt2, "né 안👋")):
        for point in details.code_points:
            character = chr(int(point.code_point[2:], 16))
            for written, encoding in (
                (point.utf8, "utf-8"),
                (point.utf16, "utf-16-be"),
                (point.utf32, "utf-32-be"),
            ):
                assert bytes.fromhex(written).decode(encoding) == character
    (*_, hand) = details_of(gpt2, segment(gpt2, "👋"))
    assert (hand[1].code_points[0].utf16, hand[1].code_points[0].utf32) == ("D8 3D DC 4B", "00 01 F4 4B")


@pytest.mark.parametrize(
    ("name", "text", "spelled", "is_in_byte_letters"),
    [
        ("gpt2", " caf", ["Ġcaf"], True),
        ("gpt2", "안", ["ì", "ķ", "Ī"], True),
        ("o200k_base", "\n", ["Ċ"], True),
        ("bert_uncased", "unaffable", ["una", "##ffa", "##ble"], False),
        ("mistral_v1", "jam jam", ["▁jam", "▁jam"], False),
    ],
)
def test_a_card_has_the_tokens_spelling_in_its_file(name, text, spelled, is_in_byte_letters):
    tokenizer = get_tokenizer(name)
    said = [details for _, details in details_of(tokenizer, segment(tokenizer, text))]
    assert [details.spelled for details in said] == spelled
    assert {details.is_in_byte_letters for details in said} == {is_in_byte_letters}


ENDS = st.text(st.sampled_from("ab .,!\né안1'st"), min_size=1, max_size=12)


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base"])
@given(start=ENDS, end=ENDS, more=ENDS)
def test_stable_tokens_stay_whatever_follows(name, start, end, more):
    tokenizer, text = get_tokenizer(name), start + "Egg " + end
    unstable = find_unstable(tokenizer, text)
    if unstable is not None:
        ids = list(tokenizer.encode(text))
        n_stable = len(ids) - unstable.n_tokens
        assert list(tokenizer.encode(text + more))[:n_stable] == ids[:n_stable]
        rest = tokenizer.decode(ids[n_stable:])
        assert all(completion.startswith(rest.rstrip("\ufffd")) for completion in unstable.first)


def test_completions_are_the_tokens_that_begin_with_the_rest():
    gpt2 = load_openai("gpt2")
    unstable = find_unstable(gpt2, "Hello worl", max_shown=1_000)
    assert unstable is not None
    begins = {raw.decode() for raw in gpt2.mergeable_ranks if raw.startswith(b" worl")}
    assert begins <= {*unstable.first}
    assert unstable.n_completions == len(unstable.first)
    assert unstable.first[0] == " world"


def test_completions_depend_only_on_the_end_of_a_text():
    text = "Hello there. " * 5_000 + "Hello worl"
    assert find_unstable(load_openai("gpt2"), text) == find_unstable(load_openai("gpt2"), "Hello worl")


def test_completions_are_unknown_for_long_words_and_other_tokenizers():
    gpt2 = load_openai("gpt2")
    assert find_unstable(gpt2, "") is None
    assert find_unstable(gpt2, "x" * 41) is None
    assert find_unstable(gpt2, "x" * 2_000) is None
    assert find_unstable(gpt2, "a" + " " * 5) is None
    assert find_unstable(get_tokenizer("bert_uncased"), "hel") is None


def test_completions_are_right_for_ids_that_do_not_begin_at_0():
    tekken = get_tokenizer("mistral_tekken")
    assert isinstance(tekken, RankedTokenizer)
    unstable = find_unstable(tekken, "Hello worl")
    assert unstable is not None
    assert unstable.first[0] == " world"
    n_stable, completions = split_unstable(tekken, "Hello worl")
    assert n_stable == len(tekken.encode("Hello worl")) - unstable.n_tokens
    assert len(completions) == unstable.n_completions
