"""A training in a thread of its own: what it is asked for, how it is prepared, its pace, the run."""

from playground.training.run.settings import SPEEDS, RunSettings, Status
from playground.training.run.training_run import REFERENCES, TrainingRun

__all__ = ["REFERENCES", "SPEEDS", "RunSettings", "Status", "TrainingRun"]
