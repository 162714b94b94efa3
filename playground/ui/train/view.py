"""The live part of the training page: buttons, progress, chart and the merges as they come."""

from collections.abc import Callable, Sequence

import pandas as pd
import streamlit as st

from playground.render.plain_text import markdown_escape
from playground.render.shown_bytes import shown_bytes
from playground.render.training_charts import compression_chart, savings_chart
from playground.training.curve import curve_points
from playground.training.run import SPEEDS, Status, TrainingRun
from playground.ui import page, state
from playground.ui.save_chart import save_chart_buttons
from playground.ui.train.film import show_film
from playground.ui.train.session import EXAMPLE_SPEED, StartRun, TrainingSession

_REFRESH_SECONDS = 0.25
_SHOWN_MERGES = 40
_CHART_HEIGHT = 255
_TABLE_HEIGHT = 215
_NUMBER = st.column_config.NumberColumn(format="localized")
CHARTS = ["Compression", "Tokens saved", "With vocabulary"]
#: The key of the container that holds the live chart; the film's line stands on it.
LIVE_CHART = "train-live-chart"


def show_training(session: TrainingSession, start: StartRun | None) -> None:
    """Draw the run, again and again while it is active; `start` begins a new one."""
    st.fragment(_live, run_every=_pulse(session))(session, start, _is_live(session))


def show_merges(session: TrainingSession) -> None:
    """Draw the film of the run beside its newest merges and the pairs that come next."""
    if session.run is not None and session.run.n_merges:
        st.fragment(_merges, run_every=_pulse(session))(session, session.run)


def _is_live(session: TrainingSession) -> bool:
    return session.run is not None and session.run.is_active


def _pulse(session: TrainingSession) -> float | None:
    return _REFRESH_SECONDS if _is_live(session) else None


def _live(session: TrainingSession, start: StartRun | None, was_live: bool) -> None:
    had_merges = state.keep("train.had_merges", lambda: False)
    _buttons(session, start)
    run = session.run
    if run is None:
        st.info("Nothing is being learned. Choose a corpus and press Start.")
        return
    _progress(run)
    if run.n_merges:
        kind = _choose_chart()
        with st.container(key=LIVE_CHART):
            _chart(session, run, kind)
    state.put("train.had_merges", bool(run.n_merges))
    if (was_live and not run.is_active) or had_merges != bool(run.n_merges):
        st.rerun()  # the timer stops, and what can be done with the result appears


def _choose_pause(run: TrainingRun | None) -> None:
    pause_at = st.number_input(
        "Pause at merge",
        min_value=1,
        value=state.keep("train.pause_at", lambda: None),
        placeholder="never",
        key="train-pause-at",
        width=130,
    )
    state.put("train.pause_at", pause_at)
    if run is not None:
        run.pause_at = pause_at


def _merges(session: TrainingSession, run: TrainingRun) -> None:
    film, tables = st.columns([3, 2], gap="medium")
    with tables:
        _newest_merges(run)
        mark = _next_pairs(run)
    with film:
        show_film(session, run, chart=LIVE_CHART, mark=mark)


def _buttons(session: TrainingSession, start: StartRun | None) -> None:
    run = session.run
    status = run.status if run is not None else Status.STOPPED
    # Callbacks run before anything is drawn, so a click that meets a refresh is not lost.
    can_end = status in (Status.PREPARING, Status.RUNNING, Status.PAUSED)
    is_paused = status is Status.PAUSED
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="train-buttons"):
        st.button(
            "Start",
            type="primary",
            icon=":material/play_arrow:",
            key="train-start",
            disabled=start is None,
            help="Begin a new run with what is chosen",
            on_click=lambda: _act(
                start,
                SPEEDS[state.keep("train.speed", lambda: EXAMPLE_SPEED)],
                state.keep("train.pause_at", lambda: None),
            ),
        )
        st.button(
            "Resume" if is_paused else "Pause",
            icon=":material/resume:" if is_paused else ":material/pause:",
            # Two keys, so that a click which Streamlit sends twice does not pause and resume.
            key="train-resume" if is_paused else "train-pause",
            disabled=status not in (Status.RUNNING, Status.PAUSED),
            on_click=lambda: _act(run.resume if is_paused else run.pause) if run else None,
        )
        for n_merges in (1, 10, 100):
            st.button(
                f"+{n_merges}",
                key=f"train-step-{n_merges}",
                disabled=not is_paused,
                help="So many merges more: pause first",
                on_click=lambda n=n_merges: _act(run.step, n) if run else None,
            )
        st.button(
            "Stop",
            key="train-stop",
            disabled=not can_end,
            help="End the run and keep what it has learned",
            on_click=lambda: _act(run.stop) if run else None,
        )
        st.button(
            "Reset",
            key="train-reset",
            disabled=run is None,
            help="Forget this run",
            on_click=lambda: _act(session.reset),
        )
        _choose_speed(run)
        _choose_pause(run)
    if state.take("train.acted", False):
        st.rerun()  # the whole page: what is offered below it depends on the run


