"""Charts of a training; the rows come from `training.curve`.

They are Vega-Lite specifications whose rows stand apart in `datasets`: while a run goes on only the rows
change, so the specification is made once and a browser goes on with the chart that it has.
"""

import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import lru_cache
from math import ceil
from typing import Any, NamedTuple, TypeVar, cast

import altair as alt
import pandas as pd

from playground.render.charts import AnyChart, tooltips
from playground.render.palette import INK, PAPER, Theme, tokenizer_colors
from playground.training.curve import CurvePoint

Name = TypeVar("Name", bound=Hashable)
#: A Vega-Lite specification, as `st.vega_lite_chart` takes it.
Specification = dict[str, Any]
#: The rows of the curves, and of the names at their ends, in a chart's `datasets`.
CURVES, ENDS = "curves", "ends"

#: None is the colour of an encoding, whose lines stand on the same chart; the first two differ in lightness.
RUN_COLORS: dict[Theme, tuple[str, ...]] = {
    "light": ("#9b1b5a", "#2b87c8", "#8a6a00", "#3d3f8f", "#5f7f3a"),
    "dark": ("#f48cc0", "#5fb4ef", "#d9b84a", "#b3b0ff", "#a3c76d"),
}


class Unit(NamedTuple):
    """How compression is told: the field of the rows, its axis, and its value for bytes per token."""

    field: str
    title: str
    written: str
    of: Callable[[float], float]

    def write(self, value: float) -> str:
        """A value as it stands beside a line."""
        return self.written.format(value)


#: Bytes per token say how many times smaller a text of one token a byte becomes; the share says the same.
UNITS = {
    "times": Unit("bytes per token", "bytes per token", "{:.2f}", lambda value: value),
    "share": Unit("saved", "tokens saved, in %", "{:.1f} %", lambda value: 100 * (1 - 1 / value)),
}
_HEIGHT = 270
#: Pixels: the label of a reference line, and what the axis takes of a chart's height.
_LABEL_HEIGHT = 16
_LABEL_WIDTH = 136
_AROUND_PLOT = 65
#: A run's name: its lines, with the space to the next, and their letters.
_RUN_LINES, _MAX_LABEL, _LETTER_WIDTH = 2.2, 24, 6.5


def compression_chart(
    runs: Mapping[str, Sequence[CurvePoint]],
    references: Mapping[str, float],
    *,
    n_merges_wanted: int,
    unit: Unit = UNITS["times"],
    shows_vocab: bool = False,
    height: int = _HEIGHT,
    theme: Theme = "light",
    type_scale: float = 1.0,
) -> Specification:
    """Compression against merges, a colour for each run; held-out text is the solid line.

    Each line has its name beside its end: of one run the text, of several the run; a legend has the texts.

    `references` are bytes per token of known encodings on the same held-out text.

    >>> points = [CurvePoint(1, 1.1, 1.1, 257, 9.0, "th")]
    >>> chart = compression_chart({"run": points}, {"gpt2": 3.5}, n_merges_wanted=10)
    >>> [layer["mark"]["type"] for layer in chart["layer"]]
    ['rule', 'square', 'text', 'line', 'text', 'text', 'point']
    >>> len(chart["datasets"][CURVES]), chart["datasets"][ENDS]["label"].tolist()
    (2, ['held-out 1.10', 'training 1.10'])
    """
    rows = [
        {"run": name, "text": text, "merges": point.n_merges, unit.field: unit.of(value),
         "token": repr(point.token), "vocabulary": point.n_vocab}
        for name, points in runs.items()
        for point in points
        for text, value in (("held-out", point.held_out), ("training", point.training))
        if value is not None
    ]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["run", "text", "merges", unit.field, "token", "vocabulary"])
    known = {name: unit.of(value) for name, value in references.items()}
    high = max([unit.of(1.5), *known.values()])
    if len(frame) and frame[unit.field].max() > high:
        high = ceil(4 * frame[unit.field].max()) / 4  # in steps: a growing curve seldom moves it
    made = _compression_json(
        tuple(runs), tuple(known.items()), _last_merge(runs, n_merges_wanted), high,
        unit=unit, shows_vocab=shows_vocab, height=height, theme=theme, type_scale=type_scale,
    )  # fmt: skip
    gap = _gap(high, height, type_scale, len(references)) * (1 if len(runs) == 1 else _RUN_LINES)
    return _with_points(made, frame, _named_ends(frame, unit, gap=gap, high=high))


