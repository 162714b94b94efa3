"""One round of one target: cases until the time is over, or one shows a fault.

The case that is tried stands in a file, so that one which ends the process is known too.
"""

import importlib
import logging
import resource
import sys
import threading
import time
import traceback
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings

from playground.workers.child import limited

#: What a case may take: seconds of the processor, and memory beyond what the process has.
CASE_SECONDS, CASE_BYTES = 10, 1_000_000_000
_CASES_PER_BATCH = 100


class LoggedError(AssertionError):
    """Something was told to the log alone."""


class _Errors(logging.Handler):
    """Keeps what is logged as an error."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.told: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.told.append(self.format(record))


def main(module: str, name: str, first_seed: str, seconds: str, last_case: str) -> None:
    """End with what the smallest case raised that showed a fault, its place on the last line."""
    target = importlib.import_module(module).TARGETS[name]
    errors = _Errors()
    logging.getLogger().addHandler(errors)
    threading.excepthook = lambda thrown: errors.told.append(repr(thrown.exc_value))
    sys.unraisablehook = lambda thrown: errors.told.append(repr(thrown.exc_value))
    file = Path(last_case)
    end = time.monotonic() + float(seconds)
    number, n_cases = int(first_seed), 0

    def try_one(case: Any) -> None:
        nonlocal n_cases
        n_cases += 1
        file.write_text(f"{n_cases}\n{case!r}", errors="backslashreplace")
        peak = _peak_bytes()
        with limited(CASE_SECONDS, CASE_BYTES):
            target.check(case)
        if errors.told:
            told, errors.told = errors.told, []
            raise LoggedError(told[0])
        assert _peak_bytes() - peak < CASE_BYTES, "the case took too much memory"

    while not n_cases or time.monotonic() < end:
        number += 1  # a seed for each batch
        batch = settings(
            max_examples=_CASES_PER_BATCH,
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate, Phase.shrink],
            report_multiple_bugs=False,
        )
        try:
            seed(number)(batch(given(case=target.cases)(try_one)))()
        except Exception as error:
            traceback.print_exc()
            place = traceback.extract_tb(error.__traceback__)[-1]
            sys.exit(f"{type(error).__name__} in {place.name}, {place.filename}:{place.lineno}")


def _peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


if __name__ == "__main__":
    main(*sys.argv[1:])
