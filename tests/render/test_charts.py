"""Charts contain the figures that they get, in the stated order."""

from itertools import pairwise

import pytest

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
)
from playground.render.format_charts import cost_chart, growth_chart
from playground.render.training_charts import (
    runs_chart,
    spread_labels,
)
from playground.render.visible_text import shown_bytes, shown_text
from playground.training.curve import CurvePoint


def test_tokenizers_in_a_chart_differ_in_colour_or_shape():
    names = ["gpt2", "qwen3", "mistral_v3", "glm4", "phi4", "whisper", "bert_uncased", "deepseek_v3"]
    table = measure([1], [get_tokenizer(name) for name in names])
    chart = cost_chart(table, names, theme="light").to_dict()
    marks = next(layer["encoding"] for layer in chart["layer"] if "shape" in layer["encoding"])
    looks = [tuple(marks[channel]["scale"]["range"]) for channel in ("color", "shape")]
    assert len(set(zip(*looks, strict=True))) == len(names)


def rows_of(chart):
    return [row for data in chart.to_dict()["datasets"].values() for row in data]


def sorts_of(chart):
    return [layer["encoding"]["y"].get("sort") for layer in chart.to_dict()["layer"]]


def test_the_last_bar_of_the_histogram_counts_all_longer_tokens():
    counts = [0, 256, *range(100, 130)]
    bars = {row["bytes"]: row["tokens"] for row in rows_of(lengths_chart({"mine": counts}, theme="light"))}
    assert [*bars] == [*range(1, MAX_HISTOGRAM_BYTES + 1)]
    assert sum(bars.values()) == sum(counts)
    assert bars[1] == 256


def test_the_chart_shows_the_scripts_with_most_tokens():
    counts = {"a": {"Greek": 1, "Latin": 10, "Thai": 9}, "b": {"Latin": 1, "Greek": 5}}
    chart = scripts_chart(counts, theme="light", n_scripts=2)
    assert chart.to_dict()["encoding"]["y"]["sort"] == ["Latin", "Thai"]
    assert {row["script"] for row in rows_of(chart)} == {"Latin", "Thai"}


def test_languages_are_sorted_by_tokens_in_the_first_tokenizer():
    costs = {"one": {"A": 1.0, "B": 3.0, "C": 2.0}, "two": {"A": 9.0, "B": 1.0, "C": 5.0}}
    counts = [
        LanguageCount(language, language, name, 10, 10, 10, times)
        for name, by_language in costs.items()
        for language, times in by_language.items()
    ]
    assert sorts_of(languages_chart(counts, theme="light")) == [["B", "C", "A"]] * 2


def test_growth_is_shown_in_tokens_or_in_tokens_per_row():
    points = [Point("yaml", 10, 50), Point("yaml", 100, 400)]
    for is_per_row, expected in ((True, [5, 4]), (False, [50, 400])):
        chart = growth_chart(points, x_title="rows", theme="light", is_per_row=is_per_row)
        assert [row["y"] for row in next(iter(chart.to_dict()["datasets"].values()))] == expected


def test_lossless_formats_come_first_and_then_the_cheapest():
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
def test_the_recommended_format_comes_first_in_a_tie(data):
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
def test_joiners_are_kept_and_separators_are_shown(text, shown):
    assert shown_text(text) == shown


POINTS = [CurvePoint(n, 1 + n / 10, 1 + n / 11, 256 + n, 100 / n, "<b>") for n in range(1, 6)]


def test_invisible_bytes_are_shown():
    assert shown_bytes(b" \t\n\xff") == "·→⏎⟨FF⟩"


def rows_of_layer(chart, layer):
    return chart["datasets"][chart["layer"][layer]["data"]["name"]]


def test_charts_contain_all_points():
    chart = runs_chart({"A": POINTS, "B": POINTS[:2]}).to_dict()
    assert sum(row["run"] == "B" for row in rows_of_layer(chart, 0)) == 4
    assert [row["label"] for row in rows_of_layer(chart, 1)] == ["A", "B"]


def test_a_run_without_held_out_text_has_no_held_out_line():
    chart = runs_chart({"A": [CurvePoint(1, 1.5, None, 257, 3.0, "th")]}).to_dict()
    assert [row["text"] for row in rows_of_layer(chart, 0)] == ["training"]


def test_labels_of_reference_lines_never_overlap():
    values = {"gpt2": 3.0, "cl100k_base": 3.01, "o200k_base": 3.01, "a": 2.999, "b": 1.0}
    places = spread_labels(values, gap=0.2, high=3.01)
    at = [places[name] for name in sorted(values, key=lambda name: (values[name], places[name]))]
    assert all(above - below >= 0.2 - 1e-9 for below, above in pairwise(at))
    assert max(at) <= 3.01
    assert places["b"] == 1.0, "a label with enough room is at its line"


def test_several_runs_are_named_by_corpus_size_and_pattern():
    titles = [f"{n} · {'Novel' * n} · 1,256 tokens · gpt2" for n in (1, 2, 9)]
    ends = rows_of_layer(runs_chart(dict.fromkeys(titles, POINTS)).to_dict(), 1)
    assert [row["run"] for row in ends] == titles
    assert ends[0]["label"] == "1 · Novel\n1,256 tokens · gpt2"
    assert max(map(len, "\n".join(row["label"] for row in ends).split("\n"))) <= 24
    places = sorted(row["at"] for row in ends)
    assert min(above - below for below, above in pairwise(places)) > 0.2, "labels of two lines don't overlap"
