"""Lesson 9: the curve is that of the lecture's own loop, and the film's text stays what it is."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.bpe import lecture
from playground.bpe.split_pattern import SplitPattern, iter_pretokens
from playground.lessons.loop_of_merges import (
    LOOP,
    MAX_FILM_CHARS,
    N_BYTES,
    N_MERGES,
    lengths,
    percent_saved,
    show,
    times_smaller,
    trained,
)
from playground.training.corpora import novel
from tests.lessons.asked import asked


def test_twenty_merges_make_the_beginning_of_the_novel_so_much_smaller():
    assert (N_BYTES, LOOP.example()["k"]) == (24_000, 20)
    assert trained().n_vocab == 256 + N_MERGES
    assert f"{times_smaller(N_BYTES, lengths()[20]):.2f}" == "1.27"
    assert f"{percent_saved(4_500, 1_000):.1f}" == "77.8"
    assert times_smaller(4_500, 1_000) == 4.5


def test_the_first_merges_and_lengths_are_those_of_the_lectures_loop():
    text = novel().texts[0].encode()[:N_BYTES].decode(errors="ignore")
    chunks = [piece.encode() for piece, _ in iter_pretokens(text, SplitPattern.named("gpt2"))]
    merges = lecture.train(chunks, 20)
    learned = trained().merges(0, 20)
    assert list(merges) == [(merge.left, merge.right) for merge in learned]
    ids = [list(chunk) for chunk in chunks]
    for n, (pair, new_id) in enumerate(merges.items(), start=1):
        ids = [lecture.merge(chunk, pair, new_id) for chunk in ids]
        assert lengths()[n] == sum(map(len, ids))


def test_a_few_dozen_merges_buy_half():
    half = show("a", 0, "times").figure["half"]
    whole = N_BYTES - lengths()[-1]
    assert half == 54
    assert N_BYTES - lengths()[half - 1] < whole / 2 <= N_BYTES - lengths()[half]


def test_what_is_shown_in_one_unit_is_asked_in_the_other():
    share = asked(show("a", 20, "share"))
    assert (share.asks, share.answer) == (
        "The novel's tokens fell by 21.2 %: how many times fewer, to one decimal?",
        "1.3",
    )
    assert share.is_right("1.27x")
    assert share.is_right("1.3")
    assert "share saved" in share.hint("21.2 %")
    assert "78.8" in share.hint("2")
    times = asked(show("a", 20, "times"))
    assert (times.asks, times.answer) == (
        "The novel has 1.27 times fewer tokens: how many percent were saved?",
        "21.2",
    )
    assert times.is_right("21 %")
    assert asked(show("a", 0, "times")).answer == "0.0"


def leaves(node):
    return "".join(map(leaves, node["parts"])) if node["parts"] else node["text"]


@settings(max_examples=25)
@given(st.text(st.sampled_from("the and it is?\n"), max_size=200), st.integers(0, N_MERGES))
def test_the_film_is_the_text_in_the_tokens_of_so_many_merges(text, k):
    film = show(text, k, "times").figure["film"]
    shown = text[:MAX_FILM_CHARS]
    assert "".join(token["text"] for token in film) == shown
    assert "".join(map(leaves, film)) == shown
    merges = {(merge.left, merge.right): merge.new_id for merge in trained().merges(0, k)}
    pieces = [piece.encode() for piece, _ in iter_pretokens(shown, SplitPattern.named("gpt2"))]
    assert len(film) == sum(len(lecture.encode(piece, merges)) for piece in pieces)


@pytest.mark.parametrize("text", ["👋", "안녕"])
def test_bytes_of_a_letter_are_told_in_hex(text):
    assert show(text, 0, "share").figure["film"][0]["text"] == f"⟨{text.encode()[:1].hex().upper()}⟩"


def test_of_a_long_text_it_says_what_is_merged():
    assert show("a" * 160, 0, "times").needs == ""
    assert "first 160" in show("a" * 161, 0, "times").needs
