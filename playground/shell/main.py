"""The table of commands, and how each ends."""

import argparse
import importlib
import os
import sys
from collections.abc import Sequence

from playground.core.errors import PlaygroundError
from playground.shell.command import Command

#: Each is the module of its name in `playground.shell`, imported only when it is asked for.
COMMANDS = ("count", "encode", "decode", "compare", "formats", "train")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status: 0, 1 for bad input, 2 for bad usage, 130 for Ctrl-C."""
    words = sys.argv[1:] if argv is None else argv
    wanted = words[:1] if words and words[0] in COMMANDS else COMMANDS
    arguments = build_parser(wanted).parse_args(words)
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


def build_parser(names: Sequence[str] = COMMANDS) -> argparse.ArgumentParser:
    """One parser a command."""
    parser = argparse.ArgumentParser(prog="python -m playground", description="Tokenizers in the shell.")
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND")
    for name in names:
        command: Command = importlib.import_module(f"playground.shell.{name}").COMMAND
        subparser = subparsers.add_parser(command.name, help=command.summary, description=command.summary)
        command.add_arguments(subparser)
        subparser.set_defaults(run=command.run)
    return parser
