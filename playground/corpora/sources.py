"""Find the files that a command reads: names, folders and globs, with the file kind from the ending.

`documents` reads their contents.
"""

import glob
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from playground.core.errors import InvalidInputError
from playground.core.wording import counted, quoted
from playground.corpora.object_stores import files_at, is_address, n_bytes_at
from playground.corpora.text_files import STANDARD_INPUT

Kind = Literal["text", "jsonl", "csv", "tsv", "parquet"]
Compression = Literal["", "gzip", "zstd"]

_COMPRESSIONS: dict[str, Compression] = {".gz": "gzip", ".zst": "zstd"}
_KINDS: dict[str, Kind] = {
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".tsv": "tsv", ".parquet": "parquet",
}  # fmt: skip
OnNote = Callable[[str], object]
#: The column of a Parquet file where no field is named.
DEFAULT_FIELD = "text"


class Source(NamedTuple):
    """A file to read. Of records, `field` is the one that holds the text; "" for plain text.

    Rows without a text are left out, or an error that names the option to leave them out; which it does not
    where that is None.
    """

    path: str
    kind: Kind = "text"
    compression: Compression = ""
    field: str = ""
    skips_bad_rows: bool | None = None

    @property
    def n_bytes(self) -> int:
        """Size in bytes; 0 if unknown. Raises InvalidInputError for an address that cannot be reached."""
        if is_address(self.path):
            return n_bytes_at(self.path)
        return os.path.getsize(self.path) if os.path.isfile(self.path) else 0

    @property
    def place(self) -> str:
        """Return a key that is equal for each spelling of the path; a symbolic link has its own key."""
        return self.path if is_address(self.path) else os.path.abspath(self.path)


def find_sources(
    names: Sequence[str],
    *,
    field: str = "",
    skips_bad_rows: bool | None = None,
    on_note: OnNote = lambda _sentence: None,
) -> list[Source]:
    """Find the files of paths, folders (recursively) and globs; without any name, standard input.

    A name, folder or glob may be an address such as s3://bucket/folder.

    With a field, rows of JSON Lines, CSV, TSV and Parquet are read; without one all but Parquet is plain
    text. Of a folder, hidden files are left out, and with a field those that have no rows, which `on_note` is
    told. It is also told of files that come again, as one that is named and stands in a named folder: each is
    read once.

    >>> find_sources(["a.jsonl.gz", "-"], field="body")[0]
    Source(path='a.jsonl.gz', kind='jsonl', compression='gzip', field='body', skips_bad_rows=None)

    A name that no file has, and a folder that may not be read, is told once it is opened.

    Raises: InvalidInputError for a folder without a file, and for a text file of which a field is wanted.
    """
    found = [source for name in names or [STANDARD_INPUT] for source in _of_name(name, field, on_note)]
    once: dict[str, Source] = {}
    for source in found:
        once.setdefault(source.place, source._replace(skips_bad_rows=skips_bad_rows))
    if n_again := len(found) - len(once):
        on_note(f"{counted(n_again, 'file')} of {len(found):,} named again: each file is read once")
    return [*once.values()]


def kind_of(name: str) -> Kind:
    """Return the source that the ending of a name suggests, without looking for a file.

    >>> kind_of("rows.jsonl.gz"), kind_of("s3://a/b.csv"), kind_of("*")
    ('jsonl', 'csv', 'text')
    """
    source = _of_file(name, DEFAULT_FIELD)
    return source.kind if source else "text"


def is_packed(name: str) -> bool:
    """Whether the ending of a name means that the file is compressed.

    >>> is_packed("rows.jsonl.gz"), is_packed("rows.jsonl")
    (True, False)
    """
    return Path(name).suffix.lower() in _COMPRESSIONS


def _of_name(name: str, field: str, on_note: OnNote) -> Iterator[Source]:
    if name == STANDARD_INPUT:
        yield Source(name, "jsonl" if field else "text", "", field)
    elif is_address(name):
        paths = files_at(name)
        is_one = paths == [name]
        found = [_named(path, field) if is_one else _of_file(path, field) for path in paths]
        yield from _with_fields(name, found, field, on_note)
    elif os.path.isdir(name):
        unreadable: list[str] = []
        found = [_of_file(path, field) for path in _files_below(name, unreadable)]
        yield from map(Source, unreadable)
        if not unreadable or any(found):
            yield from _with_fields(name, found, field, on_note)
    else:
        matches = [] if os.path.lexists(name) else glob.glob(name, recursive=True)
        paths = sorted(path for path in matches if os.path.isfile(path))
        yield from (_named(path, field) for path in paths or [name])


def _with_fields(name: str, found: Sequence[Source | None], field: str, on_note: OnNote) -> list[Source]:
    kept = [source for source in found if source is not None]
    if not kept:
        what = f"file with a field: {', '.join(_KINDS)}" if field else "file"
        raise InvalidInputError(f"{name}: the folder has no {what}")
    if n_others := len(found) - len(kept):
        on_note(
            f"{name}: {counted(n_others, 'file')} of {len(found):,} left out, for --field reads no plain text"
        )
    return kept


def _named(path: str, field: str) -> Source:
    source = _of_file(path, field)
    if source is None and not (is_address(path) or os.path.lexists(path)):
        return Source(path)
    if source is None:
        raise InvalidInputError(
            f"{path}: a text file has no field {quoted(field)}; --field is for {', '.join(_KINDS)}, "
            "which may end in .gz or .zst"
        )
    return source


def _of_file(path: str, field: str) -> Source | None:
    """Return the source of a file by its ending; None for plain text if a field is required."""
    ending = Path(path).suffix.lower()
    compression = _COMPRESSIONS.get(ending, "")
    if compression:
        ending = Path(path).with_suffix("").suffix.lower()
    kind = _KINDS.get(ending, "text")
    if kind == "parquet":
        return Source(path, kind, compression, field or DEFAULT_FIELD)
    if not field:
        return Source(path, "text", compression)
    return None if kind == "text" else Source(path, kind, compression, field)


def _files_below(folder: str, unreadable: list[str]) -> Iterator[str]:
    """Yield the regular files below a folder; reading a device or a pipe might never end.

    Folders that cannot be listed are added to `unreadable`.
    """
    for place, folders, files in os.walk(folder, onerror=lambda error: unreadable.append(error.filename)):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        paths = (os.path.join(place, name) for name in sorted(files) if not name.startswith("."))
        yield from filter(_is_to_be_read, paths)


def _is_to_be_read(path: str) -> bool:
    """Whether a path is a regular file, or can't be examined without permission."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except OSError as error:
        return isinstance(error, PermissionError)
