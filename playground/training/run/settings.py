"""The settings of a training run, and its states."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from playground.bpe.split_pattern import SplitPattern
from playground.core.tokenizer import Tokenizer
from playground.training.algorithms.learner import OptionValue

#: A speed in `SPEEDS`: two merges a second for the first twenty, which change most, then faster and faster.
SLOW_START = 0.0
#: Merges per second; None for the full speed of the machine.
SPEEDS: dict[str, float | None] = {
    "slow, then faster": SLOW_START,
    "1 a second": 1,
    "5 a second": 5,
    "25 a second": 25,
    "100 a second": 100,
    "400 a second": 400,
    "full speed": None,
}


@dataclass(frozen=True, slots=True)
class RunSettings:
    """Settings that are fixed for a run; its speed can change.

    `options` are those of the algorithm, by name; `ties` and `min_count` are options that BPE also has.
    `base` is the tokenizer that Continue and Prune start from.
    """

    vocab_size: int = 1256
    pattern: SplitPattern = field(default_factory=lambda: SplitPattern.named("gpt2"))
    ties: str = "first-seen"
    min_count: int = 2
    special_tokens: tuple[str, ...] = ()
    held_out_share: float = 0.1
    algorithm: str = "bpe"
    options: Mapping[str, OptionValue] = field(default_factory=dict, hash=False)
    base: Tokenizer | None = field(default=None, hash=False)


def speed_at(merges_per_second: float | None, n_merges: int) -> float | None:
    """Return the merges per second after `n_merges` at a speed of `SPEEDS`.

    >>> [speed_at(SLOW_START, n) for n in (0, 20, 1_020)], speed_at(100, 0)
    ([2.0, 2.0, 502.0], 100)
    """
    return max(2.0, (n_merges - 16) / 2) if merges_per_second == SLOW_START else merges_per_second


class Status(Enum):
    """The states of a run."""

    PREPARING = "preparing"
    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"
    STOPPED = "stopped"
    FAILED = "failed"

    @property
    def is_over(self) -> bool:
        """True after the last merge."""
        return self in (Status.FINISHED, Status.STOPPED, Status.FAILED)
