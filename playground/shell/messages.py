"""What goes to standard error."""

import sys


def print_error(message: str) -> None:
    """One line; control characters, as in a file's name, are shown and not sent to the terminal."""
    _print_line("error", message)


def print_note(message: str) -> None:
    """One line that tells of nothing wrong."""
    _print_line("note", message)


def _print_line(kind: str, message: str) -> None:
    shown = (c if c >= " " and not "\x7f" <= c <= "\x9f" else repr(c)[1:-1] for c in message)
    print(f"{kind}: {''.join(shown)}", file=sys.stderr)
