"""Charts of the formats page: costs, where the tokens go, and how they grow."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from playground.analysis.formats.costs import CostTable, baselines, saving
from playground.analysis.formats.registry import FORMATS
from playground.analysis.formats.scaling import Point
from playground.analysis.formats.values import ROLES, Role
from playground.render.palette import INK, Theme, tokenizer_color

#: Keys and values carry the meaning; what a format adds around them is warm.
ROLE_COLORS: dict[Theme, dict[Role, str]] = {
    "light": {"keys": "#0b6e62", "values": "#8fb8b0", "punctuation": "#b4531f", "whitespace": "#e3b98f"},
    "dark": {"keys": "#4fc3ae", "values": "#3c6f67", "punctuation": "#f0a06b", "whitespace": "#8a5a36"},
}
_ROW_PIXELS = 21
_AXIS_AND_LEGEND_PIXELS = 85
_HEAD, _LOSSY = " ", "LOSES SOMETHING"
#: Where the columns of numbers end, in parts of the longest bar.
_COLUMNS = {"tokens": 1.2, "vs pretty": 1.42, "vs compact": 1.66, "bytes": 1.9}


def cost_chart(table: CostTable, tokenizer_names: Sequence[str], *, theme: Theme) -> alt.LayerChart:
    """A bar a format for the first tokenizer, a point for each other; what loses something stands below."""
    first, *others = tokenizer_names
    counts = table.n_tokens[first]
    longest = max([n for name in tokenizer_names for n in table.n_tokens[name].values()] + [1])
    rows = [_cost_row(table, name, first) for name in sorted(counts, key=lambda name: (counts[name], name))]
    equal = [row for row in rows if row["fidelity"] == "equal"]
    lossy = [row for row in rows if row["fidelity"] == "lossy"]
    domain = [_HEAD, *(row["format"] for row in equal)]
    domain += [_LOSSY, *(row["format"] for row in lossy)] if lossy else []
    y = alt.Y(
        "format:N",
        scale=alt.Scale(domain=domain),
        axis=alt.Axis(
            title=None, domain=False, ticks=False, labelLimit=170, labelPadding=8, labelColor=INK[theme]
        ),
    )
    x = alt.X("tokens:Q", scale=alt.Scale(domain=[0, longest * 1.92]), axis=None)
    tooltip = ["format:N", "tokens:Q", "vs pretty:N", "vs compact:N", "bytes:Q", "fidelity:N"]
    solid = alt.Chart(_data(equal + lossy)).mark_bar(
        color=tokenizer_color(first), cornerRadiusEnd=2, height=13
    )
    bars = solid.encode(
        y=y,
        x=x,
        opacity=alt.condition("datum.fidelity == 'equal'", alt.value(1), alt.value(0.4)),
        tooltip=tooltip,
    )
    layers: list[Any] = [bars]
    points = [
        {"format": FORMATS[name].label, "tokens": n, "tokenizer": other}
        for other in others
        for name, n in table.n_tokens[other].items()
    ]
    if points:
        scale = alt.Scale(domain=others, range=[tokenizer_color(name) for name in others])
        mark = alt.Chart(_data(points)).mark_point(
            filled=True, size=46, opacity=1, stroke=INK[theme], strokeWidth=0.6
        )
        layers.append(
            mark.encode(
                y=y,
                x=alt.X("tokens:Q", scale=alt.Scale(domain=[0, longest * 1.92]), axis=None),
                color=alt.Color("tokenizer:N", scale=scale, legend=None),
                tooltip=["tokenizer:N", "format:N", "tokens:Q"],
            )
        )
    cells = [
        {"format": row["format"], "at": longest * at, "text": _cell(row[name])}
        for row in equal + lossy
        for name, at in _COLUMNS.items()
    ]
    heads = {name: name.removeprefix("vs ") for name in _COLUMNS}  # short enough for a telephone
    cells += [{"format": _HEAD, "at": longest * at, "text": heads[name]} for name, at in _COLUMNS.items()]
    layers.append(
        alt.Chart(_data(cells))
        .mark_text(align="right", color=INK[theme], fontSize=12)
        .encode(y=y, x=alt.X("at:Q", scale=alt.Scale(domain=[0, longest * 1.92]), axis=None), text="text:N")
    )
    chart: alt.LayerChart = (
        alt.layer(*layers)
        .properties(height=_ROW_PIXELS * len(domain), padding={"left": 0, "top": 0, "right": 0, "bottom": 0})
        .configure_view(strokeWidth=0)
    )
    return chart


def roles_chart(
    parts: Mapping[str, Mapping[Role, int]], fidelities: Mapping[str, str], *, theme: Theme
) -> alt.Chart:
    """Stacked bars, a format each, sorted by all of its tokens."""
    totals = {name: sum(by_role.values()) for name, by_role in parts.items()}
    order = sorted(parts, key=lambda name: (fidelities[name] != "equal", totals[name], name))
    values = [
        {"format": FORMATS[name].label, "role": role, "order": ROLES.index(role), "tokens": parts[name][role]}
        | {"of": totals[name], "share": f"{parts[name][role] / totals[name]:.0%}" if totals[name] else "–"}
        for name in order
        for role in ROLES
    ]
    colors = ROLE_COLORS[theme]
    chart: alt.Chart = (
        alt.Chart(_data(values))
        .mark_bar()
        .encode(
            y=alt.Y(
                "format:N",
                sort=[FORMATS[name].label for name in order],
                scale=alt.Scale(paddingInner=0.3, paddingOuter=0.15),
                axis=alt.Axis(
                    title=None,
                    domain=False,
                    ticks=False,
                    labelLimit=170,
                    labelOverlap=False,
                    labelColor=INK[theme],
                ),
            ),
            x=alt.X("tokens:Q", axis=alt.Axis(title="tokens", labelColor=INK[theme], titleColor=INK[theme])),
            color=alt.Color(
                "role:N",
                scale=alt.Scale(domain=list(ROLES), range=[colors[role] for role in ROLES]),
                legend=alt.Legend(title=None, orient="top", labelColor=INK[theme]),
            ),
            order="order:Q",
            tooltip=["format:N", "role:N", "tokens:Q", "share:N", "of:Q"],
        )
        .properties(height=_ROW_PIXELS * len(order) + _AXIS_AND_LEGEND_PIXELS)
        .configure_view(strokeWidth=0)
    )
    return chart


def growth_chart(
    points: Sequence[Point], *, x_title: str, theme: Theme, is_per_row: bool
) -> alt.LayerChart | alt.FacetChart:
    """A line a format; with `is_per_row` tokens are divided by rows, and rows stand on a log scale."""
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
    x_axis = alt.Axis(title=x_title, labelColor=ink, titleColor=ink, grid=False, format=",d")
    y_title = "tokens per row" if is_per_row else "tokens"
    base = alt.Chart(_data(values)).encode(
        x=alt.X("n:Q", scale=alt.Scale(type="log" if is_per_row else "linear", nice=False), axis=x_axis),
        y=alt.Y("y:Q", axis=alt.Axis(title=y_title, labelColor=ink, titleColor=ink, tickCount=5)),
        color=alt.Color(
            "format:N",
            scale=alt.Scale(domain=names),
            legend=alt.Legend(title=None, orient="right", labelColor=ink, labelLimit=160),
        ),
        tooltip=[
            "format:N",
            alt.Tooltip("n:Q", title="rows" if is_per_row else "levels", format=","),
            alt.Tooltip("tokens:Q", format=","),
            alt.Tooltip("y:Q", title=y_title, format=",.1f"),
        ],
    )
    lines = alt.layer(base.mark_line(strokeWidth=2), base.mark_point(filled=True, size=24))
    return lines.properties(height=330)


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


def percent_change(saved: float | None) -> str:
    """A saving as a change of cost.

    >>> percent_change(0.25), percent_change(-0.1), percent_change(0.0), percent_change(None)
    ('−25 %', '+10 %', '0 %', '–')
    """
    if saved is None:
        return "–"
    change = round(-100 * saved)
    return f"{'+' if change > 0 else '−' if change < 0 else ''}{abs(change):,} %"


def _cell(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


def _data(values: Sequence[Mapping[str, Any]]) -> alt.InlineData:
    return alt.InlineData(values=[dict(value) for value in values])
