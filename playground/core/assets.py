"""Read the files that ship with the app as text, JSON or bytes."""

import gzip
import json
import zlib
from typing import Any

from playground.core.errors import AssetError
from playground.core.home import HOME

ASSETS = HOME / "assets"


def read_text(name: str) -> str:
    """Return a UTF-8 file below `assets/`. Raises AssetError.

    >>> read_text("unicode/categories.txt").split()[:2]
    ['Lu', '41-5a']
    """
    try:
        return (ASSETS / name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise damaged(name, error) from error


def read_json(name: str) -> Any:
    """Return the value of a JSON file below `assets/`. Raises AssetError."""
    try:
        return json.loads(read_text(name))
    except ValueError as error:
        raise damaged(name, error) from error


def read_packed(name: str) -> bytes:
    """Return the unpacked content of a gzip file below `assets/`. Raises AssetError.

    >>> read_packed("pictures/astronaut.ppm.gz")[:2]
    b'P6'
    """
    try:
        return gzip.decompress((ASSETS / name).read_bytes())
    except (OSError, EOFError, zlib.error) as error:
        raise damaged(name, error) from error


def damaged(name: str, error: object) -> AssetError:
    """Return the error for a file below `assets/` that cannot be used.

    >>> str(damaged("x.txt", "it is empty"))
    'assets/x.txt is missing or damaged (it is empty); restore it from the repository'
    """
    reason = error.strerror or error if isinstance(error, OSError) else error
    return AssetError(f"assets/{name} is missing or damaged ({reason}); restore it from the repository")