@lru_cache(maxsize=64)
def _compression_json(
    names: tuple[str, ...],
    known: tuple[tuple[str, float], ...],
    last: int,
    high: float,
    *,
    unit: Unit,
    shows_vocab: bool,
    height: int,
    theme: Theme,
    type_scale: float,
) -> str:
    references = dict(known)
    x = _merges_axis(last)
    # Names of references stand above all lines: beside each other, or in a narrow plot below each other.
    is_wide = f"width > {_LABEL_WIDTH * type_scale * len(references):g}"
    line = _LABEL_HEIGHT * type_scale
    above = f"({is_wide} ? {1.3 * line:g} : {(len(references) + 0.3) * line:g})"
    domain = [0, alt.ExprRef(f"{high:g} / max(0.3, 1 - {above} / height)") if references else high]
    y = alt.Y(f"{unit.field}:Q", title=unit.title, scale=alt.Scale(domain=domain, nice=False))
    curves = alt.NamedData(name=CURVES)
    is_of_several = len(names) > 1
    lines = (
        alt.Chart(curves)
        .mark_line(strokeWidth=2.2, interpolate="linear")
        .encode(
            x=x,
            y=y,
            color=alt.Color("run:N", scale=_run_colors(names, theme), legend=None),
            strokeDash=alt.StrokeDash(
                "text:N",
                scale=alt.Scale(domain=["held-out", "training"], range=[[1, 0], [4, 3]]),
                legend=_legend_of_texts(theme, type_scale) if is_of_several else None,
            ),
        )
    )
    at = alt.Y("label at:Q", title=unit.title, scale=alt.Scale(domain=domain, nice=False))
    name: dict[str, Any] = {
        "align": "left",
        "dx": 20 if is_of_several else 7,
        "fontSize": 12 * type_scale,
        "lineBreak": "\n",
    }
    named = alt.Chart(alt.NamedData(name=ENDS)).encode(x=x, y=at, text=alt.Text("label:N"))
    ends = named.mark_text(**name, fill=INK[theme])
    # The name of a run that ends early stands where others' lines go on.
    halo = named.mark_text(**name, fill=PAPER[theme], stroke=PAPER[theme], strokeWidth=4, aria=False)
    halos = [halo] if is_of_several else []
    run_color = alt.Color("run:N", scale=_run_colors(names, theme), legend=None)
    square = alt.Chart(alt.NamedData(name=ENDS)).mark_square(size=70, opacity=1, xOffset=12)
    squares = [square.encode(x=x, y=at, color=run_color)] if is_of_several else []
    labels = [*map(_run_label, names)] if is_of_several else [_end_label("held-out", unit, high)]
    room = pd.DataFrame({"merges": last, "label at": 0, "label": labels})  # before a line comes so far too
    reserved = (
        alt.Chart(room).mark_text(**name, opacity=0, aria=False).encode(x=x, y=at, text=alt.Text("label:N"))
    )
    hover = alt.selection_point(
        name="hover", on="pointerover", nearest=True, fields=["merges"], empty=False, clear="pointerout"
    )
    spots = (
        alt.Chart(curves)
        .mark_point(filled=True, size=60, aria=False)  # each with a label would be read out one by one
        .encode(
            x=x,
            y=y,
            color=alt.Color(
                "run:N",
                scale=_run_colors(names, theme),
                legend=None,
            ),
            opacity=alt.OpacityValue(0, condition={"param": "hover", "empty": False, "value": 1}),
            tooltip=tooltips(
                "run:N",
                "text:N",
                "merges:Q",
                alt.Tooltip(f"{unit.field}:Q", format=".3f"),
                "token:N",
                "vocabulary:Q",
            ),
        )
        .add_params(hover)
    )
    below = (
        _reference_layers(references, y, unit, is_wide=is_wide, theme=theme, type_scale=type_scale)
        if references
        else []
    )
    chart = alt.layer(*below, lines, *halos, *squares, ends, reserved, spots).resolve_scale(
        color="independent"
    )
    if shows_vocab:
        # The axis stands behind the names at the ends of the lines.
        names_end = (
            _LETTER_WIDTH * type_scale * max(len(line) for label in labels for line in label.split("\n"))
        )
        growth = (
            alt.Chart(curves)
            .mark_line(strokeWidth=1, strokeDash=[1, 3], color="#75797c")
            .encode(
                x=x,
                y=alt.Y(
                    "vocabulary:Q",
                    title="vocabulary",
                    axis=alt.Axis(orient="right", offset=name["dx"] + names_end),
                ),
            )
        )
        chart = alt.layer(chart, growth).resolve_scale(y="independent")
    return _in_type(chart.properties(height=height), type_scale, theme).to_json(validate=False)


