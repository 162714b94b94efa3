"""The chunks of a run as the browser gets them: columns of numbers, and a head with labels and candidates."""

from collections.abc import Iterable, Sequence
from typing import TypedDict

import numpy as np

from playground.core.text_units import Column
from playground.render.visible_text import shown_bytes
from playground.training.algorithms.learner import Candidate
from playground.training.run.events import Changes, Chunk

#: Rows for one step: a pruning removes thousands of tokens.
MAX_OF_A_STEP = 100
#: Characters of a token in a label; a run without a split pattern learns tokens of thousands of letters.
MAX_LABEL = 60

#: A possible next change: the ids of a pair, or -1, count, score, and the label of a token that is no pair.
ListedCandidate = tuple[int, int, int, float, str]


class ChunkHead(TypedDict):
    """What stands beside a chunk's columns.

    `labels` names the ids that no earlier chunk has named. `candidates` are the likeliest changes after some
    numbers of steps. `lines` has further lines of the chart by title, a value for each state.
    """

    labels: dict[int, str]
    candidates: list[tuple[int, list[ListedCandidate]]]
    lines: dict[str, list[float]]


#: Columns of a chunk in their order: those that end in _f are float64, sent as two uint32 each.
COLUMNS = (
    "step", "removed", "id", "n_parts", "part", "count_f", "score_f", "vocabulary", "tokens_f", "held_out_f",
)  # fmt: skip


class ChunkStream:
    """The chunks of one run, packed for the browser as they come."""

    def __init__(self) -> None:
        self.heads: list[ChunkHead] = []
        self.columns: list[tuple[Column, ...]] = []
        self._raws: list[bytes] = []
        self._named: set[int] = set()

    def follow(self, chunks: Sequence[Chunk]) -> None:
        """Pack the chunks that came since the last call; `chunks` are all of the run."""
        for chunk in chunks[len(self.heads) :]:
            self._raws += chunk.raws
            changes = most_frequent(chunk.changes)
            mentioned = {*changes.ids.tolist(), *changes.parts.tolist()}
            for _step, rows in chunk.candidates:
                mentioned |= {side for row in rows for side in (row.left, row.right) if side >= 0}
            new = sorted(mentioned - self._named)
            self._named |= mentioned
            self.heads.append(
                {
                    "labels": {token_id: label(self._raws[token_id]) for token_id in new},
                    "candidates": [(step, listed(rows)) for step, rows in chunk.candidates],
                    "lines": {title: values.tolist() for title, values in chunk.lines.items()},
                }
            )
            self.columns.append(_columns(changes, chunk))


def most_frequent(changes: Changes) -> Changes:
    """Return at most `MAX_OF_A_STEP` changes of each step, those with the highest counts, in their order."""
    order = np.lexsort((-changes.counts, changes.steps))
    steps = changes.steps[order]
    places = np.arange(len(steps)) - np.searchsorted(steps, steps, side="left")
    chosen = np.sort(order[places < MAX_OF_A_STEP])
    if len(chosen) == len(order):
        return changes
    ends = np.cumsum(changes.n_parts)
    spans = [np.arange(ends[n] - changes.n_parts[n], ends[n]) for n in chosen]
    parts = changes.parts[np.concatenate([np.zeros(0, np.int64), *spans])]
    return Changes(
        changes.steps[chosen], changes.is_removal[chosen], changes.ids[chosen], changes.counts[chosen],
        changes.scores[chosen], changes.n_parts[chosen], parts,
    )  # fmt: skip


def listed(candidates: Iterable[Candidate]) -> list[ListedCandidate]:
    """Return candidates as rows."""
    return [(c.left, c.right, c.count, c.score, "" if c.left >= 0 else label(c.raw)) for c in candidates]


def label(raw: bytes) -> str:
    """Return a readable label of a token; a long one is shortened to its two ends.

    >>> label(b"a" * 5_000)
    'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…aaaaaaaaaaaa (5,000 bytes)'
    """
    shown = shown_bytes(raw)
    if len(raw) <= MAX_LABEL or len(shown) <= MAX_LABEL:
        return shown
    return f"{shown[: MAX_LABEL - 20]}…{shown[-12:]} ({len(raw):,} bytes)"


def _columns(changes: Changes, chunk: Chunk) -> tuple[Column, ...]:
    states = chunk.states
    whole = (changes.steps, changes.is_removal, changes.ids, changes.n_parts, changes.parts)
    return (
        *(column.astype(np.uint32) for column in whole),
        _wide(changes.counts),
        _wide(changes.scores),
        states[:, 0].astype(np.uint32),
        _wide(states[:, 1]),
        _wide(states[:, 2]),
    )


def _wide(column: np.ndarray) -> Column:
    return np.ascontiguousarray(column, np.dtype("<f8")).view(np.uint32)
