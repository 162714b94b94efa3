"""Find the files of a folder of code, and leave out what `.gitignore` names.

Patterns are read with pathspec, not with `git ls-files`: that gives the same answer in a repository, in an
unpacked archive and on a machine without git. Where git answers, files that it tracks in spite of a pattern
are found, too. Hidden files, as in `.github`, are part of the code; what version controls keep is not.
"""

import os
import re
import stat
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from pathspec import GitIgnoreSpec

_IGNORE_FILE = ".gitignore"
#: Endings and names of data: packed files, tables and rows of texts, and the vocabularies of tokenizers.
_DATA_ENDINGS = (
    ".gz", ".zst", ".xz", ".bz2", ".zip", ".parquet", ".arrow", ".feather", ".csv", ".tsv",
    ".jsonl", ".ndjson", ".tiktoken", ".bpe",
)  # fmt: skip
_DATA_NAMES = {"tokenizer.json", "tekken.json", "encoder.json", "vocab.json", "vocab.txt", "merges.txt"}
#: What version controls keep: folders, or in a worktree of git a file.
_KEPT_BY_CONTROL = {".git", ".hg", ".svn", ".jj"}


class TreeFile(NamedTuple):
    """A file, its path below the named folder, its absolute path without links, and its size in bytes."""

    path: str
    inside: str
    place: str
    n_bytes: int


@dataclass
class Walk:
    """What a walk left out, by reason, and the folders that can't be read."""

    left_out: Counter[str] = field(default_factory=Counter)
    errors: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class _Patterns(NamedTuple):
    """The patterns of one `.gitignore`, and the length of its folder's path with the separator."""

    spec: GitIgnoreSpec
    n_prefix: int


def is_data(name: str) -> bool:
    """Whether a file's name is one of data, which is counted only if the file is named itself.

    >>> is_data("rows.JSONL"), is_data("tokenizer.json"), is_data("package.json")
    (True, True, False)
    """
    plain = os.path.basename(name).lower()
    return plain.endswith(_DATA_ENDINGS) or plain in _DATA_NAMES


def walk_tree(folder: str, walk: Walk, *, obeys_gitignore: bool = True) -> Iterator[TreeFile]:
    """Yield the regular files below a folder in order, without data.

    Ignored files that git does not track are left out.
    """
    top = os.path.abspath(folder)
    tracked = _tracked_and_ignored(top, walk) if obeys_gitignore else frozenset()
    above = tuple(_patterns_above(top, walk)) if obeys_gitignore else ()
    n_top, prefix = len(os.path.join(top, "")), os.path.join(folder, "")
    waiting = [(top, above)]
    while waiting:
        place, patterns = waiting.pop()
        try:
            with os.scandir(place) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError as error:
            walk.errors.append(f"{_named(folder, place[n_top:])}: {error.strerror}")
            continue
        if obeys_gitignore and (own := _read_patterns(place, walk)):
            patterns = (own, *patterns)
        folders = []
        for entry in entries:
            if entry.name in _KEPT_BY_CONTROL:
                continue
            if entry.is_dir(follow_symlinks=False):
                if entry.path not in tracked and _is_ignored(f"{entry.path}/", patterns):
                    walk.left_out["ignored"] += 1
                else:
                    folders.append((entry.path, patterns))
            elif entry.path not in tracked and _is_ignored(entry.path, patterns):
                walk.left_out["ignored"] += 1
            elif is_data(entry.name):
                walk.left_out["data file"] += 1
            else:
                inside = entry.path[n_top:]
                path = prefix + inside
                if (n_bytes := _size_of(entry, path, walk)) is not None:
                    # A link and the file behind it are one place.
                    target = os.path.realpath(entry.path) if entry.is_symlink() else entry.path
                    yield TreeFile(path, inside, target, n_bytes)
        waiting += reversed(folders)


def _named(folder: str, inside: str) -> str:
    return os.path.join(folder, inside) if inside else folder


def _size_of(entry: os.DirEntry[str], path: str, walk: Walk) -> int | None:
    """Return the size of a regular file, also behind a link; None for all else."""
    try:
        status = entry.stat()
    except FileNotFoundError:
        walk.left_out["broken link"] += 1
        return None
    except OSError as error:
        walk.errors.append(f"{path}: {error.strerror}")
        return None
    if stat.S_ISREG(status.st_mode):
        return status.st_size
    walk.left_out["link to a folder" if stat.S_ISDIR(status.st_mode) else "special file"] += 1
    return None


def _tracked_and_ignored(top: str, walk: Walk) -> frozenset[str]:
    """Return paths of files that git tracks in spite of a pattern, and of the folders that hold them.

    Empty outside a repository, and with a note if git is not installed or refuses to read the repository.
    """
    if not any(os.path.exists(os.path.join(place, ".git")) for place in (top, *map(str, Path(top).parents))):
        return frozenset()
    command = ["git", "-C", top, "ls-files", "-z", "--cached", "--ignored", "--exclude-standard"]
    try:
        done = subprocess.run(command, capture_output=True, check=False)
    except OSError:
        why = "git is not installed"
    else:
        why = os.fsdecode(done.stderr).strip().partition("\n")[0] if done.returncode else ""
    if why:
        walk.notes.append(f"files that git tracks in spite of .gitignore are left out: {why}")
        return frozenset()
    found = set()
    for inside in filter(None, os.fsdecode(done.stdout).split("\0")):
        path = os.path.join(top, inside)
        while path != top:
            found.add(path)
            path = os.path.dirname(path)
    return frozenset(found)


def _patterns_above(top: str, walk: Walk) -> Iterator[_Patterns]:
    """Yield the patterns of the folders above in the same repository, the nearest first."""
    if os.path.exists(os.path.join(top, ".git")):
        return
    found = []
    for place in map(str, Path(top).parents):
        if own := _read_patterns(place, walk):
            found.append(own)
        if os.path.exists(os.path.join(place, ".git")):
            yield from found
            return


def _read_patterns(place: str, walk: Walk) -> _Patterns | None:
    """Return the patterns of a folder's `.gitignore`; invalid lines are left out with a note."""
    path = os.path.join(place, _IGNORE_FILE)
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            lines = file.read().splitlines()
    except FileNotFoundError:
        return None
    except OSError as error:
        walk.notes.append(f"{path}: {error.strerror}; its patterns are not used")
        return None
    try:
        spec = GitIgnoreSpec.from_lines(lines)
    except (ValueError, re.error):
        spec = GitIgnoreSpec.from_lines(line for line in lines if _is_valid(line, path, walk))
    return _Patterns(spec, len(os.path.join(place, "")))


def _is_valid(line: str, path: str, walk: Walk) -> bool:
    try:
        GitIgnoreSpec.from_lines([line])
    except (ValueError, re.error):
        walk.notes.append(f"{path}: the pattern {line!r} is invalid and is not used")
        return False
    return True


def _is_ignored(path: str, patterns: tuple[_Patterns, ...]) -> bool:
    """Whether the nearest `.gitignore` that has a pattern for a path excludes it."""
    for spec, n_prefix in patterns:
        excludes = spec.check_file(path[n_prefix:]).include
        if excludes is not None:
            return excludes
    return False
