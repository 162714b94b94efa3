"""Invisible bytes are shown, and the charts hold every row they are given."""

import json
from itertools import pairwise

import pytest

from playground.lessons.loop_of_merges import percent_saved
from playground.render.palette import INK, PAPER
from playground.render.training_charts import (
    CURVES,
    ENDS,
    UNITS,
    compression_chart,
    savings_chart,
    spread_labels,
)
from playground.render.visible_text import shown_bytes
from playground.training.curve import CurvePoint

POINTS = [CurvePoint(n, 1 + n / 10, 1 + n / 11, 256 + n, 100 / n, "<b>") for n in range(1, 6)]


def test_invisible_bytes_are_shown():
    assert shown_bytes(b" \t\n\xff") == "·→⏎⟨FF⟩"


def test_charts_hold_the_points_and_the_references():
    chart = compression_chart({"A": POINTS, "B": POINTS[:2]}, {"gpt2": 3.5}, n_merges_wanted=10)
    assert next(iter(chart["datasets"])) == CURVES, "which a browser shows as the chart's data"
    rows = chart["datasets"].pop(CURVES)
    assert (rows["run"] == "B").sum() == 4
    assert chart["datasets"].pop(ENDS)["label"].tolist() == ["A", "B"]
    known = [rows for rows in chart["datasets"].values() if "encoding" in rows[0]]
    assert [row["encoding"] for rows in known for row in rows] == ["gpt2"]
    assert savings_chart({"A": POINTS}, n_merges_wanted=5)["encoding"]["y"]["scale"]["type"] == "log"
    both = compression_chart({"A": POINTS}, {"gpt2": 3.5}, n_merges_wanted=10, shows_vocab=True)
    assert both["layer"][0]["resolve"]["scale"]["color"] == "independent", (
        "a line keeps its encoding's colour"
    )
    axis = both["layer"][1]["encoding"]["y"]["axis"]
    assert axis["orient"] == "right"
    assert axis["offset"] > 6 * len("held-out 1.10"), "names stand before it"


@pytest.mark.parametrize("references", [{}, {"gpt2": 3.5}])
def test_while_a_run_goes_on_only_the_rows_of_its_chart_change(references):
    """What else changes makes the browser draw the whole chart anew, four times a second."""

    def without_rows(points):
        charts = [
            compression_chart({"A": points}, references, n_merges_wanted=10),
            savings_chart({"A": points}, n_merges_wanted=10),
        ]
        rows = [chart["datasets"].pop(CURVES) for chart in charts]
        charts[0]["datasets"].pop(ENDS)
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


def test_lines_are_named_beside_their_ends_and_merges_are_whole():
    chart = compression_chart({"1 · Novel · 1,256 tokens · gpt2": POINTS}, {}, n_merges_wanted=7)
    ends = chart["datasets"][ENDS]
    assert set(ends["merges"]) == {5}, "where the lines end now"
    assert [label.split()[0] for label in ends["label"]] == ["held-out", "training"]
    assert '"legend": {' not in json.dumps({key: value for key, value in chart.items() if key != "datasets"})
    x = chart["layer"][0]["encoding"]["x"]
    assert (x["axis"]["tickMinStep"], x["scale"]["domain"][0]) == (1, 0)
    assert chart["layer"][0]["encoding"]["y"]["scale"]["domain"][0] == 0


def test_several_runs_are_named_by_corpus_size_and_pattern():
    titles = [f"{n} · {'Novel' * n} · 1,256 tokens · gpt2" for n in (1, 2, 9)]
    ends = compression_chart(dict.fromkeys(titles, POINTS), {}, n_merges_wanted=7)["datasets"][ENDS]
    assert ends["run"].tolist() == titles, "whose colour stands beside the name"
    assert ends["label"].tolist()[0] == "1 · Novel\n1,256 tokens · gpt2"
    assert max(map(len, "\n".join(ends["label"]).split("\n"))) <= 24
    places = sorted(ends["label at"])
    assert min(above - below for below, above in pairwise(places)) > 0.2, "two lines each, none on another"


def test_beside_other_runs_a_legend_says_which_line_is_of_which_text():
    chart = compression_chart({"a": POINTS, "b": POINTS}, {}, n_merges_wanted=7)
    dashes = [
        layer["encoding"]["strokeDash"] for layer in chart["layer"] if "strokeDash" in layer["encoding"]
    ]
    assert [dash["scale"]["domain"] for dash in dashes] == [["held-out", "training"]]
    assert dashes[0]["legend"]["orient"] == "bottom-right", "no line comes there: a byte is no smaller token"


def test_the_name_of_a_run_that_ends_early_is_read_above_the_lines_of_others():
    chart = compression_chart({"1 · a": POINTS, "2 · b": POINTS[:2]}, {}, n_merges_wanted=7, theme="dark")
    marks = [layer["mark"] for layer in chart["layer"]]
    line, halo = (next(n for n, mark in enumerate(marks) if test(mark)) for test in (
        lambda mark: mark["type"] == "line", lambda mark: mark.get("stroke") == PAPER["dark"]
    ))  # fmt: skip
    name = next(n for n, mark in enumerate(marks) if mark.get("fill") == INK["dark"])
    assert line < halo < name


def test_a_share_saved_says_the_same_as_times_smaller():
    times, share = (
        compression_chart({"A": POINTS}, {"gpt2": 3.5}, n_merges_wanted=10, unit=unit)
        for unit in UNITS.values()
    )
    columns = [chart["datasets"][CURVES] for chart in (times, share)]
    assert len(columns[0]) == len(columns[1]) > 2
    for value, saved in zip(columns[0]["bytes per token"], columns[1]["saved"], strict=True):
        assert saved == pytest.approx(percent_saved(1_000_000, round(1_000_000 / value)), abs=1e-3)
    assert "gpt2 71.4 %" in json.dumps(share["datasets"], default=str)
    assert '"title": "tokens saved, in %"' in json.dumps(share["layer"])
    ends = share["datasets"][ENDS]
    last = columns[0]["bytes per token"].iloc[-1]
    assert any(label.endswith(f"{100 - 100 / last:.1f} %") for label in ends["label"])


def test_names_of_reference_lines_stand_above_all_lines():
    known = {"gpt2": 4.45, "cl100k_base": 4.58, "o200k_base": 4.61}
    rule, *names = compression_chart({"A": POINTS}, known, n_merges_wanted=10)["layer"][:7]
    assert [layer["mark"]["type"] for layer in (rule, *names)] == ["rule", *["square", "text"] * 3]
    top = {"expr": "4.61 / max(0.3, 1 - (width > 408 ? 20.8 : 52.8) / height)"}
    assert rule["encoding"]["y"]["scale"]["domain"] == [0, top], "pixels that names take, side by side or not"
    places = [(text["mark"]["dx"]["expr"], text["mark"]["dy"]["expr"]) for text in names[1::2]]
    assert places[-1] == ("(width > 408 ? 272 : 0) + 18", "(width > 408 ? 0 : 32) + 8")
