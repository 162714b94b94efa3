"""Charts are made of Altair's own classes: for a bare string it looks through its whole schema."""

import pytest
from altair.utils.schemapi import SchemaBase

from playground.analysis.comparison import ComparisonRow
from playground.analysis.language_counts import LanguageCount
from playground.catalog.registry import get_tokenizer
from playground.formats.costs import measure
from playground.formats.scaling import Point
from playground.render.charts import AnyChart
from playground.render.compare_charts import languages_chart, lengths_chart, scripts_chart, tokens_chart
from playground.render.format_charts import cost_chart, growth_chart, roles_chart
from playground.render.training_charts import runs_chart
from playground.training.curve import CurvePoint


def _costs() -> AnyChart:
    names = ["gpt2", "utf8_bytes"]
    return cost_chart(measure([{"zip": "10"}], [*map(get_tokenizer, names)]), names, theme="light")


CHARTS = {
    "tokens": lambda: tokens_chart([ComparisonRow("gpt2", 50257, 4, 9, 9, 2, 1.0, 0)], theme="light"),
    "languages": lambda: languages_chart(
        [LanguageCount("Burmese", "mya", "gpt2", 726, 170, 500, 22.0)], theme="light"
    ),
    "lengths": lambda: lengths_chart({"gpt2": [0, 256]}, theme="light"),
    "scripts": lambda: scripts_chart({"gpt2": {"Latin": 9}}, theme="light"),
    "costs": _costs,
    "roles": lambda: roles_chart(
        {"yaml": {"keys": 1, "values": 2, "punctuation": 3, "whitespace": 0}}, {"yaml": "equal"}, theme="dark"
    ),
    "growth": lambda: growth_chart([Point("yaml", 9, 9)], x_title="rows", theme="light", is_per_row=True),
    "runs": lambda: runs_chart({"A": [CurvePoint(1, 1.5, 1.4, 257, 3.0, "th")]}),
}


@pytest.mark.parametrize("name", CHARTS)
def test_no_chart_looks_through_the_schema(name, monkeypatch):
    looked_up = []
    monkeypatch.setattr(SchemaBase, "from_dict", lambda given, **_options: looked_up.append(given))
    assert CHARTS[name]().to_dict()
    assert not looked_up


def test_tokenizers_of_one_chart_are_told_apart_by_colour_and_shape():
    names = ["gpt2", "qwen3", "mistral_v3", "glm4", "phi4", "whisper", "bert_uncased", "deepseek_v3"]
    table = measure([1], [get_tokenizer(name) for name in names])
    chart = cost_chart(table, names, theme="light").to_dict()
    marks = next(layer["encoding"] for layer in chart["layer"] if "shape" in layer["encoding"])
    looks = [tuple(marks[channel]["scale"]["range"]) for channel in ("color", "shape")]
    assert len(set(zip(*looks, strict=True))) == len(names)
