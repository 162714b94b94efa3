"""Runs against each other: their curves on one chart, and each tokenizer on each text."""

import pandas as pd
import streamlit as st

from playground.catalog.trained import TrainedTokenizer
from playground.render.training_charts import compression_chart
from playground.training.curve import curve_points
from playground.ui import page, state
from playground.ui.save_chart import save_chart_buttons
from playground.ui.train.session import TrainingSession

_CHART = "train-compared-chart"


def show_compared(session: TrainingSession) -> None:
    """Choose runs of this session and see what each makes of each one's text."""
    runs = session.runs()
    if len(runs) < 2:
        st.info("Start a second run, with another split pattern or corpus, and both stand here on one chart.")
    # A run that ends may get another title: what was chosen before is then not what is offered.
    is_renamed = session.title not in runs
    field = state.Field(f"train.compared.{session.n_started}{'.over' * is_renamed}", list(runs)[-3:])
    chosen = st.multiselect("Runs", list(runs), **field.some_of(list(runs)))
    if not chosen:
        return
    compared = {title: runs[title] for title in chosen}
    points = {title: curve_points(run) for title, run in compared.items()}
    with st.container(horizontal=True, horizontal_alignment="right"):
        save_chart_buttons(_CHART, file_name="runs-compared")
    with st.container(key=_CHART):
        chart = compression_chart(
            points, {}, n_merges_wanted=1, height=300, theme=page.theme(), type_scale=page.type_scale()
        )
        st.vega_lite_chart(chart, width="stretch", key="train-ab")
    texts = {title: run.held_out_texts or run.training_texts for title, run in compared.items()}
    if len(set(texts.values())) > 1:
        st.caption(
            "Each line is measured on its own run's text, and these texts differ. The table has each "
            "tokenizer on the same text."
        )
    rows = {}
    for title, run in compared.items():
        tokenizer = run.tokenizer(title)
        rows[title] = [_bytes_per_token(tokenizer, texts[other]) for other in chosen]
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=[f"text of {title}" for title in chosen])
    frame.index.name = "tokenizer of"  # no header is empty
    st.dataframe(frame.style.format("{:.2f}"), width="stretch")
    holds_out = all(run.held_out_texts for run in compared.values())
    st.caption(
        "Bytes a token: each run's tokenizer (row) on each run's held-out text (column). More is shorter."
        + (
            ""
            if holds_out
            else " Of a text of which nothing was held out, the column is all that was learned from."
        )
    )


def _bytes_per_token(tokenizer: TrainedTokenizer, texts: tuple[str, ...]) -> float:
    n_tokens = sum(len(tokenizer.encode(text)) for text in texts)
    return sum(len(text.encode()) for text in texts) / n_tokens if n_tokens else 0.0
