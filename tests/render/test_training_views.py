"""Invisible bytes are shown, and the charts hold every row they are given."""

from itertools import pairwise

import pytest

from playground.render.palette import INK, PAPER
from playground.render.training_charts import (
    runs_chart,
    spread_labels,
)
from playground.render.visible_text import shown_bytes
from playground.training.curve import CurvePoint

POINTS = [CurvePoint(n, 1 + n / 10, 1 + n / 11, 256 + n, 100 / n, "<b>") for n in range(1, 6)]


def test_invisible_bytes_are_shown():
    assert shown_bytes(b" \t\n\xff") == "·→⏎⟨FF⟩"


def rows_of(chart, layer):
    return chart["datasets"][chart["layer"][layer]["data"]["name"]]


def test_charts_hold_all_points():
    chart = runs_chart({"A": POINTS, "B": POINTS[:2]}).to_dict()
    assert sum(row["run"] == "B" for row in rows_of(chart, 0)) == 4
    assert [row["label"] for row in rows_of(chart, 1)] == ["A", "B"]


def test_a_run_without_held_out_text_has_no_held_out_line():
    chart = runs_chart({"A": [CurvePoint(1, 1.5, None, 257, 3.0, "th")]}).to_dict()
    assert [row["text"] for row in rows_of(chart, 0)] == ["training"]


def test_labels_of_reference_lines_never_overlap():
    values = {"gpt2": 3.0, "cl100k_base": 3.01, "o200k_base": 3.01, "a": 2.999, "b": 1.0}
    places = spread_labels(values, gap=0.2, high=3.01)
    at = [places[name] for name in sorted(values, key=lambda name: (values[name], places[name]))]
    assert all(above - below >= 0.2 - 1e-9 for below, above in pairwise(at))
    assert max(at) <= 3.01
    assert places["b"] == 1.0, "a label with room enough stands at its line"


def test_merges_are_whole_and_a_run_is_named_at_the_end_of_its_line():
    chart = runs_chart({"1 · Novel · 1,256 tokens · gpt2": POINTS}).to_dict()
    assert [(row["merges"], row["at"]) for row in rows_of(chart, 1)] == [(5, pytest.approx(1 + 5 / 11))]
    x = chart["layer"][0]["encoding"]["x"]
    assert (x["axis"]["tickMinStep"], x["scale"]["domain"]) == (1, [0, 5])


def test_several_runs_are_named_by_corpus_size_and_pattern():
    titles = [f"{n} · {'Novel' * n} · 1,256 tokens · gpt2" for n in (1, 2, 9)]
    ends = rows_of(runs_chart(dict.fromkeys(titles, POINTS)).to_dict(), 1)
    assert [row["run"] for row in ends] == titles
    assert ends[0]["label"] == "1 · Novel\n1,256 tokens · gpt2"
    assert max(map(len, "\n".join(row["label"] for row in ends).split("\n"))) <= 24
    places = sorted(row["at"] for row in ends)
    assert min(above - below for below, above in pairwise(places)) > 0.2, "two lines each, none on another"


def test_beside_other_runs_a_legend_says_which_line_is_of_which_text():
    chart = runs_chart({"a": POINTS, "b": POINTS}).to_dict()
    dashes = [
        layer["encoding"]["strokeDash"] for layer in chart["layer"] if "strokeDash" in layer["encoding"]
    ]
    assert [dash["scale"]["domain"] for dash in dashes] == [["held-out", "training"]]
    assert dashes[0]["legend"]["orient"] == "bottom-right", "no line comes there: a byte is no smaller token"


def test_the_name_of_a_run_that_ends_early_is_read_above_the_lines_of_others():
    chart = runs_chart({"1 · a": POINTS, "2 · b": POINTS[:2]}, theme="dark").to_dict()
    marks = [layer["mark"] for layer in chart["layer"]]
    line, halo = (next(n for n, mark in enumerate(marks) if test(mark)) for test in (
        lambda mark: mark["type"] == "line", lambda mark: mark.get("stroke") == PAPER["dark"]
    ))  # fmt: skip
    name = next(n for n, mark in enumerate(marks) if mark.get("fill") == INK["dark"])
    assert line < halo < name
