"""Reading in a worker process, so that a crash of a C parser is a failure and not the end of the tests."""

from playground.core.errors import LimitExceededError, PlaygroundError
from playground.workers import pool


def read_limited(source: str, name: str | None = None, *, seconds: float, memory_bytes: int) -> str:
    """Read a text within limits; return why it is refused, or "" if it is read."""
    try:
        pool.run(
            "playground.formats.tasks.read_packed", source, name,
            what="reading", seconds=seconds, memory_bytes=memory_bytes,
        )  # fmt: skip
    except LimitExceededError:
        raise
    except PlaygroundError as error:
        return str(error)
    return ""
