"""An uploaded file as processes of the pool read it, and its fields; of its name only the ending is read."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import regex

from playground.core.errors import InvalidInputError
from playground.corpora.sources import DEFAULT_FIELD, find_sources
from playground.workers import pool

_ENDINGS = regex.compile(r"(?:\.\w{1,9}){0,2}$")


def fields_of_upload(name: str, raw: bytes, *, visitor: str = "") -> list[str]:
    """The fields of a file of rows that can hold the text. Raises InvalidInputError, LimitExceededError."""
    with as_file(name, raw) as path:
        (source,) = find_sources([str(path)], field=DEFAULT_FIELD)
        found: list[str] = pool.run(
            "playground.corpora.documents.fields_of", source, what=f"reading {name}", visitor=visitor
        )
    return found


@contextmanager
def as_file(name: str, raw: bytes) -> Iterator[Path]:
    """A file that processes can read; its name says of what kind it is, and errors name the upload.

    Raises InvalidInputError.
    """
    ending = _ENDINGS.search(name)
    try:
        with tempfile.TemporaryDirectory(prefix="tessera-") as folder:
            path = Path(folder) / f"upload{ending[0] if ending else ''}"
            path.write_bytes(raw)
            try:
                yield path
            except InvalidInputError as error:
                raise InvalidInputError(str(error).replace(str(path), name)) from error
    except OSError as error:
        raise InvalidInputError(f"{name}: this server cannot keep it: {error.strerror or error}") from error
