"""Charts of a training; the rows come from `analysis.training_curve`."""

from collections.abc import Mapping, Sequence
from typing import cast

import altair as alt
import pandas as pd

from playground.analysis.training_curve import CurvePoint
from playground.render.palette import tokenizer_color

RUN_COLORS = ("#0b8174", "#b4531f", "#5a66c0", "#a8437a", "#8a6a00")
_HEIGHT = 270


def compression_chart(
    runs: Mapping[str, Sequence[CurvePoint]],
    references: Mapping[str, float],
    *,
    n_merges_wanted: int,
    shows_vocab: bool = False,
    height: int = _HEIGHT,
) -> alt.LayerChart:
    """Bytes per token against merges, a colour for each run; held-out text is the solid line.

    `references` are bytes per token of known encodings on the same held-out text.
    """
    rows = [
        {"run": name, "text": text, "merges": point.n_merges, "bytes per token": value,
         "token": repr(point.token), "vocabulary": point.n_vocab}
        for name, points in runs.items()
        for point in points
        for text, value in (("held-out", point.held_out), ("training", point.training))
        if value is not None
    ]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["run", "text", "merges", "bytes per token", "token", "vocabulary"])
    names = list(runs)
    last = max([n_merges_wanted, 1, *(points[-1].n_merges for points in runs.values() if points)])
    x = alt.X("merges:Q", title="merges", scale=alt.Scale(domain=[0, last], nice=False))
    y = alt.Y("bytes per token:Q", title="bytes per token", scale=alt.Scale(zero=False))
    lines = (
        alt.Chart(frame)
        .mark_line(strokeWidth=2.2, interpolate="linear")
        .encode(
            x=x,
            y=y,
            color=alt.Color(
                "run:N",
                scale=alt.Scale(domain=names, range=list(RUN_COLORS[: len(names)])),
                legend=alt.Legend(title=None, orient="top", labelLimit=420) if len(names) > 1 else None,
            ),
            strokeDash=alt.StrokeDash(
                "text:N",
                scale=alt.Scale(domain=["held-out", "training"], range=[[1, 0], [4, 3]]),
                legend=alt.Legend(title=None, orient="top"),
            ),
        )
    )
    hover = alt.selection_point(
        on="pointerover", nearest=True, fields=["merges"], empty=False, clear="pointerout"
    )
    points = (
        alt.Chart(frame)
        .mark_point(filled=True, size=60)
        .encode(
            x=x,
            y=y,
            color=alt.Color(
                "run:N", scale=alt.Scale(domain=names, range=list(RUN_COLORS[: len(names)])), legend=None
            ),
            opacity=alt.condition(hover, alt.value(1), alt.value(0)),
            tooltip=[
                "run",
                "text",
                "merges",
                alt.Tooltip("bytes per token", format=".3f"),
                "token",
                "vocabulary",
            ],
        )
        .add_params(hover)
    )
    layers: list[alt.Chart] = [lines, points]
    known = pd.DataFrame(
        [
            # Names stand side by side: two encodings are often nearly equal.
            {"encoding": name, "bytes per token": value, "at": last * (1 - 0.12 * number)}
            for number, (name, value) in enumerate(references.items())
        ],
        columns=["encoding", "bytes per token", "at"],
    )
    colors = alt.Color(
        "encoding:N",
        scale=alt.Scale(domain=list(references), range=[tokenizer_color(name) for name in references]),
        legend=None,
    )
    rule = (
        alt.Chart(known).mark_rule(strokeWidth=1.2, opacity=0.75).encode(y="bytes per token:Q", color=colors)
    )
    label = (
        alt.Chart(known)
        .mark_text(align="right", dy=-6, dx=-3, fontSize=11)
        .encode(x=alt.X("at:Q"), y="bytes per token:Q", text="encoding:N", color=colors)
    )
    layers += [rule, label]
    chart = alt.layer(*layers)
    if shows_vocab:
        growth = (
            alt.Chart(frame)
            .mark_line(strokeWidth=1, strokeDash=[1, 3], color="#75797c")
            .encode(x=x, y=alt.Y("vocabulary:Q", title="vocabulary", axis=alt.Axis(orient="right")))
        )
        chart = alt.layer(alt.layer(*layers), growth)
    scales = chart.resolve_scale(color="independent", y="independent" if shows_vocab else "shared")
    return cast(alt.LayerChart, scales.properties(height=height))


def savings_chart(runs: Mapping[str, Sequence[CurvePoint]], *, height: int = 200) -> alt.Chart:
    """Tokens saved by a merge, on a log scale: early merges help most."""
    rows = [
        {"run": name, "merges": point.n_merges, "tokens saved": point.saved, "token": repr(point.token)}
        for name, points in runs.items()
        for point in points
        if point.saved > 0
    ]
    frame = pd.DataFrame(rows, columns=["run", "merges", "tokens saved", "token"])
    names = list(runs)
    chart = (
        alt.Chart(frame)
        .mark_line(strokeWidth=1.6)
        .encode(
            x=alt.X("merges:Q", title="merges"),
            y=alt.Y("tokens saved:Q", title="tokens saved a merge (log)", scale=alt.Scale(type="log")),
            color=alt.Color(
                "run:N", scale=alt.Scale(domain=names, range=list(RUN_COLORS[: len(names)])), legend=None
            ),
            tooltip=["run", "merges", alt.Tooltip("tokens saved", format=",.0f"), "token"],
        )
        .properties(height=height)
    )
    return cast(alt.Chart, chart)
