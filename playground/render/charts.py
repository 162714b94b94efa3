"""Helpers for all Altair charts.

Charts are not validated against Vega-Lite's schema while a visitor waits, which would take half of a run of
Formats; the tests validate a chart of each kind. Channels are given as objects such as `alt.Text`, because
for a bare string Altair searches its whole schema, which takes 8 ms.
"""

from typing import Any, cast

import altair as alt
from altair.utils import schemapi

AnyChart = alt.Chart | alt.LayerChart

schemapi.disable_debug_mode()


class _Unchecked:
    """A chart whose `to_dict`, which Streamlit calls without options, skips validation."""

    def __init__(self, chart: AnyChart) -> None:
        self._chart = chart

    def to_dict(self) -> dict[str, Any]:
        return self._chart.to_dict(validate=False)


def unchecked(chart: AnyChart) -> AnyChart:
    """Return a chart for `st.altair_chart` that is not validated again."""
    return cast(AnyChart, _Unchecked(chart))


def tooltips(*fields: str | alt.Tooltip) -> list[alt.Tooltip]:
    """Return the tooltip of a mark; a string is the name of a field.

    >>> [tooltip.to_dict() for tooltip in tooltips("tokens:Q")]
    [{'field': 'tokens', 'type': 'quantitative'}]
    """
    return [alt.Tooltip(field) if isinstance(field, str) else field for field in fields]
