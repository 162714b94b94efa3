"""Arguments that `count`, `encode` and `train` share: the files to read, and `--engine`, what reads them."""

import argparse
import glob
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from playground.core.errors import InvalidInputError
from playground.core.wording import counted, quoted
from playground.corpora.object_stores import is_address
from playground.corpora.sources import Source, find_sources
from playground.corpora.text_files import STANDARD_INPUT
from playground.shell.terminal import print_note
from playground.shell.usage import program_name


def check_input(arguments: argparse.Namespace) -> None:
    """Check that file arguments are files rather than text; note when input is read from a terminal.

    Raises InvalidInputError, which says how to pass a text.
    """
    if hasattr(arguments, "file"):
        files = [arguments.file]
    elif hasattr(arguments, "files"):
        files = arguments.files or [STANDARD_INPUT]
    else:
        return
    if not any(map(_may_be_a_file, files)):
        import shlex  # imported late: only errors need it

        typed = " ".join(files)
        raise InvalidInputError(
            f"there is no file {quoted(typed)}; pass text on standard input, as in: "
            f"echo {shlex.quote(typed)} | {program_name(sys.argv[0])} {arguments.command}"
        )
    if STANDARD_INPUT in files and sys.stdin is not None and sys.stdin.isatty():
        print_note("reading from the terminal; press Ctrl-D on an empty line to end the input")


def _may_be_a_file(name: str) -> bool:
    """Whether a name exists, or looks like a path: with an ending or a folder, and without spaces."""
    if name == STANDARD_INPUT or is_address(name) or glob.has_magic(name) or os.path.lexists(name):
        return True
    return not any(map(str.isspace, name)) and any(mark in name for mark in (".", "/", os.sep))


def named_sources(names: Sequence[str], arguments: argparse.Namespace) -> list[Source]:
    """Return the files of names, folders and globs. Raises InvalidInputError."""
    skips_bad_rows = arguments.skip_bad_rows
    sources = find_sources(names, field=arguments.field, skips_bad_rows=skips_bad_rows, on_note=print_note)
    if skips_bad_rows and all(source.kind == "text" for source in sources):
        print_note("--skip-bad-rows has no effect on plain text; use --field NAME to read rows")
    n_json = sum(source.kind == "text" and ".jsonl" in source.path for source in sources)
    if n_json and any(map(os.path.isdir, names)):
        print_note(
            f"{counted(n_json, 'file')} of JSON Lines read as plain text, with the JSON itself; --field NAME "
            "reads one field of each row"
        )
    return sources


def note_left_out(n_rows: int) -> None:
    """Print a note with the number of rows that were left out, if any."""
    if n_rows:
        print_note(f"left out {counted(n_rows, 'row')} without text")


@contextmanager
def engine_of(arguments: argparse.Namespace) -> Iterator[Any]:
    """Yield a Dask client, or None for threads. Raises what `dask_engine.cluster` does."""
    if arguments.engine == "threads":
        if arguments.scheduler:
            raise InvalidInputError(f"--scheduler {arguments.scheduler} requires --engine dask")
        yield None
        return
    from playground.corpora.dask_engine import cluster  # imported late: Dask is large and optional

    with cluster(arguments.scheduler, n_workers=arguments.threads) as client:
        yield client
