"""The files of `count`, `encode` and `train`, as their arguments name them, and what is told of them."""

import argparse
from collections.abc import Sequence

from playground.core.wording import counted
from playground.corpora.sources import Source, find_sources
from playground.shell.messages import print_note


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
