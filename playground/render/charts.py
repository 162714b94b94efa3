"""What all charts of Altair share.

A chart is not checked against Vega-Lite's schema while a visitor waits, half of a run of Formats: the tests
check a chart of each kind. What a channel shows is given by its own class, such as `alt.Text`: for a
bare string Altair looks through its whole schema, which takes 8 ms each time and holds the interpreter.
"""

from typing import Any, cast

import altair as alt
from altair.utils import schemapi

AnyChart = alt.Chart | alt.LayerChart

schemapi.disable_debug_mode()


class _Unchecked:
    """A chart as Streamlit asks for it, which names no options."""

    def __init__(self, chart: AnyChart) -> None:
        self._chart = chart

    def to_dict(self) -> dict[str, Any]:
        return self._chart.to_dict(validate=False)


def unchecked(chart: AnyChart) -> AnyChart:
    """What `st.altair_chart` takes for a chart that a test has checked."""
    return cast(AnyChart, _Unchecked(chart))


def tooltips(*fields: str | alt.Tooltip) -> list[alt.Tooltip]:
    """What is told of a mark, each field by its name or as it is.

    >>> [tooltip.to_dict() for tooltip in tooltips("tokens:Q")]
    [{'field': 'tokens', 'type': 'quantitative'}]
    """
    return [alt.Tooltip(field) if isinstance(field, str) else field for field in fields]
