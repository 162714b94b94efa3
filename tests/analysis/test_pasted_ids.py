"""Ids are read in any notation, and the first invalid one is named with its position."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.analysis.pasted_ids import decode_ids, parse_ids
from playground.analysis.shown_tokens import json_snippet
from playground.catalog.openai import load_openai
from playground.catalog.registry import get_tokenizer
from playground.core.errors import InvalidInputError, TextTooLongError, UnknownTokenError

ids_lists = st.lists(st.integers(0, 10**11))


@given(ids=ids_lists, separator=st.text(st.sampled_from(" ,;\n\t\r[](){}"), min_size=1, max_size=4))
def test_ids_are_read_in_any_notation(ids, separator):
    assert parse_ids(separator.join(map(str, ids))) == ids
    assert parse_ids(json.dumps(ids)) == parse_ids(json.dumps(ids, indent=2)) == ids
    assert parse_ids(str(tuple(ids))) == parse_ids(f"  {separator}{ids}\n") == ids


@pytest.mark.parametrize(
    ("text", "shown", "position"),
    [
        ("12, x3", "x3", 5),
        ("[1, '2']", "'2'", 5),
        ("١٢", "١٢", 1),
        ("1\x002", "1\x002", 1),
        ("9" * 13, "9" * 13, 1),
        ("9" * 100_000, "9" * 20 + "…", 1),
    ],
)
def test_the_first_word_that_is_not_an_id_is_named_with_its_position(text, shown, position):
    with pytest.raises(InvalidInputError) as caught:
        parse_ids(text)
    assert f"“{shown}” at position {position} " in str(caught.value)
    assert len(str(caught.value)) < 300


@given(ids=ids_lists)
def test_the_ids_in_copied_json_are_read_back(ids):
    tokenizer = get_tokenizer("gpt2")
    assert parse_ids(json_snippet(tokenizer, "a [1] text", ids)) == ids
    assert parse_ids(json.dumps({"tokenizer": "gpt2", "ids": ids, "text": '"ids": [7]'}, indent=2)) == ids


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"ids": [1, -1]}', "“-1” at place 2 of “ids” is not an id"),
        ('{"tokens": [1, 2]}', "at position 2 is not an id"),
        ('{"ids": ' + "[" * 100_000, "at position 2 is not an id"),
    ],
)
def test_an_object_without_a_list_of_ids_is_refused(text, said):
    with pytest.raises(InvalidInputError) as caught:
        parse_ids(text)
    assert said in str(caught.value)


@pytest.mark.parametrize("text", ["", "[ , ]", '{"ids": []}'])
def test_empty_input_has_no_ids(text):
    assert parse_ids(text) == []


def test_too_many_ids_are_refused_before_they_are_read():
    assert len(parse_ids("1 " * 1_000, max_ids=1_000)) == 1_000
    assert len(parse_ids("1 " * 1_001, max_ids=None)) == 1_001
    with pytest.raises(TextTooLongError, match="1,000"):
        parse_ids("1 " * 1_001 + "no id", max_ids=1_000)


@given(text=st.text())
def test_any_text_is_read_or_refused(text):
    try:
        ids = parse_ids(text)
    except InvalidInputError:
        return
    assert set(text) <= set("0123456789 ,;[](){}") | {c for c in text if c.isspace()}
    assert all(token_id >= 0 for token_id in ids)


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
@given(data=st.data())
def test_bytes_of_ids_equal_those_of_tiktoken(name, data):
    encoding = load_openai(name).encoding
    n_ranks = len(encoding._mergeable_ranks)
    ids = data.draw(st.lists(st.integers(0, n_ranks - 1), max_size=30))
    decoded = decode_ids(get_tokenizer(name), ids)
    assert decoded.ids == tuple(ids)
    assert decoded.raw == encoding.decode_bytes(ids)
    assert decoded.lengths == tuple(map(len, encoding.decode_tokens_bytes(ids)))


def test_an_unknown_id_is_named_with_its_place_and_the_valid_range():
    with pytest.raises(UnknownTokenError) as caught:
        decode_ids(get_tokenizer("gpt2"), [1, 2, 50257, 3])
    message = str(caught.value)
    assert "no token 50257" in message
    assert "0 to 50,256" in message
    assert "number 3 in your list" in message
    with pytest.raises(UnknownTokenError, match="100256"):
        decode_ids(get_tokenizer("cl100k_base"), [100256])


def test_ids_that_spell_more_than_a_megabyte_are_refused():
    (spaces,) = get_tokenizer("cl100k_base").encode(" " * 80)
    decode_ids(get_tokenizer("cl100k_base"), [spaces] * 12_500)
    with pytest.raises(TextTooLongError, match=r"1,000,080 bytes.*1,000,000"):
        decode_ids(get_tokenizer("cl100k_base"), [spaces] * 12_501)
