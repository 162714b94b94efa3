"""Charts of the Compare page hold the figures they are given, in the order that they say."""

import re
from functools import cache

import pytest

from playground.analysis.comparison import ComparisonRow
from playground.analysis.language_counts import LanguageCount
from playground.catalog.registry import get_tokenizer
from playground.formats.costs import measure
from playground.formats.registry import FORMATS
from playground.formats.scaling import Point
from playground.render.compare_charts import (
    MAX_HISTOGRAM_BYTES,
    languages_chart,
    lengths_chart,
    scripts_chart,
    tokens_chart,
)
from playground.render.format_charts import cost_chart, growth_chart
from playground.render.palette import INK
from playground.render.visible_text import shown_text


def rows_of(chart):
    return [row for data in chart.to_dict()["datasets"].values() for row in data]


def sorts_of(chart):
    return [layer["encoding"]["y"].get("sort") for layer in chart.to_dict()["layer"]]


def test_longer_tokens_are_gathered_in_the_last_bar():
    counts = [0, 256, *range(100, 130)]
    bars = {row["bytes"]: row["tokens"] for row in rows_of(lengths_chart({"mine": counts}, theme="light"))}
    assert [*bars] == [*range(1, MAX_HISTOGRAM_BYTES + 1)]
    assert sum(bars.values()) == sum(counts)
    assert bars[1] == 256


def test_the_scripts_are_those_with_most_tokens_in_any_vocabulary():
    counts = {"a": {"Greek": 1, "Latin": 10, "Thai": 9}, "b": {"Latin": 1, "Greek": 5}}
    chart = scripts_chart(counts, theme="light", n_scripts=2)
    assert chart.to_dict()["encoding"]["y"]["sort"] == ["Latin", "Thai"]
    assert {row["script"] for row in rows_of(chart)} == {"Latin", "Thai"}


def test_languages_stand_by_what_they_cost_the_first_tokenizer():
    costs = {"one": {"A": 1.0, "B": 3.0, "C": 2.0}, "two": {"A": 9.0, "B": 1.0, "C": 5.0}}
    counts = [
        LanguageCount(language, language, name, 10, 10, 10, times)
        for name, by_language in costs.items()
        for language, times in by_language.items()
    ]
    assert sorts_of(languages_chart(counts, theme="light")) == [["B", "C", "A"]] * 2


def test_large_type_gets_room_and_no_tokenizer_loses_its_name():
    rows = [ComparisonRow(name, 256, 1_234_567, 9, 9, 9, 1.0, 0) for name in ("one", "two", "three")]
    normal, large = (tokens_chart(rows, theme="light", type_scale=scale).to_dict() for scale in (1, 1.5))
    assert large["height"] == 1.5 * normal["height"]
    for bars, scale in ((normal, 1), (large, 1.5)):
        axes = bars["layer"][0]["encoding"]
        assert axes["y"]["axis"]["labelOverlap"] is False
        assert axes["x"]["scale"]["rangeMax"]["expr"] == f"width - {(14 + 8 * len('1,234,567')) * scale}"


@cache
def layers_of_costs(scale):
    table = measure([{"zip": "10000"}], [get_tokenizer("gpt2")], formats=["yaml", "json_compact"])
    return cost_chart(table, ["gpt2"], theme="light", type_scale=scale).to_dict()["layer"]


def test_a_long_name_has_its_room_in_large_type():
    counts = [LanguageCount("Chinese, Mandarin (Traditional)", "cmn", "one", 10, 10, 10, 1.0)]
    chart = languages_chart(counts, theme="dark", type_scale=1.5).to_dict()
    assert chart["layer"][0]["encoding"]["y"]["axis"]["labelLimit"] == 1.5 * 220
    said = (chart["config"]["axis"]["labelColor"], chart["config"]["legend"]["labelColor"])
    assert said == (INK["dark"], INK["dark"]), "small type in full ink"


def in_python(expression: str, width: float) -> float:
    """What an expression of Vega with at most one chain of conditions gives."""
    chain = re.compile(r"\((width < [\d.]+) \? ([\d.]+) : (width < [\d.]+) \? ([\d.]+) : ([\d.]+)\)")
    said = chain.sub(r"(\2 if \1 else \4 if \3 else \5)", expression)
    return float(eval(said, {"max": max, "width": width}))


def test_growth_by_rows_is_tokens_a_row():
    points = [Point("yaml", 10, 50), Point("yaml", 100, 400)]
    for is_per_row, expected in ((True, [5, 4]), (False, [50, 400])):
        chart = growth_chart(points, x_title="rows", theme="light", is_per_row=is_per_row)
        assert [row["y"] for row in next(iter(chart.to_dict()["datasets"].values()))] == expected


def test_what_comes_back_equal_stands_first_and_the_cheapest_of_it():
    table = measure(
        [{"zip": "10000", "b": "x"}] * 3, [get_tokenizer("gpt2")], formats=["csv", "yaml", "json_compact"]
    )
    fidelity = {found.format_name: found.fidelity for found in table.conversions}
    assert fidelity["csv"] == "lossy", "and it is the cheapest"
    rows = [row["format"] for row in rows_of_inline(cost_chart(table, ["gpt2"], theme="light"))]
    counts = table.n_tokens["gpt2"]
    assert counts["csv"] < min(counts["yaml"], counts["json_compact"])
    assert len(rows) == 3
    assert rows[-1] == "CSV"


@pytest.mark.parametrize("data", [{"a": 1}, {"a": [1]}, "x"])
def test_of_formats_that_tie_the_one_of_the_advice_stands_first(data):
    table = measure(data, [get_tokenizer("gpt2")])
    counts, best = table.n_tokens["gpt2"], table.cheapest("gpt2")
    assert best is not None
    tied = [name for name, n_tokens in counts.items() if n_tokens == counts[best.format_name]]
    assert best.format_name != min(tied), "another one comes first in the alphabet"
    rows = rows_of_inline(cost_chart(table, ["gpt2"], theme="light"))
    assert rows[0]["format"] == FORMATS[best.format_name].label


def rows_of_inline(chart):
    return next(
        rows for rows in chart.to_dict()["datasets"].values() if any("fidelity" in row for row in rows)
    )


@pytest.mark.parametrize(
    ("text", "shown"), [("a\u200db\u200cc", "a\u200db\u200cc"), ("a\u2028b\u2029", "a⟨2028⟩b⟨2029⟩")]
)
def test_joiners_join_and_separators_are_shown(text, shown):
    assert shown_text(text) == shown
