"""The settings of a training run, and its states."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from playground.bpe.split_pattern import SplitPattern
from playground.core.tokenizer import Tokenizer
from playground.training.algorithms.learner import OptionValue


@dataclass(frozen=True, slots=True)
class RunSettings:
    """The settings of a run.

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


class Status(Enum):
    """The states of a run."""

    PREPARING = "preparing"
    LEARNING = "learning"
    FINISHED = "finished"
    STOPPED = "stopped"
    FAILED = "failed"

    @property
    def is_over(self) -> bool:
        """True after the last step."""
        return self in (Status.FINISHED, Status.STOPPED, Status.FAILED)
