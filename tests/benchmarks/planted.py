"""Planted faults, a kind each, for the test of the command that finds them."""

import logging
import os
import signal

from hypothesis import strategies as st

from tests.fuzz_target import Target


def _log(number: int) -> None:
    if number > 6:
        logging.getLogger(__name__).error("seven is told to the log alone")


def _die(number: int) -> None:
    if number > 6:
        os.kill(os.getpid(), signal.SIGXCPU)  # as the system does to a case that does not end


def _fill(number: int) -> None:
    if number > 6:
        bytearray(2_000_000_000)


_NUMBERS = st.integers(0, 20)
TARGETS = {
    "sound": Target(_NUMBERS, lambda number: number + 1),
    "raises": Target(_NUMBERS, lambda number: 1 // (number - 7)),
    "logs": Target(_NUMBERS, _log),
    "dies": Target(_NUMBERS, _die),
    "fills": Target(_NUMBERS, _fill),
}