def _choose_speed(run: TrainingRun | None) -> None:
    speed = st.select_slider(
        "Merges a second",
        list(SPEEDS),
        value=state.keep("train.speed", lambda: EXAMPLE_SPEED),
        key="train-speed",
        width=215,
    )
    state.put("train.speed", speed)
    if run is not None:
        run.merges_per_second = SPEEDS[speed]


def _act(action: Callable[..., object] | None, *arguments: object) -> None:
    if action is not None:
        action(*arguments)
        state.put("train.acted", True)


def _progress(run: TrainingRun) -> None:
    done, wanted = run.n_merges, run.n_merges_wanted
    if run.status is Status.FAILED:
        st.error(markdown_escape(run.error))
        return
    if run.status is Status.PREPARING:
        st.progress(0.0, text=f"{run.stage} …")
        return
    parts = [f"**{run.status.value.capitalize()}** · {done:,} of {wanted:,} merges"]
    left = run.seconds_left
    if run.status is Status.RUNNING and left is not None:
        parts.append(f"{run.pace:,.{0 if run.pace >= 3 else 1}f} merges a second, {_duration(left)} left")
    elif run.seconds and done:
        parts.append(f"{_duration(run.seconds)} of work")
    pretokens = "pretoken" if run.n_pretokens == 1 else "pretokens"
    n_bytes = "1 byte" if run.n_bytes == 1 else f"{run.n_bytes:,} bytes"
    parts.append(f"{n_bytes} in {run.n_pretokens:,} distinct {pretokens}")
    is_done = run.status is Status.FINISHED
    st.progress(1.0 if is_done else min(done / wanted, 1.0), text=" · ".join(parts))
    if is_done and done < wanted:
        merges = "merge" if done == 1 else "merges"
        st.info(
            f"This text gives {done:,} {merges}, so a vocabulary of {256 + done:,}: then {run.stop_reason}. "
            "For more choose a longer text, or a lower minimum count."
        )
    if run.n_unmatched_bytes:
        st.warning(
            f"The split pattern leaves {run.n_unmatched_bytes:,} bytes unmatched. "
            "They are kept as pretokens of their own."
        )


def _chart(session: TrainingSession, run: TrainingRun, kind: str) -> None:
    points = curve_points(run)
    n_wanted = run.n_merges if run.status.is_over else run.n_merges_wanted
    if kind == "Tokens saved":
        chart = savings_chart(
            {session.title: points},
            n_merges_wanted=n_wanted,
            height=_CHART_HEIGHT,
            theme=page.theme(),
            type_scale=page.type_scale(),
        )
        st.altair_chart(chart, width="stretch", key="train-savings")
        return
    st.altair_chart(
        compression_chart(
            {session.title: points},
            run.references,
            n_merges_wanted=n_wanted,
            shows_vocab=kind == "With vocabulary",
            height=_CHART_HEIGHT,
            theme=page.theme(),
            type_scale=page.type_scale(),
        ),
        width="stretch",
        key="train-compression",
    )


def _choose_chart() -> str:
    """Which chart is drawn: compression, tokens saved a merge, or compression with the vocabulary."""
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        chosen = st.segmented_control(
            "Chart",
            CHARTS,
            default=state.keep("train.chart", lambda: CHARTS[0]),
            key="train-chart",
            label_visibility="collapsed",
            required=True,
        )
        save_chart_buttons(LIVE_CHART, file_name="training")
    state.put("train.chart", chosen)
    return chosen


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


def _duration(seconds: float) -> str:
    if seconds < 1:
        return f"{max(1, round(seconds * 1000)):,} ms"
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
