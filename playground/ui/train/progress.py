"""How far a training is, in words."""

import streamlit as st

from playground.core.wording import counted
from playground.render.visible_text import markdown_escape
from playground.training.run import Status, TrainingRun
from playground.training.trainer import StopReason


def show_progress(run: TrainingRun, learned_from: str) -> None:
    """Where the run stands, in a line over its bar, and what is to be known of its end."""
    done, wanted = run.n_merges, run.n_merges_wanted
    if run.status is Status.FAILED:
        st.error(markdown_escape(run.error))
        return
    if run.status is Status.PREPARING:
        share = run.share_prepared
        st.progress(share, text=f"{run.stage} · {share:.0%}" if share else f"{run.stage} …")
        return
    if not run.n_pretokens and run.status is Status.STOPPED:
        st.info("Stopped before the text was counted: nothing is learned yet. Start begins anew.")
        return
    parts = [f"**{run.status.value.capitalize()}** · {done:,} of {counted(wanted, 'merge')}"]
    left = run.seconds_left
    if run.status is Status.RUNNING and left is not None:
        parts.append(f"{run.pace:,.{0 if run.pace >= 3 else 1}f} merges a second, {_duration(left)} left")
    elif run.seconds and done:
        parts.append(f"{_duration(run.seconds)} of work")
    text = markdown_escape(learned_from)  # the fields beside it may name another one by now
    parts.append(
        f"{counted(run.n_bytes, 'byte')} of {text} in {counted(run.n_pretokens, 'distinct pretoken')}"
    )
    is_done = run.status is Status.FINISHED
    st.progress(1.0 if is_done else min(done / wanted, 1.0), text=" · ".join(parts))
    if is_done and done < wanted:
        more = "" if run.stop_reason == StopReason.NO_PAIR.value else ", or a lower minimum count"
        st.info(
            f"This text gives {counted(done, 'merge')}, so a vocabulary of {256 + done:,}: "
            f"then {run.stop_reason}. For more choose a longer text{more}."
        )
    if run.n_unmatched_bytes:
        st.warning(
            f"The split pattern leaves {counted(run.n_unmatched_bytes, 'byte')} unmatched. "
            "Such bytes are kept as pretokens of their own."
        )


def _duration(seconds: float) -> str:
    if seconds < 1:
        return f"{max(1, round(seconds * 1000)):,} ms"
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
