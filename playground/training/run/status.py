"""Where a run stands."""

from enum import Enum


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
