"""Lesson 6: the pairs of the declaration."""

import pytest

from playground.lessons.attention import ATTENTION, show
from tests.lessons.asked import asked


def test_the_declaration_in_bytes_has_29_times_the_pairs():
    shown = show(8_287)
    assert (shown.figure["n_bytes"], shown.figure["n_tokens"]) == (8_287, 1_524)
    assert asked(shown).answer == "29.6"
    assert "29.6" not in shown.figure.values(), "what is asked does not stand beside the question"
    assert asked(shown).is_right(str(round(float(shown.figure["longer"]) ** 2, 1))), (
        "the square of what stands there"
    )
    assert "square" in asked(shown).hint("5.4")
    assert ATTENTION.example() == {"n_bytes": 8_287}


@pytest.mark.parametrize("n_bytes", [100, 101, 4_000])
def test_any_length(n_bytes):
    figure = show(n_bytes).figure
    assert 0 < figure["n_tokens"] < figure["n_bytes"] == n_bytes
