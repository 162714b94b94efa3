"""The live chart of a training: compression, or tokens saved, against merges."""

import streamlit as st

from playground.render.training_charts import UNITS, compression_chart, savings_chart
from playground.training.curve import MAX_LIVE_POINTS, MAX_POINTS, curve_points
from playground.training.run import TrainingRun
from playground.ui import page, state
from playground.ui.save_chart import save_chart_buttons
from playground.ui.train.session import TrainingSession

#: The key of the container that holds the live chart; the film's line stands on it.
LIVE_CHART = "train-live-chart"
CHARTS = ["Compression", "% saved", "Tokens saved", "With vocabulary"]
CHART = state.Field("train.chart", CHARTS[0])
_HEIGHT = 255


def show_chart(session: TrainingSession, run: TrainingRun) -> None:
    """Choose a chart and draw it; it can be saved."""
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        kind = st.segmented_control(
            "Chart", CHARTS, required=True, label_visibility="collapsed", **CHART.some_of(CHARTS)
        )
        save_chart_buttons(LIVE_CHART, file_name="training")
    with st.container(key=LIVE_CHART):
        _draw(session, run, kind)


def _draw(session: TrainingSession, run: TrainingRun, kind: str) -> None:
    points = curve_points(run, max_points=MAX_LIVE_POINTS if run.is_active else MAX_POINTS)
    n_wanted = run.n_merges if run.status.is_over else run.n_merges_wanted
    if kind == "Tokens saved":
        chart = savings_chart(
            {session.title: points},
            n_merges_wanted=n_wanted,
            height=_HEIGHT,
            theme=page.theme(),
            type_scale=page.type_scale(),
        )
        st.vega_lite_chart(chart, width="stretch", key="train-savings")
        return
    st.vega_lite_chart(
        compression_chart(
            {session.title: points},
            run.references,
            n_merges_wanted=n_wanted,
            unit=UNITS["share" if kind == "% saved" else "times"],
            shows_vocab=kind == "With vocabulary",
            height=_HEIGHT,
            theme=page.theme(),
            type_scale=page.type_scale(),
        ),
        width="stretch",
        key="train-share" if kind == "% saved" else "train-compression",
    )
