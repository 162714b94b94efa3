"""Invisible bytes are shown, and the charts hold every row they are given."""

from itertools import pairwise

from playground.render.shown_bytes import shown_bytes
from playground.render.training_charts import compression_chart, savings_chart, spread_labels
from playground.training.curve import CurvePoint

POINTS = [CurvePoint(n, 1 + n / 10, 1 + n / 11, 256 + n, 100 / n, "<b>") for n in range(1, 6)]


def test_invisible_bytes_are_shown():
    assert shown_bytes(b" \t\n\xff") == "·→⏎⟨FF⟩"


def test_charts_hold_the_points_and_the_references():
    chart = compression_chart({"A": POINTS, "B": POINTS[:2]}, {"gpt2": 3.5}, n_merges_wanted=10)
    rows = [row for data in chart.to_dict()["datasets"].values() for row in data]
    assert sum(row.get("run") == "B" for row in rows) == 4
    assert sum(row.get("encoding") == "gpt2" for row in rows) == 1
    assert (
        savings_chart({"A": POINTS}, n_merges_wanted=5).to_dict()["encoding"]["y"]["scale"]["type"] == "log"
    )
    both = compression_chart({"A": POINTS}, {"gpt2": 3.5}, n_merges_wanted=10, shows_vocab=True).to_dict()
    assert both["layer"][0]["resolve"]["scale"]["color"] == "independent", (
        "a line keeps its encoding's colour"
    )


def test_labels_of_reference_lines_never_overlap():
    values = {"gpt2": 3.0, "cl100k_base": 3.01, "o200k_base": 3.01, "a": 2.999, "b": 1.0}
    places = spread_labels(values, gap=0.2, high=3.01)
    at = [places[name] for name in sorted(values, key=lambda name: (values[name], places[name]))]
    assert all(above - below >= 0.2 - 1e-9 for below, above in pairwise(at))
    assert max(at) <= 3.01
    assert places["b"] == 1.0, "a label with room enough stands at its line"
