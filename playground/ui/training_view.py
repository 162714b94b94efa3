"""The live part of the training page: buttons, progress, chart and the merges as they come."""

from collections.abc import Callable

import pandas as pd
import streamlit as st

from playground.analysis.training_curve import curve_points
from playground.analysis.training_run import SPEEDS, Status, TrainingRun
from playground.render.highlight import visible
from playground.render.training_charts import compression_chart, savings_chart
from playground.ui import state
from playground.ui.training_session import EXAMPLE_SPEED, TrainingSession

_REFRESH_SECONDS = 0.25
_SHOWN_MERGES = 40
_CHART_HEIGHT = 290
_NUMBER = st.column_config.NumberColumn(format="localized")
CHARTS = ["Compression", "Tokens saved", "With vocabulary"]


def show_training(session: TrainingSession, start: Callable[[float | None], None] | None) -> None:
    """Draw the run, again and again while it is active; `start` begins a new one at a speed."""
    run = session.run
    is_live = run is not None and run.is_active
    st.fragment(_live, run_every=_REFRESH_SECONDS if is_live else None)(session, start, is_live)


def _live(session: TrainingSession, start: Callable[[float | None], None] | None, was_live: bool) -> None:
    _buttons(session, start)
    run = session.run
    if run is None:
        st.info("Nothing is being learned. Choose a corpus and press Start.")
        return
    _progress(run)
    if run.n_merges:
        _charts(session, run)
        newest, next_pairs = st.columns([3, 2])
        with newest:
            _newest_merges(run)
        with next_pairs:
            _next_pairs(run)
    if was_live and not run.is_active:
        st.rerun()  # the timer stops, and what can be done with the result appears


def _buttons(session: TrainingSession, start: Callable[[float | None], None] | None) -> None:
    run = session.run
    status = run.status if run is not None else Status.STOPPED
    columns = st.columns([1.5, 1.5, 1, 1, 1.1, 1.2, 1.2, 3.2], vertical_alignment="bottom", gap="small")
    names = list(SPEEDS)
    with columns[7]:
        speed = st.select_slider(
            "Merges a second",
            names,
            value=state.keep("train.speed", lambda: EXAMPLE_SPEED),
            key="train-speed",
        )
        state.put("train.speed", speed)
    if run is not None:
        run.merges_per_second = SPEEDS[speed]
    # Callbacks run before anything is drawn, so a click that meets a refresh is not lost.
    can_end = status in (Status.PREPARING, Status.RUNNING, Status.PAUSED)
    is_paused = status is Status.PAUSED
    columns[0].button(
        "Start",
        type="primary",
        icon=":material/play_arrow:",
        key="train-start",
        disabled=start is None,
        width="stretch",
        on_click=lambda: _act(start, SPEEDS[speed]),
    )
    columns[1].button(
        "Resume" if is_paused else "Pause",
        key="train-pause",
        disabled=status not in (Status.RUNNING, Status.PAUSED),
        width="stretch",
        on_click=lambda: _act(run.resume if run.status is Status.PAUSED else run.pause) if run else None,
    )
    for column, n_merges in zip(columns[2:5], (1, 10, 100), strict=True):
        column.button(
            f"+{n_merges}",
            key=f"train-step-{n_merges}",
            disabled=not is_paused,
            width="stretch",
            help="So many merges more: pause first",
            on_click=lambda n=n_merges: _act(run.step, n) if run else None,
        )
    columns[5].button(
        "Stop",
        key="train-stop",
        disabled=not can_end,
        width="stretch",
        help="End the run and keep what it has learned",
        on_click=lambda: _act(run.stop) if run else None,
    )
    columns[6].button(
        "Reset",
        key="train-reset",
        disabled=run is None,
        width="stretch",
        help="Forget this run",
        on_click=lambda: _act(session.reset),
    )
    if state.take("train.acted", False):
        st.rerun()  # the whole page: what is offered below it depends on the run


def _act(action: Callable[..., object] | None, *arguments: object) -> None:
    if action is not None:
        action(*arguments)
        state.put("train.acted", True)


def _progress(run: TrainingRun) -> None:
    done, wanted = run.n_merges, run.n_merges_wanted
    if run.status is Status.FAILED:
        st.error(run.error)
    elif run.status is Status.PREPARING:
        st.progress(0.0, text=f"{run.stage} …")
    else:
        parts = [f"**{run.status.value.capitalize()}** · {done:,} of {wanted:,} merges"]
        speed = run.merges_per_second
        if run.status is Status.RUNNING and speed is not None:
            parts.append(f"{speed:,.0f} a second, {_duration((wanted - done) / speed)} left")
        elif run.seconds and done:
            parts.append(f"{run.seconds:.2f} s of work")
        if run.stop_reason:
            parts.append(run.stop_reason)
        parts.append(f"{run.n_bytes:,} bytes in {run.n_chunks:,} distinct chunks")
        st.progress(min(done / wanted, 1.0), text=" · ".join(parts))
        if run.n_unmatched_bytes:
            st.warning(
                f"The split pattern leaves {run.n_unmatched_bytes:,} bytes unmatched. "
                "They are kept as chunks of their own."
            )


def _charts(session: TrainingSession, run: TrainingRun) -> None:
    points = curve_points(run)
    kind = state.keep("train.chart", lambda: CHARTS[0])
    if kind == "Tokens saved":
        st.altair_chart(
            savings_chart({session.title: points}, height=_CHART_HEIGHT), width="stretch", key="train-savings"
        )
        return
    chart = compression_chart(
        {session.title: points},
        run.references,
        n_merges_wanted=run.n_merges if run.status is Status.FINISHED else run.n_merges_wanted,
        shows_vocab=kind == "With vocabulary",
        height=_CHART_HEIGHT,
    )
    st.altair_chart(chart, width="stretch", key="train-compression")


def choose_chart() -> None:
    """Which chart is drawn: compression, tokens saved a merge, or compression with the vocabulary."""
    kept = state.keep("train.chart", lambda: CHARTS[0])
    state.put("train.chart", st.selectbox("Chart", CHARTS, index=CHARTS.index(kept), key="train-chart"))


def _newest_merges(run: TrainingRun) -> None:
    merges = run.merges(max(0, run.n_merges - _SHOWN_MERGES))
    raw_of = run.token_bytes()
    frame = pd.DataFrame(
        [
            (
                m.rank + 1,
                f"{visible(raw_of[m.left])} + {visible(raw_of[m.right])}",
                visible(m.raw),
                m.pair_count,
                m.n_tokens,
            )
            for m in reversed(merges)
        ],
        columns=["merge", "pair", "new token", "count", "tokens left"],
    )
    st.dataframe(
        frame,
        hide_index=True,
        height=215,
        width="stretch",
        key="train-newest",
        column_config={"merge": _NUMBER, "count": _NUMBER, "tokens left": _NUMBER},
    )


def _next_pairs(run: TrainingRun) -> None:
    pairs = run.top_pairs(8)
    raw_of = run.token_bytes()
    frame = pd.DataFrame(
        [(f"{visible(raw_of[p.left])} + {visible(raw_of[p.right])}", p.count) for p in pairs],
        columns=["next pairs (get_stats)", "count"],
    )
    st.dataframe(
        frame,
        hide_index=True,
        height=215,
        width="stretch",
        key="train-next",
        column_config={"count": _NUMBER},
    )


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
