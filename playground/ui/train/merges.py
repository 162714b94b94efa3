"""The merges of a training as they come: the film of a text beside the newest merges and the next pairs."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from playground.render.shown_bytes import shown_bytes
from playground.training.run import TrainingRun
from playground.ui.train.chart import LIVE_CHART
from playground.ui.train.film import show_film
from playground.ui.train.session import TrainingSession

_SHOWN_MERGES = 40
_TABLE_HEIGHT = 215


def draw_merges(session: TrainingSession, run: TrainingRun) -> None:
    """Draw the film of the run beside its newest merges and the pairs that come next."""
    film, tables = st.columns([3, 2], gap="medium")
    with tables:
        _newest_merges(run)
        mark = _next_pairs(run)
    with film:
        show_film(session, run, chart=LIVE_CHART, mark=mark)


def _newest_merges(run: TrainingRun) -> None:
    merges = run.merges(max(0, run.n_merges - _SHOWN_MERGES))
    raw_of = run.token_bytes()
    frame = pd.DataFrame(
        [
            (m.rank + 1, f"{_pair(raw_of, m.left, m.right)} → {shown_bytes(m.raw)}", m.pair_count, m.n_tokens)
            for m in reversed(merges)
        ],
        columns=["merge", "pair → new token", "count", "tokens left"],
    )
    st.dataframe(
        frame,
        hide_index=True,
        height=_TABLE_HEIGHT,
        width="stretch",
        key="train-newest",
        column_config={
            "merge": st.column_config.NumberColumn(format="localized", width=56),
            "count": st.column_config.NumberColumn(format="localized", width=64),
            "tokens left": st.column_config.NumberColumn(format="localized", width=84),
        },
    )


def _next_pairs(run: TrainingRun) -> tuple[int, int] | None:
    """The pairs that come next; on a run that holds still, the one chosen to be marked in the text."""
    pairs = run.top_pairs(8)
    raw_of = run.token_bytes()
    frame = pd.DataFrame(
        [(_pair(raw_of, pair.left, pair.right), pair.count) for pair in pairs],
        columns=["next pairs (get_stats)", "count"],
    )
    columns = {"count": st.column_config.NumberColumn(format="localized", width=84)}
    if run.is_active or not pairs:
        st.dataframe(
            frame,
            hide_index=True,
            height=_TABLE_HEIGHT,
            width="stretch",
            key="train-next",
            column_config=columns,
        )
        return None
    chosen = st.dataframe(
        frame,
        hide_index=True,
        height=_TABLE_HEIGHT,
        width="stretch",
        key=f"train-next-{run.n_merges}",
        column_config=columns,
        on_select="rerun",
        selection_mode="single-row",
    )
    st.caption("Choose a pair to see where it stands in the text.")
    rows = chosen.selection.rows
    return (pairs[rows[0]].left, pairs[rows[0]].right) if rows else None


def _pair(raw_of: Sequence[bytes], left: int, right: int) -> str:
    return f"{shown_bytes(raw_of[left])} + {shown_bytes(raw_of[right])}"