def _legend_of_texts(theme: Theme, type_scale: float) -> alt.Legend:
    """Of which text a solid and a dashed line are, where their ends name the runs."""
    return alt.Legend(
        title=None,
        orient="bottom-right",  # no line comes below a byte a token
        direction="horizontal",
        offset=0,
        symbolSize=600,
        symbolStrokeWidth=2,
        symbolStrokeColor=INK[theme],
        labelColor=INK[theme],
        labelFontSize=12 * type_scale,
        labelExpr="datum.label + ' text'",
    )


def _gap(high: float, height: int, type_scale: float, n_references: int) -> float:
    """How far apart names stand that do not cover each other in a narrow plot, in the unit of `high`."""
    line = _LABEL_HEIGHT * type_scale
    above = (n_references + 0.3) * line if n_references else 0
    return high * line / max(height - _AROUND_PLOT * type_scale - above, line)


def _named_ends(frame: pd.DataFrame, unit: Unit, *, gap: float, high: float) -> pd.DataFrame:
    """What stands beside the end of each line; of several runs one line each is named, the held-out one."""
    ends = frame.groupby(["run", "text"], sort=False).last().reset_index()
    is_one_run = ends["run"].nunique() <= 1
    if not is_one_run:
        ends = ends.sort_values("text").drop_duplicates("run")
    ends["label"] = [
        _end_label(text, unit, value) if is_one_run else _run_label(run)
        for run, text, value in zip(ends["run"], ends["text"], ends[unit.field], strict=True)
    ]
    places = spread_labels(dict(zip(ends.index, ends[unit.field], strict=True)), gap=gap, high=high)
    ends["label at"] = [places[at] for at in ends.index]
    return ends[["run", "merges", "label", "label at"]]


def _end_label(text: str, unit: Unit, value: float) -> str:
    return f"{text} {unit.write(value)}"


def _run_label(title: str) -> str:
    """The title of a run in two lines, and no line so long that it takes the room of the curves.

    >>> _run_label("1 · English novel · 1,256 tokens · gpt2").split("\\n")
    ['1 · English novel', '1,256 tokens · gpt2']
    """
    first, _, second = title.rpartition(" · ")
    head, _, size = first.rpartition(" · ")
    lines = (head, f"{size} · {second}") if head else (title,)
    return "\n".join(line if len(line) <= _MAX_LABEL else f"{line[: _MAX_LABEL - 1]}…" for line in lines)


def spread_labels(values: Mapping[Name, float], *, gap: float, high: float) -> dict[Name, float]:
    """Where names stand beside their values, in the same order, `gap` apart and up to `high` if they fit.

    >>> spread_labels({"gpt2": 3.5, "cl100k_base": 4.4, "o200k_base": 4.5}, gap=0.25, high=4.5)
    {'gpt2': 3.5, 'cl100k_base': 4.25, 'o200k_base': 4.5}
    """
    places: dict[Name, float] = {}
    limit = high
    for name, value in sorted(values.items(), key=lambda item: -item[1]):
        places[name] = min(value, limit)
        limit = places[name] - gap
    return dict(reversed(places.items()))


