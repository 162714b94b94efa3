"""A training run: learned in a worker process, which sends its steps in chunks, and kept by the server.

Begin reading in `training_run.TrainingRun`; `learning.learn` is the work of the process, and `events` what it
sends.
"""

from playground.training.run.settings import RunSettings, Status
from playground.training.run.training_run import REFERENCES, TrainingRun

__all__ = ["REFERENCES", "RunSettings", "Status", "TrainingRun"]
