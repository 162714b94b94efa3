"""Runs of pages begin one after another, so that many at once do not keep key presses waiting for seconds.

All runs share one interpreter with the answers to key presses. When forty pages open at once, p95 of a key
press is 100 to 300 ms; without turns it is 900 to 2,800 ms, and the pages are ready no sooner.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

#: A run that takes longer no longer keeps the next one waiting; most take a tenth of it.
MAX_SECONDS = 0.25
_ENDED = threading.Condition()
_latest: float | None = None  # when the latest run began, by `time.monotonic`; None once it has ended


@contextmanager
def turn() -> Iterator[None]:
    """Wait until the latest run has ended, or `MAX_SECONDS` since it began; the block is the next run."""
    global _latest
    with _ENDED:
        while _latest is not None and (left := _latest + MAX_SECONDS - time.monotonic()) > 0:
            _ENDED.wait(left)
        own = _latest = time.monotonic()
    try:
        yield
    finally:
        with _ENDED:
            if _latest == own:
                _latest = None
                _ENDED.notify()
