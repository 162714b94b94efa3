"""Ids are read in any notation, and the first invalid one is named with its position."""

import json

import numpy as np
import pandas as pd
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
    ("text", "shown", "line", "column"),
    [
        ("12, x3", "x3", 1, 5),
        ("[1,\n '2']", "'2'", 2, 2),
        ("١٢", "١٢", 1, 1),
        ("1\x002", "1\x002", 1, 1),
        ("9" * 13, "9" * 13, 1, 1),
        ("9" * 100_000, "9" * 20 + "…", 1, 1),
        ('{"ids": [1, -1]}', "-1", 1, 13),
        ('{"words": [1, 2]}', '"words":', 1, 2),
        ('{"ids": ' + "[" * 100_000, '"ids":', 1, 2),
        ("id  token\n 1      a\n x      b", "x", 3, 2),
        ("tensor([1, 2, ..., 9])", "...", 1, 15),
    ],
)
def test_the_first_word_that_is_not_an_id_is_named_with_its_place(text, shown, line, column):
    with pytest.raises(InvalidInputError) as caught:
        parse_ids(text)
    assert f"“{shown}” (line {line}, column {column}) " in str(caught.value)
    assert len(str(caught.value)) < 300


@given(ids=ids_lists)
def test_the_ids_in_copied_json_are_read_back(ids):
    tokenizer = get_tokenizer("gpt2")
    assert parse_ids(json_snippet(tokenizer, "a [1] text", ids)) == ids
    assert parse_ids(json.dumps({"tokenizer": "gpt2", "ids": ids, "text": '"ids": [7]'}, indent=2)) == ids


def _table(ids):
    return pd.DataFrame({"token": [" a b", "é", "12"][: len(ids)], "token_id": ids, "length": 1.5})


#: How libraries print a list of ids.
PRINTS = {
    "NumPy": lambda ids: str(np.array(ids)),
    "NumPy's repr": lambda ids: repr(np.array([ids], np.int64)),
    "NumPy's numbers": lambda ids: repr([*map(np.int64, ids)]),
    "PyTorch": lambda ids: f"tensor([{ids}], device='cuda:0')",
    "TensorFlow": lambda ids: f"<tf.Tensor: shape=(1, 3), dtype=int32, numpy=array([{ids}], dtype=int32)>",
    "transformers": lambda ids: (
        f"{{'token_type_ids': tensor([[0]]), 'input_ids': tensor([{ids}]), 'mask': [1]}}"
    ),
    "a call": lambda ids: f"model(attention_mask=[1], input_ids={ids})",
    "an object": lambda ids: json.dumps({"text": '"ids": [7]', "ids": ids, "count": 3}),
    "rows": lambda ids: _table(ids).to_json(orient="records"),
    "pandas": lambda ids: _table(ids).to_string(),
    "a column of pandas": lambda ids: str(_table(ids).token_id),
    "CSV": lambda ids: _table(ids).to_csv(),
    "Markdown": lambda ids: "| token | id |\n|---|--:|\n" + "".join(f"| a | {n} |\n" for n in ids),
    "Polars": lambda ids: (
        "│ token ┆ id  │\n│ ---   ┆ --- │\n│ str   ┆ i64 │\n╞═══╪═══╡\n"
        + "".join(f"│ a     ┆ {n} │\n" for n in ids)
    ),
}


@pytest.mark.parametrize("name", PRINTS)
@given(ids=st.lists(st.integers(0, 10**9), min_size=2, max_size=3))
def test_ids_are_read_from_what_libraries_print(name, ids):
    assert parse_ids(PRINTS[name](ids)) == ids


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
