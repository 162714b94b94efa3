"""Shapes accept what they describe, and errors name what does not fit."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.core.errors import InvalidInputError
from playground.server.shapes import (
    Optional,
    Shape,
    array,
    boolean,
    integer,
    one_of,
    or_null,
    parse_json,
    string,
)

MESSAGE = Shape({"role": string(max_chars=3), "n": Optional(integer(0, 9), 1)})
SHAPE = Shape(
    {
        "messages": array(MESSAGE.check, max_items=2),
        "is_on": Optional(or_null(boolean), False),
        "kind": Optional(one_of("a", "b"), "a"),
    }
)


def test_valid_values_are_returned_with_defaults():
    body = {"messages": [{"role": "abc"}, {"role": "", "n": 9}], "is_on": None}
    messages = [{"role": "abc", "n": 1}, {"role": "", "n": 9}]
    assert SHAPE.read(json.dumps(body).encode()) == {"messages": messages, "is_on": None, "kind": "a"}


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ([], "the value must be an object with messages, is_on, kind, and is a list of 0"),
        ({}, "messages is missing"),
        ({"messages": {}}, "messages must be a list, and is an object"),
        ({"messages": [{}] * 3}, "messages must be a list of at most 2, and is a list of 3"),
        ({"messages": [7]}, "messages[0] must be an object with role, n, and is 7"),
        ({"messages": [{"role": ""}, {}]},
         "messages[1].role is missing"),
        ({"messages": [{"role": "abcd"}]}, "messages[0].role must be a string of at most 3 characters"),
        ({"messages": [{"role": "", "n": 10}]}, "messages[0].n must be an integer from 0 to 9, and is 10"),
        ({"messages": [{"role": "", "n": -1}]}, "and is -1"),
        ({"messages": [{"role": "", "n": 1.0}]}, "and is 1.0"),
        ({"messages": [{"role": "", "n": True}]}, "and is true"),
        ({"messages": [], "is_on": 1}, "is_on must be true or false, and is 1"),
        ({"messages": [], "kind": "c"}, "kind must be one of a, b, and is 'c'"),
        ({"messages": [], "kind": ["a"]}, "kind must be one of a, b, and is a list of 1"),
        ({"messages": [], "more": 1}, "unknown field 'more'; the fields are messages, is_on, kind"),
        ({"messages": [{"role": "x" * 10_000}]}, "x'…"),
    ],
)  # fmt: skip
def test_an_invalid_value_is_named(value, sentence):
    with pytest.raises(InvalidInputError) as caught:
        SHAPE.check(value)
    assert sentence in str(caught.value)
    assert len(str(caught.value)) < 300


@given(st.binary(max_size=20) | st.text(max_size=20).map(str.encode))
def test_any_bytes_are_parsed_as_json_or_refused(body):
    try:
        value = parse_json(body)
    except InvalidInputError as error:
        assert str(error)  # noqa: PT017
    else:
        assert value == json.loads(body)


@pytest.mark.parametrize(
    ("body", "word"),
    [(b"\xff", "byte 0"), (b"[" * 200_000, "nested too deeply"), (b"9" * 5_000, "5000 digits$"),
     (b"NaN", "NaN is not a number"), (b"[-Infinity]", "-Infinity is not a number")],
)  # fmt: skip
def test_difficult_json_is_parsed_or_refused(body, word):
    with pytest.raises(InvalidInputError, match=word):
        parse_json(body)
