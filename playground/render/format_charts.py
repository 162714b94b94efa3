"""Altair charts of the Formats page: tokens of each format, their roles, and growth with the data."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import altair as alt

from playground.formats.costs import CostTable, baselines, in_order, percent_change, saving
from playground.formats.registry import FORMATS
from playground.formats.scaling import Point
from playground.formats.values import ROLES, Role
from playground.render.charts import tooltips
from playground.render.palette import INK, Theme, tokenizer_colors

#: Cold colours for keys and values, warm ones for what a format adds.
ROLE_COLORS: dict[Theme, dict[Role, str]] = {
    "light": {"keys": "#0b6e62", "values": "#8fb8b0", "punctuation": "#b4531f", "whitespace": "#e3b98f"},
    "dark": {"keys": "#4fc3ae", "values": "#3c6f67", "punctuation": "#f0a06b", "whitespace": "#8a5a36"},
}
#: Shapes of tokenizers, to tell apart those of one colour.
_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross")
_ROW_PIXELS = 21
_LEGEND_PIXELS, _AXIS_PIXELS = 36, 50
#: The number of legend rows depends on the width, so the plot is fitted again when it is known.
_FITTING = alt.AutoSizeParams(type="fit", contains="padding", resize=True)
#: Labels of all formats, the most common first: a format has the same colour beside any others.
_COLORED_FIRST = ("json_pretty", "json_compact", "yaml", "csv", "toon", "xml_elements", "json_dumps")
_COLOR_ORDER = [FORMATS[name].label for name in dict.fromkeys([*_COLORED_FIRST, *FORMATS])]
_HEAD, _LOSSY = " ", "LOSES SOMETHING"
#: Columns of numbers: pixels from the right edge to the end of each on a tight, a narrow and a wide chart;
#: None if there is no room for the column.
_COLUMNS = {
    "tokens": (63, 116, 208),
    "vs pretty": (None, 63, 138),
    "vs compact": (0, 0, 58),
    "bytes": (None, None, 0),
}
#: Width of all columns in pixels, in the same order.
_COLUMNS_ROOM = (110, 168, 282)


def cost_chart(
    table: CostTable, tokenizer_names: Sequence[str], *, theme: Theme, type_scale: float = 1.0
) -> alt.LayerChart:
    """Return a chart with a bar for each format in the first tokenizer, and points for the others.

    Formats that lose information are at the bottom. `type_scale` enlarges type and spacing.
    """
    first, *others = tokenizer_names
    counts = table.n_tokens[first]
    longest = max([n for name in tokenizer_names for n in table.n_tokens[name].values()] + [1])
    order = in_order(counts, {found.format_name: found.fidelity for found in table.conversions})
    rows = [_cost_row(table, name, first) for name in order]
    domain = _domain(row["format"] for row in rows if row["fidelity"] == "equal") + _domain(
        (row["format"] for row in rows if row["fidelity"] == "lossy"), head=_LOSSY
    )
    y = _format_axis(domain, theme)
    x = alt.X(
        "tokens:Q",
        scale=alt.Scale(domain=[0, longest], rangeMax=alt.ExprRef(_bars_end(type_scale))),
        axis=None,
    )
    colors = tokenizer_colors(tokenizer_names, theme=theme)
    legend = alt.Legend(
        title=None,
        orient="top",
        symbolType=alt.Undefined if others else "circle",  # several tokenizers have their shapes
        symbolSize=70,
        symbolOpacity=1,
        symbolStrokeWidth=0,
        offset=4,
        columns=alt.ExprRef(_by_width(type_scale, 1, 2, 8)),
        labelColor=INK[theme],
        labelLimit=200,
        labelExpr=f"datum.index == 0 ? datum.label + '{' (bars)' if others else ''}' : datum.label",
    )
    color = alt.Color(
        "tokenizer:N", scale=alt.Scale(domain=list(tokenizer_names), range=colors), legend=legend
    )
    shape = alt.Shape(
        "tokenizer:N", scale=alt.Scale(domain=list(tokenizer_names), range=_shapes(colors)), legend=legend
    )
    bars = (
        alt.Chart(_data([row | {"tokenizer": first} for row in rows]))
        .mark_bar(cornerRadiusEnd=2, height=13)
        .encode(
            y=y,
            x=x,
            color=color,
            opacity=alt.OpacityValue(0.4, condition={"test": "datum.fidelity == 'equal'", "value": 1}),
            tooltip=tooltips("format:N", "tokens:Q", "vs pretty:N", "vs compact:N", "bytes:Q", "fidelity:N"),
        )
    )
    points = [
        {"format": FORMATS[name].label, "tokens": n, "tokenizer": other}
        for other in others
        for name, n in table.n_tokens[other].items()
    ]
    dots = alt.Chart(_data(points)).mark_point(
        filled=True, size=46, opacity=1, stroke=INK[theme], strokeWidth=0.6
    )
    layers: list[Any] = [bars]
    if points:
        layers.append(
            dots.encode(
                y=y, x=x, color=color, shape=shape, tooltip=tooltips("tokenizer:N", "format:N", "tokens:Q")
            )
        )
    layers += [_number_column(rows, name, y, theme, type_scale) for name in _COLUMNS]
    chart: alt.LayerChart = (
        alt.layer(*layers)
        .properties(
            height=_ROW_PIXELS * type_scale * len(domain) + _LEGEND_PIXELS * type_scale,
            padding={"left": 0, "top": 0, "right": 0, "bottom": 0},
            autosize=_FITTING,
        )
        .configure_view(strokeWidth=0)
    )
    return chart


def _shapes(colors: Sequence[str]) -> list[str]:
    """Return a shape for each tokenizer, so that tokenizers of one colour have different shapes.

    >>> _shapes(["#a52400", "#0b9b90", "#a52400"])
    ['circle', 'circle', 'square']
    """
    return [_SHAPES[colors[:number].count(color) % len(_SHAPES)] for number, color in enumerate(colors)]


def roles_chart(
    parts: Mapping[str, Mapping[Role, int]],
    fidelities: Mapping[str, str],
    totals: Mapping[str, int],
    *,
    theme: Theme,
    type_scale: float = 1.0,
) -> alt.Chart:
    """Return a stacked bar for each format, sorted by its tokens; formats that lose information are below.

    `totals` has the tokens of all formats. A format that is not divided yet has its row already, so that no
    row moves. `type_scale` enlarges the rows.
    """
    order = in_order(totals, fidelities)
    values = [
        {"format": FORMATS[name].label, "role": role, "order": ROLES.index(role), "tokens": parts[name][role]}
        | {"of": totals[name], "share": f"{parts[name][role] / totals[name]:.0%}" if totals[name] else "–"}
        for name in order
        if name in parts
        for role in ROLES
    ]
    domain = [FORMATS[name].label for name in order if fidelities[name] == "equal"]
    domain += _domain((FORMATS[name].label for name in order if fidelities[name] == "lossy"), head=_LOSSY)
    ink = INK[theme]
    axis = alt.Axis(title="tokens", labelColor=ink, titleColor=ink, tickCount=5, format=",d", tickMinStep=1)
    color = alt.Color(
        "role:N",
        scale=alt.Scale(domain=list(ROLES), range=[ROLE_COLORS[theme][role] for role in ROLES]),
        legend=alt.Legend(
            title=None, orient="top", columns=alt.ExprRef(_by_width(type_scale, 1, 2, 4)), labelColor=ink
        ),
    )
    chart: alt.Chart = (
        alt.Chart(_data(values))
        .mark_bar(height=13)
        .encode(
            y=_format_axis(domain, theme),
            x=alt.X("tokens:Q", axis=axis),
            color=color,
            order=alt.Order("order:Q"),
            tooltip=tooltips("format:N", "role:N", "tokens:Q", "share:N", "of:Q"),
        )
        .properties(
            height=(_ROW_PIXELS * len(domain) + _LEGEND_PIXELS + _AXIS_PIXELS) * type_scale, autosize=_FITTING
        )
        .configure_view(strokeWidth=0)
    )
    return chart


def growth_chart(points: Sequence[Point], *, x_title: str, theme: Theme, is_per_row: bool) -> alt.LayerChart:
    """Return a line for each format; with `is_per_row`, tokens per row over rows on a log scale."""
    values = [
        {
            "format": FORMATS[point.format_name].label,
            "n": point.n,
            "tokens": point.n_tokens,
            "y": round(point.n_tokens / point.n, 2) if is_per_row else point.n_tokens,
        }
        for point in points
    ]
    names = list(dict.fromkeys(FORMATS[point.format_name].label for point in points))
    ink = INK[theme]
    sizes = sorted({point.n for point in points})
    x_axis = alt.Axis(
        title=x_title,
        labelColor=ink,
        titleColor=ink,
        grid=False,
        format=",d",
        values=sizes,
        labelOverlap=True,
    )
    y_title = "tokens per row" if is_per_row else "tokens"
    base = alt.Chart(_data(values)).encode(
        x=alt.X("n:Q", scale=alt.Scale(type="log" if is_per_row else "linear", nice=False), axis=x_axis),
        y=alt.Y("y:Q", axis=alt.Axis(title=y_title, labelColor=ink, titleColor=ink, tickCount=5)),
        color=alt.Color(
            "format:N",
            scale=alt.Scale(domain=_COLOR_ORDER),
            legend=alt.Legend(
                title=None,
                values=names,
                orient="top",
                columns=alt.ExprRef(_by_width(1.0, 2, 2, 6)),
                symbolType="stroke",
                symbolOpacity=1,
                symbolStrokeWidth=3,
                labelColor=ink,
                labelLimit=160,
                labelFontSize=alt.ExprRef("width < 320 ? 13 : 14"),
            ),
        ),
        tooltip=tooltips(
            "format:N",
            alt.Tooltip("n:Q", title="rows" if is_per_row else "levels", format=","),
            alt.Tooltip("tokens:Q", format=","),
            alt.Tooltip("y:Q", title=y_title, format=",.1f"),
        ),
    )
    marks = [base.mark_line(strokeWidth=2), base.mark_point(filled=True, size=24, opacity=1)]
    return alt.LayerChart(layer=marks).properties(height=330, autosize=_FITTING)


def _cost_row(table: CostTable, name: str, tokenizer_name: str) -> dict[str, Any]:
    counts = table.n_tokens[tokenizer_name]
    found = table.conversion(name)
    pretty, compact = (saving(counts[name], n) for n in baselines(counts))
    return {
        "format": FORMATS[name].label,
        "tokens": counts[name],
        "vs pretty": percent_change(pretty),
        "vs compact": percent_change(compact),
        "bytes": found.n_bytes,
        "fidelity": found.fidelity,
    }


def _domain(labels: Iterable[str], *, head: str = _HEAD) -> list[str]:
    """Return the rows of a chart below a heading; [] for `_LOSSY` without labels."""
    rows = list(labels)
    return [head, *rows] if rows or head == _HEAD else []


def _format_axis(domain: list[str], theme: Theme) -> alt.Y:
    axis = alt.Axis(
        title=None,
        domain=False,
        ticks=False,
        grid=False,
        labelLimit=170,
        labelPadding=8,
        labelOverlap=False,
        labelColor=INK[theme],
        labelFontWeight=alt.ExprRef(f"datum.value == '{_LOSSY}' ? 600 : 400"),
    )
    return alt.Y("format:N", sort=None, scale=alt.Scale(domain=domain, paddingOuter=0.3), axis=axis)


def _bars_end(type_scale: float) -> str:
    """Return a Vega expression for the right end of the bars, where the columns of numbers begin."""
    return f"max(20, width - {type_scale} * {_by_width(type_scale, *_COLUMNS_ROOM)})"


def _by_width(type_scale: float, tight: object, narrow: object, wide: object) -> str:
    """Return a Vega expression that chooses a value by the width of the chart.

    A phone's chart is narrow, and tight with large type.

    >>> _by_width(1.0, 1, 2, 8)
    '(width < 228.0 ? 1 : width < 420.0 ? 2 : 8)'
    """
    tight_end = _COLUMNS_ROOM[1] * type_scale + 60
    return f"(width < {tight_end} ? {tight} : width < {420 * type_scale} ? {narrow} : {wide})"


def _number_column(
    rows: Sequence[Mapping[str, Any]], name: str, y: alt.Y, theme: Theme, type_scale: float
) -> alt.Chart:
    """Return a column of numbers at the right, with its name above it."""
    ends = _COLUMNS[name]
    cells = [{"format": row["format"], "text": _cell(row[name])} for row in rows]
    mark = alt.Chart(_data([{"format": _HEAD, "text": name}, *cells])).mark_text(
        align="right",
        color=INK[theme],
        fontSize=alt.ExprRef(f"{type_scale} * {_by_width(type_scale, 11, 11, 12)}"),
        x=alt.ExprRef(f"width - {type_scale} * {_by_width(type_scale, *(end or 0 for end in ends))}"),
        opacity=alt.ExprRef(_by_width(type_scale, *(0 if end is None else 1 for end in ends))),
    )
    column: alt.Chart = mark.encode(y=y, text=alt.Text("text:N"))
    return column


def _cell(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


def _data(values: Sequence[Mapping[str, Any]]) -> alt.InlineData:
    return alt.InlineData(values=[dict(value) for value in values])
