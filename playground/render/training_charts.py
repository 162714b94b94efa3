"""The chart that compares training runs: compression against merges, each run named at its line."""

from collections.abc import Hashable, Mapping, Sequence
from math import ceil
from typing import Any, TypeVar, cast

import altair as alt
import pandas as pd

from playground.render.charts import AnyChart, tooltips
from playground.render.palette import INK, PAPER, RUN_COLORS, Theme
from playground.training.curve import CurvePoint

Name = TypeVar("Name", bound=Hashable)

#: In pixels: a line of a label, and what the axis takes of a chart's height.
_LABEL_HEIGHT, _AROUND_PLOT = 16, 65
#: A label has two lines and a gap, and no line has more letters.
_LABEL_LINES, _MAX_LETTERS = 2.2, 24


def runs_chart(
    runs: Mapping[str, Sequence[CurvePoint]],
    *,
    height: int = 300,
    theme: Theme = "light",
    type_scale: float = 1.0,
) -> AnyChart:
    """Return a chart of bytes per token against merges, with a colour for each run.

    Held-out text is the solid line, training text the dashed one.

    >>> points = [CurvePoint(1, 1.1, 1.1, 257, 9.0, "th")]
    >>> chart = runs_chart({"1 · Novel · 257 tokens · gpt2": points}).to_dict()
    >>> [layer["mark"]["type"] for layer in chart["layer"]]
    ['line', 'text', 'square', 'text', 'text', 'point']
    """
    rows = [
        (name, text, point.n_merges, value, repr(point.token), point.n_vocab)
        for name, points in runs.items()
        for point in points
        for text, value in (("held-out", point.held_out), ("training", point.training))
        if value is not None
    ]
    frame = pd.DataFrame(rows, columns=["run", "text", "merges", "bytes per token", "token", "vocabulary"])
    high = max(1.5, ceil(4 * frame["bytes per token"].max()) / 4) if rows else 1.5
    last = max([1, *(points[-1].n_merges for points in runs.values() if points)])
    line = _LABEL_HEIGHT * type_scale
    gap = _LABEL_LINES * high * line / max(height - _AROUND_PLOT * type_scale, line)

    x = alt.X(
        "merges:Q",
        title="merges",
        scale=alt.Scale(domain=[0, last], nice=False),
        axis=alt.Axis(titlePadding=2, tickMinStep=1, format=",d"),  # there is no half merge
    )
    domain = alt.Scale(domain=[0, high], nice=False)
    y, y_of_label = (
        alt.Y(f"{column}:Q", title="bytes per token", scale=domain) for column in ("bytes per token", "at")
    )
    colors = alt.Scale(domain=list(runs), range=list(RUN_COLORS[theme][: len(runs)]))
    color = alt.Color("run:N", scale=colors, legend=None)
    dashes = alt.Scale(domain=["held-out", "training"], range=[[1, 0], [4, 3]])
    lines = (
        alt.Chart(frame)
        .mark_line(strokeWidth=2.2, interpolate="linear")
        .encode(
            x=x,
            y=y,
            color=color,
            strokeDash=alt.StrokeDash("text:N", scale=dashes, legend=_legend(theme, type_scale)),
        )
    )
    name: dict[str, Any] = {"align": "left", "dx": 20, "fontSize": 12 * type_scale, "lineBreak": "\n"}
    ends = alt.Chart(_ends(frame, gap=gap, high=high)).encode(x=x, y=y_of_label, text=alt.Text("label:N"))
    # The name of a run that ends early is drawn on a halo, above the lines of other runs.
    halo = ends.mark_text(**name, fill=PAPER[theme], stroke=PAPER[theme], strokeWidth=4, aria=False)
    square = ends.mark_square(size=70, opacity=1, xOffset=12).encode(color=color)
    # Invisible labels at the right edge reserve room for the names.
    room = pd.DataFrame({"merges": last, "at": 0, "label": [_label(run) for run in runs]})
    reserved = (
        alt.Chart(room).mark_text(**name, opacity=0, aria=False).encode(
            x=x, y=y_of_label, text=alt.Text("label:N")
        )
    )  # fmt: skip
    hover = alt.selection_point(
        name="hover", on="pointerover", nearest=True, fields=["merges"], empty=False, clear="pointerout"
    )
    spots = (
        alt.Chart(frame)
        .mark_point(filled=True, size=60, aria=False)  # a screen reader would read each point
        .encode(
            x=x,
            y=y,
            color=color,
            opacity=alt.OpacityValue(0, condition={"param": "hover", "empty": False, "value": 1}),
            tooltip=tooltips(
                "run:N",
                "text:N",
                "merges:Q",
                alt.Tooltip("bytes per token:Q", format=".3f"),
                "token:N",
                "vocabulary:Q",
            ),
        )
        .add_params(hover)
    )
    layers = alt.layer(lines, halo, square, ends.mark_text(**name, fill=INK[theme]), reserved, spots)
    chart = layers.resolve_scale(color="independent").properties(height=height)
    size = 12 * type_scale
    axes = chart.configure_axis(
        labelColor=INK[theme], titleColor=INK[theme], labelFontSize=size, titleFontSize=size
    )
    return cast(AnyChart, axes.configure_legend(labelFontSize=size))


def spread_labels(values: Mapping[Name, float], *, gap: float, high: float) -> dict[Name, float]:
    """Return heights for labels near their values, in order, `gap` apart and, if they fit, up to `high`.

    >>> spread_labels({"gpt2": 3.5, "cl100k_base": 4.4, "o200k_base": 4.5}, gap=0.25, high=4.5)
    {'gpt2': 3.5, 'cl100k_base': 4.25, 'o200k_base': 4.5}
    """
    places: dict[Name, float] = {}
    limit = high
    for name, value in sorted(values.items(), key=lambda item: -item[1]):
        places[name] = min(value, limit)
        limit = places[name] - gap
    return dict(reversed(places.items()))


def _ends(frame: pd.DataFrame, *, gap: float, high: float) -> pd.DataFrame:
    """Return the label of each run and its height: at the end of its held-out line, if it has one."""
    ends = frame.groupby(["run", "text"], sort=False).last().reset_index()
    ends = ends.sort_values("text").drop_duplicates("run")
    ends["label"] = [_label(run) for run in ends["run"]]
    places = spread_labels(dict(zip(ends.index, ends["bytes per token"], strict=True)), gap=gap, high=high)
    ends["at"] = [places[index] for index in ends.index]
    return ends[["run", "merges", "label", "at"]]


def _label(title: str) -> str:
    """Return a run's title in two lines, none so long that it takes the room of the curves.

    >>> _label("1 · English novel · 1,256 tokens · gpt2").split("\\n")
    ['1 · English novel', '1,256 tokens · gpt2']
    """
    first, _, second = title.rpartition(" · ")
    head, _, size = first.rpartition(" · ")
    lines = (head, f"{size} · {second}") if head else (title,)
    return "\n".join(line if len(line) <= _MAX_LETTERS else f"{line[: _MAX_LETTERS - 1]}…" for line in lines)


def _legend(theme: Theme, type_scale: float) -> alt.Legend:
    """Return the legend of texts: their lines' ends name the runs."""
    return alt.Legend(
        title=None,
        orient="bottom-right",  # no line comes below one byte per token
        direction="horizontal",
        offset=0,
        symbolSize=600,
        symbolStrokeWidth=2,
        symbolStrokeColor=INK[theme],
        labelColor=INK[theme],
        labelFontSize=12 * type_scale,
        labelExpr="datum.label + ' text'",
    )
