"""Static tokens are escaped, and the charts hold every row they are given."""

from playground.analysis.training_curve import CurvePoint
from playground.catalog.openai import load_openai
from playground.render.highlight import highlight_html, visible
from playground.render.training_charts import compression_chart, savings_chart

POINTS = [CurvePoint(n, 1 + n / 10, 1 + n / 11, 256 + n, 100 / n, "<b>") for n in range(1, 6)]


def test_text_is_escaped_and_every_segment_drawn():
    cut = load_openai("gpt2").segment('<script>alert("1")</script> 🙂\n')
    html = highlight_html(cut, marked={0})
    assert "<script>" not in html
    assert html.count("<span class=") == len(cut.segments)
    assert html.count("marked") == 2  # the rule and one token


def test_invisible_bytes_are_shown():
    assert visible(b" \t\n\xff") == "·→⏎⟨FF⟩"


def test_charts_hold_the_points_and_the_references():
    chart = compression_chart({"A": POINTS, "B": POINTS[:2]}, {"gpt2": 3.5}, n_merges_wanted=10)
    rows = [row for data in chart.to_dict()["datasets"].values() for row in data]
    assert sum(row.get("run") == "B" for row in rows) == 4
    assert sum(row.get("encoding") == "gpt2" for row in rows) == 1
    assert savings_chart({"A": POINTS}).to_dict()["encoding"]["y"]["scale"]["type"] == "log"
    assert compression_chart({"A": POINTS}, {}, n_merges_wanted=10, shows_vocab=True).to_dict()
