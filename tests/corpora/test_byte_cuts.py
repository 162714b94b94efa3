"""Pieces of a text that arrives as UTF-8 equal those of the same text as `str`."""

import codecs
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.bpe.safe_cuts import SafeCuts, iter_safe_blocks, safe_cut_of
from playground.corpora import blocks, text_files
from playground.corpora.blocks import iter_safe_pieces

SPECIAL = ["<|end|>", " <", "中a"]


def parts_of(text, places):
    return [text[start:end] for start, end in pairwise([0, *sorted(places), len(text)])]


@pytest.mark.parametrize("name", ["gpt2", "cl100k", "llama3", "o200k"])
@pytest.mark.parametrize("special", [[], SPECIAL])
@given(
    text=st.text(st.sampled_from("ab1 \n\r/.é中🙂\u0301"))
    | st.text(st.sampled_from("<|end|> 中a"), min_size=20),
    places=st.lists(st.integers(0, 60), max_size=8),
    n_window=st.sampled_from([1, 3, 16, 1 << 10]),
)
def test_pieces_of_bytes_end_where_those_of_the_text_end(name, special, text, places, n_window):
    parts = parts_of(text, [place for place in places if place <= len(text)])
    cuts = SafeCuts(safe_cut_of(name), special)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "_WINDOW_BYTES", n_window)
        pieces = list(iter_safe_pieces([part.encode() for part in parts], cuts))
    assert pieces == [block.encode() for block in iter_safe_blocks(parts, cuts)]


def test_a_text_without_safe_cuts_is_one_piece():
    assert list(iter_safe_pieces([b"one ", b"two"], SafeCuts(None))) == [b"one two"]
    assert list(iter_safe_pieces([b"x" * 3_000] * 3, SafeCuts(safe_cut_of("gpt2")))) == [b"x" * 9_000]
    assert list(iter_safe_pieces([], SafeCuts(None))) == []


@given(
    raw=st.text("aé中🙂").map(str.encode) | st.binary(max_size=40),
    n_dropped=st.integers(0, 3),
    is_last=st.booleans(),
)
def test_characters_are_counted_in_windows_as_decoding_the_whole_counts_them(raw, n_dropped, is_last):
    raw = raw[: len(raw) - n_dropped]
    found = []
    for count in (text_files.whole_characters, _decoded_characters):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(text_files, "_WINDOW_BYTES", 5)
            try:
                found.append(count(raw, is_last=is_last))
            except UnicodeDecodeError as error:
                found.append((error.object, error.start, error.reason))
    assert found[0] == found[1]


def _decoded_characters(raw, *, is_last):
    text, n_bytes = codecs.utf_8_decode(raw, "strict", is_last)
    return len(text), n_bytes
