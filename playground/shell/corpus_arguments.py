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


def check_input(arguments: argparse.Namespace) -> None:
    """Refuse a text in the place of a file, and say how it is given; tell that a terminal is waited for.

    Raises InvalidInputError.
    """
    if hasattr(arguments, "file"):
        files = [arguments.file]
    elif hasattr(arguments, "files"):
        files = arguments.files or [STANDARD_INPUT]
    else:
        return
    if not any(map(_may_be_a_file, files)):
        import shlex  # only here: it is for who made a mistake

        typed = " ".join(files)
        raise InvalidInputError(
            f"there is no file {quoted(typed)}; what is no file comes by standard input, as in: "
            f"echo {shlex.quote(typed)} | python -m playground {arguments.command}"
        )
    if STANDARD_INPUT in files and sys.stdin is not None and sys.stdin.isatty():
        print_note("reading what you type; Ctrl-D at the beginning of a line ends it")


def _may_be_a_file(name: str) -> bool:
    """Whether it is one, or looks as if it should be: with an ending or a folder, and without spaces."""
    if name == STANDARD_INPUT or is_address(name) or glob.has_magic(name) or os.path.lexists(name):
        return True
    return not any(map(str.isspace, name)) and any(mark in name for mark in (".", "/", os.sep))


def named_sources(names: Sequence[str], arguments: argparse.Namespace) -> list[Source]:
    """The files of names, folders and globs. Raises InvalidInputError."""
    skips_bad_rows = arguments.skip_bad_rows
    sources = find_sources(names, field=arguments.field, skips_bad_rows=skips_bad_rows, on_note=print_note)
    if skips_bad_rows and all(source.kind == "text" for source in sources):
        print_note("--skip-bad-rows has no row to leave out in plain text; --field NAME reads rows")
    return sources


def note_left_out(n_rows: int) -> None:
    """Tell of rows that were left out, if any."""
    if n_rows:
        print_note(f"{counted(n_rows, 'row')} without a text left out")


@contextmanager
def engine_of(arguments: argparse.Namespace) -> Iterator[Any]:
    """A Dask client, or None for threads. Raises what `dask_engine.cluster` does."""
    if arguments.engine == "threads":
        if arguments.scheduler:
            raise InvalidInputError(f"--scheduler {arguments.scheduler} is for --engine dask")
        yield None
        return
    from playground.corpora.dask_engine import cluster  # only here: Dask is large, and may not be installed

    with cluster(arguments.scheduler, n_workers=arguments.threads) as client:
        yield client
