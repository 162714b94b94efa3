"""The cache of segments: what it must not take for known. `test_counting_together` sees to the counts."""

import numpy as np

from playground.training.kernel.encoding import LENGTH_AT
from playground.training.kernel.scanners import CL100K, GPT2, character_classes
from playground.training.kernel.segment_counts import (
    MAX_TOGETHER,
    N_LISTED,
    PLACES,
    SEGMENTS_DONE,
    find_segments,
    new_lists,
    new_segment_rows,
)

RAW = b" one" * 30


def found(place, *, cuts):
    """How many segments are listed, and the totals, where one is known in a place of the only line."""
    text = np.frombuffer(RAW + bytes(64), np.uint8)
    rows, lists = new_segment_rows(1), new_lists(2)
    rows[4 * place : 4 * place + 4] = (
        int.from_bytes(RAW[:4], "little"),
        4 << int(LENGTH_AT),
        cuts,
        1 << 16 | 2,
    )
    progress, totals = np.zeros(PLACES + MAX_TOGETHER, np.int64), np.zeros(MAX_TOGETHER, np.int64)
    ended = find_segments(
        rows, lists, np.array([GPT2, CL100K]), text, np.array([[0, len(RAW)]]), progress, totals,
        character_classes(),
    )  # fmt: skip
    assert ended == SEGMENTS_DONE
    if totals[1]:  # what stands behind the last 64 bytes is listed without a segment
        assert set(lists.n_pretokens.tolist()) == {len(RAW) // 4 - totals[1]}
    return int(progress[N_LISTED]), totals.tolist()


def test_a_segment_is_known_by_its_bytes_and_by_where_it_is_cut():
    for place in (0, 1):
        listed, totals = found(place, cuts=0)
        assert listed == 0
        assert totals == [2 * totals[1], totals[1], 0, 0]
        assert totals[1] > 20
        for cuts in (1, 1 << 14):
            listed, totals = found(place, cuts=cuts)
            assert listed == 1  # however often it comes
            assert totals == [0, 0, 0, 0]
