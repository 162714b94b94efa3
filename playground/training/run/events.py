"""What a run sends from its worker process: facts about its texts, steps in chunks, and the result."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from playground.catalog.opened import OpenedModel
from playground.training.algorithms.cutters import Cutter
from playground.training.algorithms.learner import Candidate, Change, Removals

Longs = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
#: Candidates after a number of steps.
CandidatesAt = tuple[int, Sequence[Candidate]]


class Changes(NamedTuple):
    """Changes as columns, a row for each token that was added or removed; `parts` has those of all rows."""

    steps: Longs
    is_removal: npt.NDArray[np.bool_]
    ids: Longs
    counts: Longs
    scores: Floats
    n_parts: Longs
    parts: Longs

    @classmethod
    def of(cls, changes: Sequence[Change]) -> "Changes":
        """Pack changes.

        >>> change = Change(0, "added", 256, b"ab", (97, 98), 3, 3.0)
        >>> Changes.of([change]).unpacked([b""] * 256 + [b"ab"]) == [change]
        True
        """
        return cls(
            np.array([each.step for each in changes], np.int64),
            np.array([each.kind == "removed" for each in changes], np.bool_),
            np.array([each.id for each in changes], np.int64),
            np.array([each.count for each in changes], np.int64),
            np.array([each.score for each in changes], np.float64),
            np.array([len(each.parts) for each in changes], np.int64),
            np.array([part for each in changes for part in each.parts], np.int64),
        )

    @classmethod
    def joined(cls, tables: Iterable["Changes"]) -> "Changes":
        """Return several tables as one."""
        tables = [cls.of(()), *tables]
        return cls(*(np.concatenate(columns) for columns in zip(*tables, strict=True)))

    def unpacked(self, raw_of: Sequence[bytes]) -> list[Change]:
        """Return the changes; `raw_of` has the bytes of each id."""
        ends = np.cumsum(self.n_parts).tolist()
        parts = self.parts.tolist()
        rows = zip(*(column.tolist() for column in self[:6]), ends, strict=True)
        return [
            Change(
                step, "removed" if is_removal else "added", token_id, raw_of[token_id],
                tuple(parts[end - n : end]), count, score,
            )
            for step, is_removal, token_id, count, score, n, end in rows
        ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Prepared:
    """Facts about a run before its first step; training texts are cut. `cutter` is None until it is known."""

    training_texts: tuple[str, ...]
    held_out_texts: tuple[str, ...]
    n_bytes: int
    n_held_out_bytes: int
    n_pretokens: int
    n_unmatched_bytes: int
    score_name: str
    cutter: Cutter | None


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some steps: their changes, the states after them, and what else is shown of them.

    `states` has rows as `Learner.curve`; the first chunk begins with the state before the first step. `raws`
    are the bytes of the ids that are new, and `lines` the values of further lines for the same states.
    """

    states: Longs
    changes: Changes
    raws: tuple[bytes, ...]
    candidates: tuple[CandidatesAt, ...]
    lines: Mapping[str, Floats]
    n_steps_wanted: int


@dataclass(frozen=True, slots=True)
class Learned:
    """The result of a run; `seconds` is CPU time after counting."""

    model: OpenedModel
    cutter: Cutter
    stop_reason: str
    is_stopped: bool
    removals: Removals
    seconds: float
