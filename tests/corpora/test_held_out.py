"""The held-out part does not depend on how a file is read, and no pretoken is cut."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.bpe.safe_cuts import SafeCuts, safe_cut_of
from playground.bpe.split_pattern import SplitPattern
from playground.corpora import blocks, text_files
from playground.corpora.blocks import first_cut, iter_stretches
from playground.corpora.corpus_pretokens import count_with_held_out
from playground.corpora.sources import Source
from playground.training.pretoken_counts import count_pretokens

PIECES = st.sampled_from(["to", " be", "\n\n", "é", "中文", "🏳️‍🌈", "'s", "12", "  ", "/", ".", "\r\n", "ſ"])


@given(
    st.lists(PIECES, max_size=40).map("".join),
    st.integers(0, 60),
    st.sampled_from(["gpt2", "cl100k", "o200k", "none"]),
)
def test_the_first_cut_in_a_part_is_a_cut_of_the_whole_text(text, at, pattern):
    raw = text.encode()
    cuts = SafeCuts(safe_cut_of(pattern))
    places = [len(text[:n].encode()) for n in range(1, len(text)) if cuts.is_safe(text, n)]
    expected = next((place for place in [0, *places] if place >= at), len(raw))
    assert first_cut(lambda start, stop: raw[start:stop], at, len(raw), cuts) == expected


def test_an_invalid_byte_is_located_from_the_beginning_of_the_file():
    raw = b"a" * 3_000 + b"\xff" + b"a" * 3_000
    with pytest.raises(UnicodeDecodeError) as error:
        first_cut(lambda start, stop: raw[start:stop], 2_990, len(raw), SafeCuts(safe_cut_of("gpt2")))
    assert error.value.start == 3_000


@pytest.mark.parametrize("pattern", ["gpt2", "o200k"])
def test_stretches_do_not_depend_on_blocks(pattern, corpora, monkeypatch):
    monkeypatch.setattr(blocks, "STRETCH_BYTES", 200)
    raw = corpora["languages"][:20_000].encode()
    cuts = SafeCuts(safe_cut_of(pattern))
    whole = [*iter_stretches(raw, 0, 3, cuts, 0.3)]
    assert b"".join(piece for _, piece, _ in whole) == raw
    assert 0.2 < sum(len(piece) for _, piece, is_out in whole if is_out) / len(raw) < 0.4
    sides = b"".join(bytes([is_out]) * len(piece) for _, piece, is_out in whole)
    draw = random.Random(5)
    for _ in range(5):
        found, start = b"", 0
        while start < len(raw):
            stop = first_cut(lambda a, b: raw[a:b], start + draw.randrange(1, 900), len(raw), cuts)
            for _, piece, is_out in iter_stretches(raw[start:stop], start, 3, cuts, 0.3):
                found += bytes([is_out]) * len(piece)
            start = stop
        assert found == sides


@pytest.mark.parametrize("pattern", ["gpt2", "cl100k", "o200k"])
def test_both_parts_have_the_pretokens_of_the_whole(pattern, corpora, tmp_path, monkeypatch):
    monkeypatch.setattr(text_files, "BLOCK_BYTES", 5_000)
    text = "\ufeff" + corpora["languages"][:60_000]
    (tmp_path / "a.txt").write_text(text, newline="")
    parsed = SplitPattern.named(pattern)
    *parts, _ = count_with_held_out([Source(str(tmp_path / "a.txt"))], parsed, 0.2)
    assert all(part.n_bytes > 3_000 for part in parts)
    joined: dict[bytes, int] = {}
    for part in parts:
        for raw, count in part.items():
            joined[raw] = joined.get(raw, 0) + count
    assert joined == dict(count_pretokens([text[1:]], parsed).items())
