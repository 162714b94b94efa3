"""What the formats page keeps, and its share links."""

import csv
import io

import pytest

from playground.catalog.registry import get_tokenizer
from playground.core.errors import LimitExceededError, PlaygroundError
from playground.formats.costs import measure
from playground.formats.offloading import write_data
from playground.formats.values import WriteOptions
from playground.ui.formats import session as session_module
from playground.ui.formats.session import FormatSession
from playground.ui.formats.views import _table_csv
from tests.ui.visits import learned

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


def test_what_escapes_cost_is_asked_only_where_there_are_any(monkeypatch):
    written = []

    def noted(data, name, options, **how):
        written.append(options.is_ascii)
        return write_data(data, name, options, **how)

    monkeypatch.setattr(session_module, "write_data", noted)
    for text, is_ascii, n_written in (
        ('["a"]', False, 0),
        ('["a"]', True, 0),
        ('["é"]', False, 1),
        ('["é"]', True, 1),
        (r'["\\u00e9"]', True, 1),
    ):
        written.clear()
        session = FormatSession()
        options = WriteOptions(is_ascii=is_ascii)
        session.table(text, None, options, [GPT2])
        found = session.escape_counts(GPT2, options)
        assert (found is None) == ("é" not in text)
        assert written == [not is_ascii] * n_written
        if found is not None:
            assert found == (len(GPT2.encode('["é"]')), len(GPT2.encode(r'["\u00e9"]')))

    def too_long(*_what, **_how):
        raise LimitExceededError("too long")

    monkeypatch.setattr(session_module, "write_data", too_long)
    session = FormatSession()
    session.table('["é"]', None, WriteOptions(), [GPT2])
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
    for division in session.roles(O200K):
        assert division.parts is not None
        assert sum(division.parts.values()) == table.n_tokens["o200k_base"][division.format_name]
    first = session.growth(O200K, ["csv", "yaml"], WriteOptions(), "rows")
    assert session.growth(O200K, ["csv", "yaml"], WriteOptions(), "rows") is first
    fewer, _ = session.growth(O200K, ["yaml"], WriteOptions(), "rows")
    deeper, _ = session.growth(O200K, ["csv", "yaml"], WriteOptions(), "depth")
    assert {point.format_name for point in first[0]} == {"csv", "yaml"} != {p.format_name for p in fewer}
    assert deeper != first[0]


def test_other_data_and_another_tokenizer_of_one_name_are_divided_anew():
    session = FormatSession()
    one, other = learned("mine", "a b c"), learned("mine", '[{"city": "Oslo"}]' * 9)
    counts = []
    for text, tokenizer in (('[{"city": "Oslo"}]', one), ('[{"x": 1}]', one), ('[{"x": 1}]', other)):
        table = session.table(text, None, WriteOptions(), [tokenizer])
        counts.append(table.n_tokens["mine"])
        for division in session.roles(tokenizer):
            assert division.parts is not None
            assert sum(division.parts.values()) == counts[-1][division.format_name]
    assert counts[0] != counts[1] != counts[2]


def test_data_is_read_anew_where_it_is_to_be_read_as_something_else():
    session = FormatSession()
    for name in ("JSON", "YAML"):
        session.table('{"a": 1}', name, WriteOptions(), [GPT2])
        assert session.document is not None
        assert session.document.input_format == name


def test_a_table_for_a_spreadsheet_has_prices_of_a_thousand_calls():
    table = measure([{"a": 1, "b": "x"}], [GPT2], formats=["json_pretty", "json_compact", "csv"])
    counts = table.n_tokens["gpt2"]
    rows = {row["format"]: row for row in csv.DictReader(io.StringIO(_table_csv(table, 2.5)))}
    assert [*rows] == ["json_pretty", "json_compact", "csv"]
    for name, row in rows.items():
        assert row["gpt2 tokens"] == str(counts[name])
        assert float(row["gpt2 $ per 1,000 calls"]) == pytest.approx(counts[name] * 1_000 * 2.5 / 1_000_000)
        change = counts[name] / counts["json_compact"] - 1
        assert float(row["gpt2 vs compact"]) == pytest.approx(change, abs=1e-4)
