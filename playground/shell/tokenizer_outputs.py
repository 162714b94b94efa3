"""`--out` of commands: write a file, or tokenizer files, whose endings choose the format."""

import os
import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path

from playground.core.errors import InvalidInputError
from playground.files.registry import FileFormat
from playground.shell.terminal import print_note

_N_NAMED = 5


def check_writable(path: Path) -> None:
    """Check before the work that a file can be written. Raises InvalidInputError."""
    if not path.parent.is_dir():
        raise InvalidInputError(f"cannot write {path}: there is no folder {path.parent}")
    if path.is_dir():
        raise InvalidInputError(f"cannot write {path}: it is a folder")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise InvalidInputError(f"cannot write {path}: permission denied")


def write_file(path: Path, text: str | bytes) -> None:
    """Write a file; nothing of it stays if the disk is full. Raises InvalidInputError."""
    try:
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    except OSError as error:
        if path.is_file():
            path.unlink()
        raise InvalidInputError(f"cannot write {path}: {error.strerror or error}") from error


def write_files(path: Path, start: str, files: Mapping[str, str | bytes], name: str) -> str:
    """Write the files of a tokenizer called `name`; return a sentence on files besides `path`, or "".

    `start` is the beginning of their names: `vocab.bpe` comes with `encoder.json`, and `my-vocab.bpe` with
    `my-encoder.json`. Raises InvalidInputError.
    """
    targets = {path.with_name(start + own.removeprefix(f"{name}.")): text for own, text in files.items()}
    for target, text in targets.items():
        write_file(target, text)
    return "".join(f" Also written: {target.name}." for target in targets if target != path)


def note_lost(path: Path, entry: FileFormat, special_tokens: Iterable[str], pattern: str) -> None:
    """Print notes on what a format can't store; `pattern` is the value for `--pattern`, "" if none fits."""
    if not entry.holds_special_tokens and (lost := list(special_tokens)):
        named = ", ".join([*lost[:_N_NAMED], *(["…"] if len(lost) > _N_NAMED else [])])
        print_note(f"{path} has no special tokens; its format can't store {named}")
    if not entry.holds_pattern:
        how = f"open it with --pattern {shlex.quote(pattern)}" if pattern else "`convert --python` prints it"
        print_note(f"{path} has no split pattern: {how}")


def start_of(path: Path, entry: FileFormat) -> str:
    """Return the name before the format's ending: "my." for "my.tiktoken", "" for "vocab.bpe"."""
    ending = next(ending for ending in entry.endings if path.name.endswith(ending))
    return path.name.removesuffix(ending.removeprefix("."))


def stem_of(path: Path, entry: FileFormat) -> str:
    """Return the tokenizer's name: "my" for "my.tiktoken", and "tokenizer" for "vocab.bpe"."""
    return start_of(path, entry).rstrip(".") or "tokenizer"
