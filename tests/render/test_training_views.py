"""Invisible bytes are shown, and the charts hold every row they are given."""

from itertools import pairwise

import pytest

from playground.render.shown_bytes import shown_bytes
from playground.render.training_charts import CURVES, compression_chart, savings_chart, spread_labels
from playground.training.curve import CurvePoint

POINTS = [CurvePoint(n, 1 + n / 10, 1 + n / 11, 256 + n, 100 / n, "<b>") for n in range(1, 6)]


def test_invisible_bytes_are_shown():
    assert shown_bytes(b" \t\n\xff") == "·→⏎⟨FF⟩"


def test_charts_hold_the_points_and_the_references():
    chart = compression_chart({"A": POINTS, "B": POINTS[:2]}, {"gpt2": 3.5}, n_merges_wanted=10)
    rows = chart["datasets"].pop(CURVES)
    assert (rows["run"] == "B").sum() == 4
    (known,) = chart["datasets"].values()
    assert [row["encoding"] for row in known] == ["gpt2"]
    assert savings_chart({"A": POINTS}, n_merges_wanted=5)["encoding"]["y"]["scale"]["type"] == "log"
    both = compression_chart({"A": POINTS}, {"gpt2": 3.5}, n_merges_wanted=10, shows_vocab=True)
    assert both["layer"][0]["resolve"]["scale"]["color"] == "independent", (
        "a line keeps its encoding's colour"
    )


@pytest.mark.parametrize("references", [{}, {"gpt2": 3.5}])
def test_while_a_run_goes_on_only_the_rows_of_its_chart_change(references):
    """What else changes makes the browser draw the whole chart anew, four times a second."""

    def without_rows(points):
        charts = [
            compression_chart({"A": points}, references, n_merges_wanted=10),
            savings_chart({"A": points}, n_merges_wanted=10),
        ]
        rows = [chart["datasets"].pop(CURVES) for chart in charts]
        return charts, [len(frame) for frame in rows]

    early, n_early = without_rows(POINTS[:2])
    later, n_later = without_rows(POINTS)
    assert early == later
    assert (n_early, n_later) == ([4, 2], [10, 5])


def test_labels_of_reference_lines_never_overlap():
    values = {"gpt2": 3.0, "cl100k_base": 3.01, "o200k_base": 3.01, "a": 2.999, "b": 1.0}
    places = spread_labels(values, gap=0.2, high=3.01)
    at = [places[name] for name in sorted(values, key=lambda name: (values[name], places[name]))]
    assert all(above - below >= 0.2 - 1e-9 for below, above in pairwise(at))
    assert max(at) <= 3.01
    assert places["b"] == 1.0, "a label with room enough stands at its line"
