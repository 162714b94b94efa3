"""Pretokens of ASCII, found 64 bytes at once, against the scanners that find one after the other."""

import random

import numpy as np
import pytest

from playground.training.kernel.ascii_starts import NO_STARTS, ascii_starts
from playground.training.kernel.compiled import compiled
from playground.training.kernel.intrinsics import lowest_bit
from playground.training.kernel.scanners import QWEN, SCANNERS, TEKKEN, character_classes, pretoken_end

N_CASES = 1_000
#: Contractions and what looks like one, line ends behind marks, white space, case, numbers.
PARTS = [
    *"aZ1'/ \t\n\r.(_\0", "'s", "'LL", "'rE", "'ve", "'x", "don't", "I'll", "''s", "'s's", "fooBar",
    "HTMLPage", "  ", "    ", "\n\n", "\r\n", " \n", "\n  ", "\n\t", ");\n", ");\n/", ");\n//", "\n/", " (",
    "12", "1234567", "word", " word", "longerthanothers", "é", "ſ", "'ſ", "中", "\u00a0", "1٣", "a\u0301",
]  # fmt: skip


def text_of(seed):
    draw = random.Random(seed)
    parts = draw.choices(PARTS, k=draw.randint(1, 60))
    if seed % 3:
        parts = [part for part in parts if part.isascii()]
    return "".join(parts).encode()


@compiled
def write_stops(text, start, end, classes, scanner, by_block, one_by_one):
    position, n_told = start, 0
    while position < end:
        starts = ascii_starts(text, position, end, scanner)
        if starts == NO_STARTS:
            position = pretoken_end(text, position, end, classes, scanner)
            by_block[position] = 1
        block = position
        while starts != NO_STARTS:
            position = block + lowest_bit(starts)
            by_block[position] = 1
            starts &= starts - np.uint64(1)
            n_told += 1
    position = start
    while position < end:
        position = pretoken_end(text, position, end, classes, scanner)
        one_by_one[position] = 1
    return n_told


@pytest.mark.parametrize("scanner", [*SCANNERS.values(), QWEN, TEKKEN])
def test_pretokens_found_in_a_block_equal_those_found_one_by_one(scanner):
    n_told = 0
    for seed in range(N_CASES):
        raw = text_of(seed)
        # Behind the end other texts may stand, of which nothing is seen.
        text = np.frombuffer(raw + (bytes(64) if seed % 2 else b"'s/a1 \n\xc3\xa9" * 9), np.uint8)
        by_block, one_by_one = np.zeros((2, len(raw) + 1), np.uint8)
        n_told += write_stops(text, 0, len(raw), character_classes(), scanner, by_block, one_by_one)
        assert by_block.tolist() == one_by_one.tolist(), raw
    assert n_told > 10 * N_CASES
