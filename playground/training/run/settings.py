"""What a person chooses for a training run, and the states that a run goes through."""

from dataclasses import dataclass, field
from enum import Enum

from playground.bpe.split_pattern import SplitPattern

#: Merges a second; None is as fast as the machine goes.
SPEEDS: dict[str, float | None] = {
    "1 a second": 1,
    "5": 5,
    "25": 25,
    "100": 100,
    "400": 400,
    "full speed": None,
}


@dataclass(frozen=True, slots=True)
class RunSettings:
    """How a run learns; its speed may be changed as it goes and is none of these."""

    vocab_size: int = 1256
    pattern: SplitPattern = field(default_factory=lambda: SplitPattern.named("gpt2"))
    ties: str = "first-seen"
    min_count: int = 2
    special_tokens: tuple[str, ...] = ()
    held_out_share: float = 0.1


class Status(Enum):
    """From the first text to the last merge, or wherever it ended before."""

    PREPARING = "preparing"
    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"
    STOPPED = "stopped"
    FAILED = "failed"

    @property
    def is_over(self) -> bool:
        """Whether no merge will follow."""
        return self in (Status.FINISHED, Status.STOPPED, Status.FAILED)
