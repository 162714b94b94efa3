"""What the compiled check says of bytes, against what Python decodes."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from playground.training.kernel.utf8_checks import MIN_BYTES, NOT_UTF8, count_characters

#: Characters of every length, and those beside each border that a first byte has.
CHARACTERS = (
    "a\x7f\x80é\u07ff\u0800\u0fff\u1000中\ucfff\ud000\ud7ff\ue000\uffff"
    "\U00010000\U0003ffff\U00040000🙂\U000fffff\U0010ffff"
)
#: Bytes beside each border between kinds.
BYTES = bytes.fromhex("00 7f 80 8f 90 9f a0 bf c0 c1 c2 df e0 e1 ec ed ee ef f0 f1 f3 f4 f5 ff")


def n_characters(raw: bytes) -> int:
    try:
        return len(raw.decode())
    except UnicodeDecodeError:
        return NOT_UTF8


def check(raw: bytes) -> None:
    assert count_characters(np.frombuffer(raw, np.uint8)) == n_characters(raw)


@given(
    text=st.lists(st.sampled_from(CHARACTERS) | st.just("abcdefgh" * 9), min_size=MIN_BYTES, max_size=99),
    changes=st.lists(st.tuples(st.integers(0, 400), st.sampled_from(BYTES)), max_size=3),
    n_cut=st.integers(0, 3),
)
def test_texts_with_and_without_errors(text, changes, n_cut):
    raw = bytearray("".join(text).encode())
    for place, byte in changes:
        raw[place % len(raw)] = byte
    check(bytes(raw))
    check(bytes(raw[: max(len(raw) - n_cut, MIN_BYTES)]))


@given(raw=st.binary(min_size=MIN_BYTES, max_size=2 * MIN_BYTES))
@example(raw=bytes(MIN_BYTES))
def test_any_bytes(raw):
    check(raw)


def test_each_pair_of_bytes_behind_and_across_each_border():
    for first in BYTES:
        for second in BYTES:
            for closing in (b"", b"\x80", b"\x80\x80"):
                wrong = bytes([first, second]) + closing
                for place in (0, 61, 62, 63, 64, 100):
                    check((b"a" * place + wrong).ljust(130, b"b"))
                check(b"a" * 90 + wrong)
