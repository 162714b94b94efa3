"""Rows for the charts of a training: compression by number of merges, and the tokens saved by each merge.

Every point is measured. The charts are drawn in `render`.
"""

import csv
import io
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from playground.training.run import TrainingRun

MAX_POINTS = 300


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """The state after `n_merges`; `saved` is the tokens saved per merge since the previous point."""

    n_merges: int
    training: float  # bytes per token
    held_out: float | None
    n_vocab: int
    saved: float
    token: str  # of the latest merge


def curve_points(run: TrainingRun, *, max_points: int = MAX_POINTS) -> list[CurvePoint]:
    """Return the points of a run, from the state before its first step; of many steps, evenly spaced ones."""
    states = run.curve()
    n_steps = len(states) - 1
    if not run.n_bytes or n_steps < 1:
        return []
    latest = {each.step + 1: each.raw for each in run.changes()}
    places = np.unique(np.linspace(1, n_steps, min(n_steps, max_points)).round().astype(int))
    before = 0
    points = [_point(run, states, 0, 0.0, "")]
    for place in places.tolist():
        saved = float(states[before, 1] - states[place, 1]) / (place - before)
        points.append(_point(run, states, place, saved, latest.get(place, b"").decode(errors="replace")))
        before = place
    return points


def _point(
    run: TrainingRun, states: npt.NDArray[np.int64], place: int, saved: float, token: str
) -> CurvePoint:
    n_vocab, n_tokens, n_held_out = states[place].tolist()
    held_out = run.n_held_out_bytes / n_held_out if run.has_held_out else None
    return CurvePoint(place, run.n_bytes / n_tokens, held_out, n_vocab, saved, token)


def curve_csv(run: TrainingRun) -> str:
    """Return a CSV file with a line for each merge, or for each state of an algorithm without byte merges."""
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    merges = run.merges()
    if not merges:
        writer.writerow(["step", "vocabulary", "tokens", "held_out_tokens"])
        writer.writerows([step, *state] for step, state in enumerate(run.curve().tolist()))
        return target.getvalue()
    writer.writerow(
        ["rank", "left", "right", "new_id", "bytes_hex", "pair_count", "tokens", "held_out_tokens",
         "bytes_per_token", "held_out_bytes_per_token"]
    )  # fmt: skip
    for merge in merges:
        held_out = run.n_held_out_bytes / merge.n_held_out_tokens if merge.n_held_out_tokens else 0.0
        writer.writerow(
            [merge.rank, merge.left, merge.right, merge.new_id, merge.raw.hex(), merge.pair_count,
             merge.n_tokens, merge.n_held_out_tokens,
             round(run.n_bytes / merge.n_tokens, 6), round(held_out, 6)]
        )  # fmt: skip
    return target.getvalue()
