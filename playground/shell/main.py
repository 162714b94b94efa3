"""The table of commands, and how each ends."""

import argparse
import os
import sys
from collections.abc import Sequence

from playground.core.errors import PlaygroundError
from playground.shell import compare, count, decode, encode, formats

COMMANDS = (count.COMMAND, encode.COMMAND, decode.COMMAND, compare.COMMAND, formats.COMMAND)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status: 0, 1 for bad input, 2 for bad usage, 130 for Ctrl-C."""
    arguments = build_parser().parse_args(argv)
    try:
        status: int = arguments.run(arguments)
    except PlaygroundError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader, such as `head`, has what it wants
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return status


def build_parser() -> argparse.ArgumentParser:
    """One parser a command."""
    parser = argparse.ArgumentParser(prog="python -m playground", description="Tokenizers in the shell.")
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in COMMANDS:
        subparser = subparsers.add_parser(command.name, help=command.summary, description=command.summary)
        command.add_arguments(subparser)
        subparser.set_defaults(run=command.run)
    return parser
