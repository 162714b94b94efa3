"""Altair charts of languages and of vocabularies; the figures come from `analysis`."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import altair as alt
import pandas as pd

from playground.analysis.language_counts import LanguageCount
from playground.render.charts import AnyChart, tooltips
from playground.render.palette import INK, Theme, tokenizer_colors

#: The last bar of the histogram counts all longer tokens.
MAX_HISTOGRAM_BYTES = 20
#: Plots below this width in pixels have their legend aligned to the right edge.
_NARROW = 320
#: Vega expression: the chart is on a phone. Language names are then shortened, and their size is limited.
_IS_ON_TELEPHONE = "width > 0 && containerSize()[0] < 480"
_NAME_PIXELS, _MOST_PIXELS = 12, 13.5
_DETAIL = "/, (Mandarin|Standard|Central|Western)| \\((1996|monotonic|Nigeria)\\)/g"
#: Widths in the legend in pixels: a letter, the mark with its margins, and the longest name.
_LETTER, _MARK, _NAME_LIMIT = 7.6, 34, 160


def languages_chart(counts: Sequence[LanguageCount], *, theme: Theme, type_scale: float = 1.0) -> AnyChart:
    """Return a chart of the tokens of each language relative to English, with a dot for each tokenizer.

    Languages are sorted by the first tokenizer. A click on a dot selects its language as "language".

    >>> count = LanguageCount("Burmese", "mya", "gpt2", 726, 170, 500, 22.0)
    >>> languages_chart([count], theme="light").to_dict()["params"][0]["name"]
    'language'
    """
    frame = pd.DataFrame(
        {
            "language": [count.language for count in counts],
            "tokenizer": [count.tokenizer_name for count in counts],
            "tokens": [count.n_tokens for count in counts],
            "times English": [round(count.times_english, 2) for count in counts],
        }
    )
    first = counts[0].tokenizer_name if counts else ""
    order = sorted(
        (count for count in counts if count.tokenizer_name == first), key=lambda count: -count.times_english
    )
    names = [count.language for count in order]
    pick = alt.selection_point(name="language", fields=["language"], on="click")
    y = alt.Y(
        "language:N",
        sort=names,
        title=None,
        axis=_name_axis(
            type_scale, labelExpr=f"{_IS_ON_TELEPHONE} ? replace(datum.label, {_DETAIL}, '') : datum.label"
        ),
    )
    lines = (
        alt.Chart(frame)
        .mark_rule(color="#8b9297", opacity=0.6)
        .encode(y=y, x=alt.X("min(times English):Q"), x2=alt.X2("max(times English):Q"))
    )
    dots = (
        alt.Chart(frame)
        .mark_circle(size=90, opacity=1)
        .encode(
            x=alt.X("times English:Q", title="times English (log scale)").scale(
                type="log", nice=False, padding=12
            ),
            y=y,
            color=_color_by_tokenizer(frame["tokenizer"], theme=theme, type_scale=type_scale),
            tooltip=tooltips("language", "tokenizer", alt.Tooltip("tokens:Q", format=","), "times English"),
        )
        .add_params(pick)
    )
    return _sized(lines + dots, height=(17 * len(names) + 60) * type_scale, theme=theme)


def lengths_chart(
    n_tokens_by_bytes: Mapping[str, Sequence[int]],
    *,
    theme: Theme,
    among: Iterable[str] = (),
    type_scale: float = 1.0,
) -> AnyChart:
    """Return a histogram of token lengths; the counts are for 0, 1, 2, … bytes.

    Colours are those that the names have `among` all tokenizers of the page.

    >>> lengths_chart({"gpt2": [0, 256, 900]}, theme="light").to_dict()["mark"]["type"]
    'line'
    """
    records = []
    for name, counts in n_tokens_by_bytes.items():
        shown = [*counts[:MAX_HISTOGRAM_BYTES], sum(counts[MAX_HISTOGRAM_BYTES:])]
        records += [{"vocabulary": name, "bytes": n, "tokens": count} for n, count in enumerate(shown) if n]
    frame = pd.DataFrame(records)
    chart = (
        alt.Chart(frame)
        .mark_line(interpolate="step", strokeWidth=2.5)
        .encode(
            x=alt.X("bytes:Q", title=["bytes in a token", f"({MAX_HISTOGRAM_BYTES}: that many and more)"]),
            y=alt.Y("tokens:Q", axis=alt.Axis(format=",d")),
            color=_color_by_tokenizer(
                frame["vocabulary"], theme=theme, among=among, field="vocabulary", type_scale=type_scale
            ),
            tooltip=tooltips("vocabulary", "bytes", alt.Tooltip("tokens:Q", format=",")),
        )
    )
    return _sized(chart, height=260 * type_scale, theme=theme)


def scripts_chart(
    n_tokens_by_script: Mapping[str, Mapping[str, int]],
    *,
    theme: Theme,
    among: Iterable[str] = (),
    n_scripts: int = 12,
    type_scale: float = 1.0,
) -> AnyChart:
    """Return a chart of tokens by script on a logarithmic axis; only the largest scripts are shown.

    >>> scripts_chart({"gpt2": {"Latin": 40000, "Cyrillic": 300}}, theme="light").to_dict()["mark"]["type"]
    'circle'
    """
    totals: dict[str, int] = {}
    for counts in n_tokens_by_script.values():
        for script, count in counts.items():
            totals[script] = max(totals.get(script, 0), count)
    names = sorted(totals, key=lambda script: -totals[script])[:n_scripts]
    frame = pd.DataFrame(
        [
            {"vocabulary": name, "script": script, "tokens": counts[script]}
            for name, counts in n_tokens_by_script.items()
            for script in names
            if counts.get(script)
        ]
    )
    chart = (
        alt.Chart(frame)
        .mark_circle(size=110, opacity=1)
        .encode(
            x=alt.X("tokens:Q", title="tokens (logarithmic)", axis=alt.Axis(format=",d")).scale(type="log"),
            y=alt.Y(
                "script:N",
                sort=names,
                title=None,
                axis=_name_axis(type_scale),
            ),
            color=_color_by_tokenizer(
                frame["vocabulary"], theme=theme, among=among, field="vocabulary", type_scale=type_scale
            ),
            tooltip=tooltips("vocabulary", "script", alt.Tooltip("tokens:Q", format=",")),
        )
    )
    return _sized(chart, height=(20 * len(names) + 60) * type_scale, theme=theme)


def _color_by_tokenizer(
    names: Iterable[str],
    *,
    theme: Theme,
    among: Iterable[str] = (),
    field: str = "tokenizer",
    type_scale: float = 1.0,
) -> alt.Color:
    """Return the colour channel; the number of columns in the legend follows the width."""
    domain = list(dict.fromkeys(names))
    known = list(dict.fromkeys([*among, *domain]))
    colors = dict(zip(known, tokenizer_colors(known, theme=theme), strict=True))
    scale = alt.Scale(domain=domain, range=[colors[name] for name in domain])
    longest = max(map(len, domain), default=0)
    n_pixels = (min(_LETTER * longest, _NAME_LIMIT) + _MARK) * type_scale
    most = 3 if len(domain) > 4 else max(len(domain), 1)
    columns = alt.ExprRef(f"max(1, min({most}, floor(width / {n_pixels:.0f})))")
    limit = _NAME_LIMIT * type_scale
    legend = alt.Legend(orient="top", title=None, columns=columns, labelLimit=limit)
    return alt.Color(f"{field}:N", scale=scale, legend=legend)


def _name_axis(type_scale: float, **more: Any) -> alt.Axis:
    """Return an axis on which every name is shown."""
    return alt.Axis(
        labelLimit=220 * type_scale,
        labelOverlap=False,
        labelFlush=False,
        labelFontSize=_name_size(type_scale),
        **more,
    )


def _name_size(type_scale: float) -> alt.ExprRef:
    """Return the size of the names beside a plot, in pixels."""
    size = _NAME_PIXELS * type_scale
    return alt.ExprRef(f"{_IS_ON_TELEPHONE} ? {min(size, _MOST_PIXELS):g} : {size:g}")


def _sized(chart: AnyChart, *, height: float, theme: Theme) -> AnyChart:
    """Set the height, and colour the axes with ink: Streamlit's grey is too faint for small type."""
    ink = INK[theme]
    axes = chart.properties(height=height).configure_axis(labelColor=ink, titleColor=ink)
    # A narrow plot is narrower than its legend, which would be clipped at the right.
    layout = alt.ExprRef(f"{{top: {{anchor: width < {_NARROW} ? 'end' : 'start'}}}}")
    return cast(AnyChart, axes.configure_legend(labelColor=ink, layout=layout))
