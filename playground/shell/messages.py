"""What goes to standard error."""

import sys


def print_error(message: str) -> None:
    """One line; control characters, as in a file's name, are shown and not sent to the terminal."""
    shown = (c if c >= " " and not "\x7f" <= c <= "\x9f" else repr(c)[1:-1] for c in message)
    print(f"error: {''.join(shown)}", file=sys.stderr)
