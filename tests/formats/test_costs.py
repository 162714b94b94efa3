"""Costs, advice and scaling, against counts made the obvious way."""

import json

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from playground.catalog.baselines import ByteTokenizer
from playground.catalog.registry import get_tokenizer
from playground.formats import scaling
from playground.formats.conversion import write
from playground.formats.costs import cost_rows, measure
from playground.formats.example_data import EXAMPLE_DATA
from playground.formats.reading import read_document
from playground.formats.registry import FORMATS
from playground.formats.scaling import (
    Point,
    at_depth,
    depth_points,
    find_crossovers,
    row_points,
    with_n_rows,
)
from playground.formats.values import WriteOptions
from tests.formats.strategies import JSON_DATA, RECORDS

ROWS = read_document(EXAMPLE_DATA["Table of rows"]()).data
MAIN = ["json_pretty", "yaml", "json_compact", "csv"]


@pytest.mark.parametrize(("read_as", "kinds"), [("CSV", set()), ("JSON", {"nulls", "types"})])
def test_a_csv_loses_nulls_and_types_only_of_data_that_had_them(read_as, kinds):
    table = measure([{"a": "", "b": "7"}, {"a": "x", "b": "8"}], [ByteTokenizer()], read_as=read_as)
    assert {loss.kind for loss in table.conversion("csv").losses} == kinds


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base"])
def test_twenty_rows_have_the_order_that_others_measured(name):
    tokenizer = get_tokenizer(name)
    counts = measure(ROWS, [tokenizer], formats=MAIN).n_tokens[name]
    assert counts["json_pretty"] > counts["yaml"] > counts["json_compact"] > counts["csv"]
    if name == "gpt2":
        assert counts["json_pretty"] > 2 * counts["yaml"]
    assert counts["json_pretty"] == len(tokenizer.encode(json.dumps(ROWS, indent=2, ensure_ascii=False)))
    plain = yaml.safe_dump(ROWS, sort_keys=False, allow_unicode=True).rstrip("\n")
    assert counts["yaml"] == len(tokenizer.encode(plain))


def test_progress_ends_at_one_and_rows_are_plain():
    seen: list[float] = []
    table = measure({"a": None}, [get_tokenizer("gpt2")], on_progress=lambda part, _: seen.append(part))
    assert seen == sorted(seen)
    assert seen[-1] == 1
    rows = cost_rows(table)
    assert [row["format"] for row in rows] == list(FORMATS)
    assert json.loads(json.dumps(rows)) == rows
    compact = next(row for row in rows if row["format"] == "json_compact")
    assert compact["bytes"] == len('{"a":null}')
    csv = next(row for row in rows if row["format"] == "csv")
    assert (csv["fidelity"], csv["bytes"], csv["tokens"]) == ("cannot", None, {"gpt2": None})


def test_crossovers_of_rows_and_depth_are_exact():
    tokenizer = get_tokenizer("o200k_base")
    data = [{"key": "x", "n": 1}, {"key": "y", "n": 2}]
    names = ["json_compact", "csv", "toon", "yaml"]
    points = row_points(data, tokenizer, names)
    assert {point.n for point in points} == {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000}
    crossings = find_crossovers(data, points, tokenizer)
    assert crossings
    for crossing in crossings:
        counts = measure(with_n_rows(data, crossing.n), [tokenizer]).n_tokens["o200k_base"]
        before = measure(with_n_rows(data, crossing.n - 1), [tokenizer]).n_tokens["o200k_base"]
        assert counts[crossing.cheaper] < counts[crossing.dearer]
        assert before[crossing.cheaper] >= before[crossing.dearer]
    deep = [point.n_tokens for point in depth_points(data, tokenizer, ["json_compact"])]
    assert deep == sorted(deep)


class LengthTokenizer(ByteTokenizer):
    """A token for each started ten bytes: formats are often level."""

    def encode(self, text, **_):
        return [0] * -(-len(text.encode()) // 10)


@pytest.fixture(scope="class")
def few_rows():
    """For one test, whose Hypothesis wants it to live longer than an example does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scaling, "ROW_COUNTS", (1, 2, 5))
        yield


@settings(max_examples=25, deadline=None)
@given(
    data=st.one_of(JSON_DATA, RECORDS), tokenizer=st.sampled_from([get_tokenizer("gpt2"), LengthTokenizer()])
)
@example(data=[1], tokenizer=get_tokenizer("o200k_base"))
def test_a_tie_is_no_crossover(few_rows, data, tokenizer):
    names = ["yaml", "toon", "csv", "json_compact"]
    points = row_points(data, tokenizer, names)
    for n, cheaper, dearer in find_crossovers(data, points, tokenizer):
        at, before = (
            [
                len(tokenizer.encode(write(with_n_rows(data, size), FORMATS[name], WriteOptions())))
                for name in (cheaper, dearer)
            ]
            for size in (n, n - 1)
        )
        assert at[0] < at[1]
        assert before[0] >= before[1]


def test_a_crossover_counts_only_when_a_format_becomes_cheaper():
    """Level, ahead, level and ahead again: it is passed once."""
    costs = {"yaml": [5, 5, 5, 5, 5], "csv": [5, 4, 5, 4, 6]}
    points = [
        Point(name, n, tokens) for name, counts in costs.items() for n, tokens in enumerate(counts, start=1)
    ]
    found = find_crossovers([{"a": 1}], points, get_tokenizer("gpt2"))
    assert found == [(2, "csv", "yaml"), (5, "yaml", "csv")]


@settings(max_examples=30, deadline=None)
@given(rows=st.lists(st.integers(), min_size=1, max_size=30), n=st.integers(1, 60))
def test_samples_repeat_only_when_the_rows_run_out(rows, n):
    sample = with_n_rows(rows, n)
    assert len(sample) == n
    assert with_n_rows(rows, n) == sample
    assert all(sample.count(row) >= rows.count(row) * (n // len(rows)) for row in rows)


@given(depth=st.integers(1, 30))
def test_data_at_a_depth_has_that_depth(depth):
    text = json.dumps(at_depth([{"a": 1}], depth))
    assert text.count("{") == depth
