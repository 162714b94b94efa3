"""Answers are JSON that every browser can read, followed by whole numbers of words."""

import json

import numpy as np
import pytest

from playground.server.packed import pack_columns
from playground.server.wire import columns_response, json_response
from tests.server.browser_side import read_columns


def test_a_number_that_json_lacks_is_not_sent():
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_response({"n": float("nan")})


def test_an_answer_is_not_cached():
    for response in (json_response({"n": 1}), columns_response({"n": 1}, [])):
        assert response.headers["cache-control"] == "no-store"


def test_half_a_surrogate_pair_does_not_break_an_answer():
    assert json.loads(bytes(json_response({"text": "a\ud83d"}).body)) == {"text": "a?"}


@pytest.mark.parametrize("length", range(5))
def test_columns_are_read_back_with_any_header(length):
    columns = [np.arange(3, dtype=np.uint32), np.zeros(0, np.uint32), np.array([2**32 - 1], np.uint32)]
    header, found = read_columns(pack_columns({"é": "x" * length}, columns))
    assert header == {"é": "x" * length}
    assert [column.tolist() for column in found] == [column.tolist() for column in columns]
