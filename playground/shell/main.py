"""`main`: parse the arguments, run one command, and return its exit status."""

import importlib
import io
import os
import sys
from collections.abc import Sequence

from playground.core.errors import PlaygroundError
from playground.core.extras import how_to_install
from playground.shell.interruption import STATUS, raise_interrupts
from playground.shell.terminal import print_error, print_note
from playground.shell.usage import COMMANDS, build_parser, program_name


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status, as the table in docs/shell.md has them.

    Errors are one sentence on standard error; a closed pipe, such as `head`'s, is not an error.
    """
    if sys.stderr is None:  # closed: print() would fall back to standard output
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    _accept_any_name(sys.stdout, sys.stderr)
    words = list(sys.argv[1:] if argv is None else argv) or ["serve"]
    program = program_name(sys.argv[0])
    parser = build_parser(program, only=words[0] if words[0] in COMMANDS else "")
    arguments, unknown = parser.parse_known_args(words)
    if unknown:
        print_error(f"unrecognized arguments: {' '.join(unknown)}; see `{program} {words[0]} --help`")
        return 2
    if sys.stdout is None:
        return _fail("standard output is closed")
    try:
        from playground.shell.corpus_arguments import check_input  # imported late to keep --help fast

        check_input(arguments)
        command = importlib.import_module(f"playground.shell.{arguments.command.replace('-', '_')}")
        raise_interrupts()
        status: int = command.run(arguments)
        sys.stdout.flush()
    except PlaygroundError as error:
        return _fail(str(error))
    except ModuleNotFoundError as error:
        line = how_to_install(error.name or "")
        if not line:
            raise
        return _fail(f"{arguments.command} needs {error.name}, which is not installed; run: {line}")
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


def _fail(message: str) -> int:
    print_error(message)
    return 1


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
