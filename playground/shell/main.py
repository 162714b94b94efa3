"""`main`: parse the arguments, run one command, and return its exit status."""

import io
import os
import sys
from collections.abc import Sequence

import click

from playground.core.errors import PlaygroundError
from playground.core.extras import names_missing_extra
from playground.shell.commands import TESSERA
from playground.shell.interruption import STATUS
from playground.shell.terminal import print_error, print_note

#: Set by the programs that `tessera completion` prints.
COMPLETE = "_TESSERA_COMPLETE"


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status, as the table in docs/shell.md has them.

    Errors are one sentence on standard error; a closed pipe, such as `head`'s, is not an error.
    """
    if sys.stderr is None:  # closed: print() would fall back to standard output
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    _accept_any_name(sys.stdout, sys.stderr)
    if sys.stdout is None:
        return _fail("standard output is closed")
    words = list(sys.argv[1:] if argv is None else argv) or ["serve"]
    try:
        with names_missing_extra(words[0]):
            status = _run(words)
        sys.stdout.flush()
    except PlaygroundError as error:
        return _fail(str(error))
    except KeyboardInterrupt:
        print_note("stopped")
        return STATUS
    except MemoryError:
        return _fail("there is not enough memory for this")
    except BrokenPipeError:  # the reader, such as `head`, has ended
        _drop_output()
        return 0
    except OSError as error:
        _drop_output()
        return _fail(f"{error.filename or 'cannot write'}: {error.strerror or error}")
    return status


def _run(words: list[str]) -> int:
    """Run the command of some words, or complete them."""
    if instruction := os.environ.get(COMPLETE):
        from click.shell_completion import shell_complete  # imported late: most calls run a command

        return shell_complete(TESSERA, {}, "tessera", COMPLETE, instruction)
    try:
        with TESSERA.make_context("tessera", words) as context:
            status: int = TESSERA.invoke(context)
    except click.exceptions.Exit as ending:  # after --help and --version
        return ending.exit_code
    except click.UsageError as error:
        message = " ".join(error.format_message().rstrip(".").split())
        path = error.ctx.command_path if error.ctx else "tessera"
        return _fail(f"{message[:1].lower()}{message[1:]}; see `{path} --help`", error.exit_code)
    return status


def _fail(message: str, status: int = 1) -> int:
    print_error(message)
    return status


def _drop_output() -> None:
    """Discard buffered output that can't be written, so that Python doesn't try again at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _accept_any_name(*streams: object) -> None:
    """Let streams print undecodable file names and, in any locale, any character."""
    for stream in streams:
        if isinstance(stream, io.TextIOWrapper):
            is_utf8 = stream.encoding.lower().replace("-", "") == "utf8"
            stream.reconfigure(errors="surrogateescape" if is_utf8 else "backslashreplace")
