"""Positions in bytes, characters and UTF-16 units agree with counting them one by one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.core.errors import InvalidInputError
from playground.core.text_units import (
    character_of_bytes,
    count_characters_before,
    count_utf16,
    widened_to_characters,
)

texts = st.text(st.sampled_from("aé€😀\u0301\n") | st.characters(exclude_categories=["Cs"]), max_size=12)


@given(text=texts)
def test_each_byte_belongs_to_the_character_it_encodes(text):
    expected = [number for number, character in enumerate(text) for _ in character.encode()]
    assert character_of_bytes(text).tolist() == [*expected, len(text)]


@given(text=texts)
def test_utf16_lengths_equal_the_codecs(text):
    units = [len(text[:n].encode("utf-16-le")) // 2 for n in range(len(text) + 1)]
    assert count_utf16(text) == units[-1]
    for n_units in range(units[-1] + 1):
        if n_units in units:
            assert count_characters_before(text, n_units) == units.index(n_units)
        else:
            with pytest.raises(InvalidInputError, match="surrogate"):
                count_characters_before(text, n_units)


@given(text=texts, data=st.data())
def test_a_span_grows_to_the_characters_it_touches(text, data):
    raw = text.encode()
    start = data.draw(st.integers(0, len(raw)))
    end = data.draw(st.integers(start, len(raw)))
    starts = [len(text[:n].encode()) for n in range(len(text) + 1)]
    first, last = widened_to_characters(raw, start, end)
    assert first == max(place for place in starts if place <= start)
    assert last == min(place for place in starts if place >= end)


def test_invalid_utf8_is_widened_by_three_bytes_at_most():
    assert widened_to_characters(b"\x80" * 20, 10, 11) == (7, 14)
    assert count_utf16("a\ud83d") == 2
