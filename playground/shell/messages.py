"""What goes to standard error."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from playground.training.kernel.first_use import listening

#: What takes seconds, and happens where an answer is first computed.
COMPILING = "compiling, once on this machine"


def print_error(message: str) -> None:
    """One line; control characters, as in a file's name, are shown and not sent to the terminal."""
    _print_line("error", message)


def print_note(message: str) -> None:
    """One line that tells of nothing wrong."""
    _print_line("note", message)


def _print_line(kind: str, message: str) -> None:
    shown = (c if c >= " " and not "\x7f" <= c <= "\x9f" else repr(c)[1:-1] for c in message)
    print(f"{kind}: {''.join(shown)}", file=sys.stderr)


@contextmanager
def compiling_is_noted() -> Iterator[None]:
    """On a terminal, a line says that something is compiled, where no bar does."""
    is_told = not sys.stderr.isatty()

    def tell(is_compiling: bool) -> None:
        nonlocal is_told
        if is_compiling and not is_told:
            is_told = True
            print_note(f"{COMPILING}; it takes some seconds")

    with listening(tell):
        yield
