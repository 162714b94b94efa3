"""What stands where a file's name belongs, and what is read from the terminal itself."""

import argparse
import glob
import os
import sys

from playground.core.errors import InvalidInputError
from playground.core.wording import quoted
from playground.corpora.object_stores import is_address
from playground.corpora.text_files import STANDARD_INPUT
from playground.shell.messages import print_note


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
