"""The model that this server's pages read with: one process that holds it, and fetching its file.

The process works on one chunk of tokens at a time, for each visitor in turn, and ends after five minutes
without a reading, which gives its memory back.
"""

import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

from playground.core.errors import PlaygroundError
from playground.expect import model_file
from playground.expect.reading import SMALL_MODEL, About, Reading
from playground.server.work import Work
from playground.workers.pool import Pool
from playground.workers.process import Request

#: The process ends when it was not used for this time.
IDLE_SECONDS = 300.0
#: CPU time for one chunk of tokens, and for loading a model before the first.
_SECONDS = 120.0
#: For a file whose sizes are not known yet.
_LOOK_BYTES = 1_000_000_000
#: What is known of files, by their size and time.
_known: dict[Path, tuple[tuple[int, int], About]] = {}
_POOL = Pool(n_processes=1, n_per_visitor=1, idle_seconds=IDLE_SECONDS, max_idle_bytes=sys.maxsize)


@dataclass(frozen=True, slots=True)
class ModelHere:
    """A model's file on this machine, and what it says of itself."""

    path: Path
    about: About


def model_here(visitor: str) -> ModelHere | None:
    """Return the model that was opened from a file, else the small model; None if there is neither.

    Raises VocabularyFileError, LimitExceededError.
    """
    if (path := model_file.find_own()) is not None:
        return ModelHere(path, about(path, visitor))
    path = model_file.find_model()
    return None if path is None else ModelHere(path, SMALL_MODEL)


def about(path: Path, visitor: str) -> About:
    """Return what a model's file says of itself. Raises VocabularyFileError, LimitExceededError, OSError."""
    status = path.stat()
    known = _known.get(path)
    if known is None or known[0] != (status.st_size, status.st_mtime_ns):
        request = Request("playground.expect.reading.about_model", (path,), _SECONDS, _LOOK_BYTES)
        found: About = _POOL.ask(request, what="looking at the model", visitor=visitor)
        _known[path] = known = ((status.st_size, status.st_mtime_ns), found)
    return known[1]


def read(model: ModelHere, key: str, parts: Sequence[str], visitor: str) -> Reading:
    """Read a further chunk of a text; see `expect.reading.read_text`.

    Raises VocabularyFileError, LimitExceededError, OSError.
    """
    arguments = (str(model.path), key, list(parts))
    request = Request(
        "playground.expect.reading.read_text", arguments, _SECONDS, 2 * model.about.memory_bytes
    )
    reading: Reading = _POOL.ask(request, what="reading with the model", visitor=visitor)
    return reading


class FetchState(TypedDict):
    """How far fetching the model is: a share from 0 to 1 and a sentence, and what went wrong at its end."""

    is_over: bool
    part: float
    what: str
    problem: str


_lock = threading.Lock()
_fetching: list[Work[Path]] = []


def fetch() -> FetchState:
    """Start to fetch the model, unless that is under way, for all visitors."""
    with _lock:
        if not _fetching or _fetching[0].is_over:
            _fetching[:] = [Work("model", lambda tell, _so_far: model_file.fetch(tell))]
    return fetch_state()


def fetch_state() -> FetchState:
    """Return how far fetching is; waits a moment for its end."""
    with _lock:
        work = next(iter(_fetching), None)
    if work is None:
        return {"is_over": True, "part": 0.0, "what": "", "problem": ""}
    work.wait(0.3)
    error: Any = work.error
    problem = (
        "" if error is None else str(error) if isinstance(error, PlaygroundError | OSError) else repr(error)
    )
    return {"is_over": work.is_over, "part": work.part, "what": work.what, "problem": problem}


def stop_fetching() -> None:
    """Stop fetching the model."""
    with _lock:
        for work in _fetching:
            work.stop()