def _reference_layers(
    references: Mapping[str, float], y: alt.Y, unit: Unit, *, is_wide: str, theme: Theme, type_scale: float
) -> list[alt.Chart]:
    """A line for each encoding, and above all of them their names, the highest line's first."""
    names = sorted(references, key=lambda name: -references[name])
    known = pd.DataFrame(
        [
            {
                "encoding": name,
                "label": f"{name} {unit.write(references[name])}",
                unit.field: references[name],
            }
            for name in names
        ]
    )
    colors = alt.Color(
        "encoding:N",
        scale=alt.Scale(domain=list(references), range=tokenizer_colors(references, theme=theme)),
        legend=None,
    )
    layers = [alt.Chart(known).mark_rule(strokeWidth=1.4, opacity=0.8).encode(y=y, color=colors)]
    line = _LABEL_HEIGHT * type_scale
    left_edge, top = alt.XValue(0), alt.YValue(0)  # type: ignore[no-untyped-call]
    for place in range(len(names)):
        label = alt.Chart(known.iloc[[place]]).encode(x=left_edge, y=top)
        left = f"({is_wide} ? {_LABEL_WIDTH * type_scale * place:g} : 0)"
        down = f"({is_wide} ? 0 : {line * place:g}) + {line / 2:g}"
        square = label.mark_square(
            size=70, opacity=1, xOffset=alt.ExprRef(f"{left} + 10"), yOffset=alt.ExprRef(down)
        )
        text = label.mark_text(
            align="left",
            baseline="middle",
            dx=alt.ExprRef(f"{left} + 18"),
            dy=alt.ExprRef(down),
            fontSize=12 * type_scale,
            fill=INK[theme],
        )
        layers += [square.encode(color=colors), text.encode(text=alt.Text("label:N"))]
    return layers


def _in_type(chart: AnyChart, scale: float, theme: Theme) -> AnyChart:
    """A chart with its axes in ink, and with larger type for a projector."""
    ink = INK[theme]
    if scale == 1:
        return cast(AnyChart, chart.configure_axis(labelColor=ink, titleColor=ink))
    size = 12 * scale
    axes = chart.configure_axis(labelColor=ink, titleColor=ink, labelFontSize=size, titleFontSize=size)
    return cast(AnyChart, axes.configure_legend(labelFontSize=size))


def _merges_axis(last: int) -> alt.X:
    scale = alt.Scale(domain=[0, last], nice=False)
    axis = alt.Axis(titlePadding=2, tickMinStep=1, format=",d")  # there is no half merge
    return alt.X("merges:Q", title="merges", scale=scale, axis=axis)


def _last_merge(runs: Mapping[str, Sequence[CurvePoint]], n_wanted: int) -> int:
    return max([n_wanted, 1, *(points[-1].n_merges for points in runs.values() if points)])


def _with_points(made: str, frame: pd.DataFrame, ends: pd.DataFrame | None = None) -> Specification:
    chart: Specification = json.loads(made)
    rows = {CURVES: frame} if ends is None else {CURVES: frame, ENDS: ends}
    # The browser shows the first of them as the data of the chart.
    return chart | {"datasets": {**rows, **chart.get("datasets", {})}}


def _run_colors(names: Sequence[str], theme: Theme) -> alt.Scale:
    """A colour for each run, in their order."""
    return alt.Scale(domain=names, range=list(RUN_COLORS[theme][: len(names)]))


def savings_chart(
    runs: Mapping[str, Sequence[CurvePoint]],
    *,
    n_merges_wanted: int,
    height: int = 200,
    theme: Theme = "light",
    type_scale: float = 1.0,
) -> Specification:
    """Tokens saved by a merge, on a log scale: early merges help most."""
    rows = [
        {"run": name, "merges": point.n_merges, "tokens saved": point.saved, "token": repr(point.token)}
        for name, points in runs.items()
        for point in points
        if point.saved > 0
    ]
    frame = pd.DataFrame(rows, columns=["run", "merges", "tokens saved", "token"])
    made = _savings_json(
        tuple(runs), _last_merge(runs, n_merges_wanted), height=height, theme=theme, type_scale=type_scale
    )
    return _with_points(made, frame)


@lru_cache(maxsize=64)
def _savings_json(names: tuple[str, ...], last: int, *, height: int, theme: Theme, type_scale: float) -> str:
    chart = (
        alt.Chart(alt.NamedData(name=CURVES))
        .mark_line(strokeWidth=1.6)
        .encode(
            x=_merges_axis(last),
            y=alt.Y("tokens saved:Q", title="tokens saved a merge (log)", scale=alt.Scale(type="log")),
            color=alt.Color(
                "run:N",
                scale=_run_colors(names, theme),
                legend=None,
            ),
            tooltip=tooltips("run:N", "merges:Q", alt.Tooltip("tokens saved:Q", format=",.0f"), "token:N"),
        )
        .properties(height=height)
    )
    return _in_type(chart, type_scale, theme).to_json(validate=False)
