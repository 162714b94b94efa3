"""Arguments that `count`, `encode` and `train` share: the files to read, and `--engine`, what reads them."""

import glob
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

from playground.core.errors import InvalidInputError
from playground.core.wording import counted, quoted
from playground.corpora.object_stores import is_address
from playground.corpora.sources import Source, find_sources
from playground.corpora.text_files import STANDARD_INPUT
from playground.shell.commands import FILE, POSITIVE, Arguments, flag, options
from playground.shell.terminal import print_note


def _check_files(context: click.Context, _parameter: click.Parameter, typed: Any) -> Any:
    """Return what was typed for FILE if it may be files rather than a text; note when a terminal is read.

    Raises InvalidInputError, which says how to pass a text.
    """
    files = [typed] if isinstance(typed, str) else typed
    if files and not any(map(_may_be_a_file, files)):
        import shlex  # imported late: only errors need it

        words = " ".join(files)
        raise InvalidInputError(
            f"there is no file {quoted(words)}; pass text on standard input, as in: "
            f"echo {shlex.quote(words)} | {context.command_path}"
        )
    reads = STANDARD_INPUT in files and not context.params.get("diff")
    if reads and sys.stdin is not None and sys.stdin.isatty():
        print_note("reading from the terminal; press Ctrl-D on an empty line to end the input")
    return typed


def file_argument(what: str) -> Callable[[Any], Any]:
    """Return the argument of a command that reads one file."""
    help = f"{what}; standard input if omitted or -."
    return click.argument("file", type=FILE, default=STANDARD_INPUT, callback=_check_files, help=help)


def files_argument(what: str, *, required: bool = False, or_input: bool = True) -> Callable[[Any], Any]:
    """Return the argument of a command that reads several files, by default standard input if `or_input`."""
    return click.argument(
        "files",
        nargs=-1,
        type=FILE,
        required=required,
        default=(STANDARD_INPUT,) if or_input and not required else None,
        callback=_check_files,
        help=what,
    )


GITIGNORE_OPTION = flag("--no-gitignore", "Read files of a folder that .gitignore names, too.")
CORPUS_OPTIONS = options(
    files_argument(
        "Files, folders, globs and addresses (s3://, gs://, hf://) of UTF-8 text, also .gz and "
        ".zst; standard input if omitted or -."
    ),
    click.option(
        "--field",
        default="",
        metavar="NAME",
        help="Read this field of each row of .jsonl, .csv, .tsv and .parquet files as a text; in .jsonl it "
        "may be nested, such as a.b or messages[].content. Default: `text` in .parquet, the whole file "
        "otherwise.",
    ),
    flag(
        "--skip-bad-rows",
        "Leave out rows in which the field is missing, null or not text, and invalid lines of .jsonl; a note "
        "says how many.",
    ),
)
ENGINE_OPTIONS = options(
    click.option(
        "--threads",
        type=POSITIVE,
        default=min(4, os.cpu_count() or 1),
        show_default=True,
        help="Number of cores to use.",
    ),
    click.option(
        "--engine",
        type=click.Choice(["threads", "dask"]),
        default="threads",
        show_default=True,
        help="This machine, or Dask, which the extra [scale] installs.",
    ),
    click.option(
        "--scheduler",
        default="",
        metavar="ADDRESS",
        help="Address of a Dask cluster, such as tcp://127.0.0.1:8786. Default: processes of this machine.",
    ),
)


def _may_be_a_file(name: str) -> bool:
    """Whether a name exists, or looks like a path: with an ending or a folder, and without spaces."""
    if name == STANDARD_INPUT or is_address(name) or glob.has_magic(name) or os.path.lexists(name):
        return True
    return not any(map(str.isspace, name)) and any(mark in name for mark in (".", "/", os.sep))


def named_sources(names: Sequence[str], arguments: Arguments) -> list[Source]:
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
def engine_of(arguments: Arguments) -> Iterator[Any]:
    """Yield a Dask client, or None for threads. Raises what `dask_engine.cluster` does."""
    if arguments.engine == "threads":
        if arguments.scheduler:
            raise InvalidInputError(f"--scheduler {arguments.scheduler} requires --engine dask")
        yield None
        return
    from playground.corpora.dask_engine import cluster  # imported late: Dask is large and optional

    with cluster(arguments.scheduler, n_workers=arguments.threads) as client:
        yield client
