"""Rows for the charts of a training: compression by number of merges, and the tokens saved by each merge.

Every point is measured. The charts are drawn in `render`.
"""

import csv
import io
from dataclasses import dataclass

import numpy as np

from playground.training.run import TrainingRun

MAX_POINTS = 300
#: The chart of a running training is redrawn four times a second.
MAX_LIVE_POINTS = 100


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
    """Return the points of a run so far, from bytes only; of many merges, evenly spaced ones."""
    columns = run.columns()
    n_merges = len(columns)
    if not run.n_bytes or not n_merges:
        return []
    ranks = np.unique(np.linspace(0, n_merges - 1, min(n_merges, max_points)).round().astype(int))
    tokens = columns[ranks, 4]
    before = np.concatenate([[columns[0, 4] + _first_saving(run)], tokens[:-1]])
    steps = np.diff(ranks, prepend=-1)
    points = [CurvePoint(0, 1.0, 1.0 if run.has_held_out else None, 256, 0.0, "")]  # a token for each byte
    raw_of = run.token_bytes()
    for rank, n_tokens, n_before, step in zip(ranks.tolist(), tokens.tolist(), before, steps, strict=True):
        held_out = run.n_held_out_bytes / int(columns[rank, 5]) if run.has_held_out else None
        saved = float(n_before - n_tokens) / int(step)
        token = raw_of[int(columns[rank, 2])].decode(errors="replace")
        points.append(CurvePoint(rank + 1, run.n_bytes / n_tokens, held_out, 257 + rank, saved, token))
    return points


def curve_csv(run: TrainingRun) -> str:
    """Return a CSV file with a line for each merge."""
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow(
        ["rank", "left", "right", "new_id", "bytes_hex", "pair_count", "tokens", "held_out_tokens",
         "bytes_per_token", "held_out_bytes_per_token"]
    )  # fmt: skip
    for merge in run.merges():
        held_out = run.n_held_out_bytes / merge.n_held_out_tokens if merge.n_held_out_tokens else 0.0
        writer.writerow(
            [merge.rank, merge.left, merge.right, merge.new_id, merge.raw.hex(), merge.pair_count,
             merge.n_tokens, merge.n_held_out_tokens,
             round(run.n_bytes / merge.n_tokens, 6), round(held_out, 6)]
        )  # fmt: skip
    return target.getvalue()


def _first_saving(run: TrainingRun) -> int:
    first = run.columns()[0]
    return run.n_bytes - int(first[4])
