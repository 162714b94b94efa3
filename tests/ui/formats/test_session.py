"""What the formats page keeps, and its share links."""

import pytest

from playground.catalog.registry import get_tokenizer
from playground.core.errors import PlaygroundError
from playground.formats.scaling import row_points, with_n_rows
from playground.formats.values import WriteOptions
from playground.ui.formats.session import FormatSession

GPT2, O200K = get_tokenizer("gpt2"), get_tokenizer("o200k_base")


def test_a_change_of_tokenizer_converts_nothing():
    session = FormatSession()
    session.table('[{"a": 1}]', None, WriteOptions(), [GPT2])
    before = session.conversions
    table = session.table('[{"a": 1}]', None, WriteOptions(), [O200K, GPT2])
    assert session.conversions is before
    assert list(table.n_tokens) == ["o200k_base", "gpt2"]
    session.table('[{"a": 1}]', None, WriteOptions(is_sorted=True), [GPT2])
    sorted_keys = session.conversions
    session.table('[{"a": 2}]', None, WriteOptions(is_sorted=True), [GPT2])
    assert before is not sorted_keys is not session.conversions


def test_what_escapes_cost():
    session = FormatSession()
    session.table('{"a": "日本語"}', None, WriteOptions(), [GPT2])
    plain = len(GPT2.encode('{"a":"日本語"}'))
    escaped = len(GPT2.encode(r'{"a":"\u65e5\u672c\u8a9e"}'))
    assert session.escape_counts(GPT2, WriteOptions()) == (plain, escaped)
    session.table("[1]", None, WriteOptions(), [GPT2])
    assert session.escape_counts(GPT2, WriteOptions()) is None


def test_bad_input_keeps_what_was_there():
    session = FormatSession()
    session.table("[1]", None, WriteOptions(), [GPT2])
    before = session.conversions
    with pytest.raises(PlaygroundError):
        session.table("[1", None, WriteOptions(), [GPT2])
    assert session.conversions is before
    session.table("[1]", None, WriteOptions(), [GPT2])
    assert session.conversions is before


def test_roles_sum_and_growth_is_made_once():
    session = FormatSession()
    table = session.table('[{"a": 1, "b": "x"}]', None, WriteOptions(), [O200K])
    for name, parts in session.roles(O200K).items():
        assert sum(parts.values()) == table.n_tokens["o200k_base"][name]
    first = session.growth(O200K, ["csv", "yaml"], WriteOptions(), row_points, with_n_rows)
    assert session.growth(O200K, ["csv", "yaml"], WriteOptions(), row_points, with_n_rows) is first
