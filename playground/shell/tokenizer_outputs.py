"""`--out`: files of tokenizers, whose endings choose their format."""

import os
from pathlib import Path

from playground.core.errors import InvalidInputError
from playground.files.checks import Files
from playground.files.registry import FileFormat


def check_writable(path: Path) -> None:
    """Hours of work later is too late. Raises InvalidInputError."""
    if not path.parent.is_dir():
        raise InvalidInputError(f"cannot write {path}: there is no folder {path.parent}")
    if path.is_dir():
        raise InvalidInputError(f"cannot write {path}: it is a folder")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise InvalidInputError(f"cannot write {path}: permission denied")


def write_files(folder: Path, files: Files) -> None:
    """Write them into a folder. Raises InvalidInputError."""
    for name, text in files.items():
        target = folder / name
        try:
            target.write_text(text, encoding="utf-8", newline="")
        except OSError as error:
            raise InvalidInputError(f"cannot write {target}: {error.strerror}") from error


def stem_of(path: Path, entry: FileFormat) -> str:
    """The name without the ending that chose the format: "my.tiktoken" gives "my"."""
    for ending in entry.endings:
        if path.name.endswith(ending):
            return path.name[: -len(ending)].rstrip(".") or "tokenizer"
    return path.stem
