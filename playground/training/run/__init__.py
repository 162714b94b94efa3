"""A training run in a thread of its own: its settings, the preparation of its corpus, and its speed."""

from playground.training.run.settings import SPEEDS, RunSettings, Status
from playground.training.run.training_run import REFERENCES, Together, TrainingRun

__all__ = ["REFERENCES", "SPEEDS", "RunSettings", "Status", "Together", "TrainingRun"]
