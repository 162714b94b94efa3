"""Handle Ctrl-C and SIGTERM: exit at once during start-up, raise KeyboardInterrupt afterwards."""

import os
import signal

STATUS = 130
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def end_at_once() -> None:
    """Exit at once on a signal until `raise_interrupts`: an interrupted import raises misleading errors."""
    for number in _SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:  # ignored in a shell's background jobs
            signal.signal(number, _end)


def raise_interrupts() -> None:
    """Raise KeyboardInterrupt on a signal from now on, if `end_at_once` was called before."""
    for number in _SIGNALS:
        if signal.getsignal(number) is _end:
            signal.signal(number, signal.default_int_handler)


def _end(_number: int, _frame: object) -> None:
    os._exit(STATUS)
