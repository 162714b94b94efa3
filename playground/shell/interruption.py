"""Ctrl-C and SIGTERM: while modules are loaded they end the process at once, then as KeyboardInterrupt."""

import os
import signal

STATUS = 130
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def end_at_once() -> None:
    """Until `raise_interrupts`: what is interrupted as it is imported would tell of something else."""
    for number in _SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:  # as what a shell starts in its background
            signal.signal(number, _end)


def raise_interrupts() -> None:
    """From now on there is something to tell; nothing changes where `end_at_once` was not called."""
    for number in _SIGNALS:
        if signal.getsignal(number) is _end:
            signal.signal(number, signal.default_int_handler)


def _end(_number: int, _frame: object) -> None:
    os._exit(STATUS)
