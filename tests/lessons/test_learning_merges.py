"""Lessons 7 to 10: pairs are counted and merged; the oracle is the code of the lecture."""

import inspect

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.bpe import lecture
from playground.bpe.lecture import get_stats, merge
from playground.bpe.split_pattern import SplitPattern, iter_pretokens
from playground.lessons import bpe_by_hand, count_and_merge, loop_of_merges
from playground.training.corpora import novel
from tests.lessons.asked import asked

# Lesson 7: the board of aaabdaaabac, and the lecture's own training as the oracle.

TEXT = "aaabdaaabac"


def test_the_example_has_the_known_lengths_counts_and_tie():
    shown = bpe_by_hand.show(TEXT, ())
    rule = shown.figure["rule"]
    assert [(len(board["symbols"]), board["n_letters"]) for board in rule] == [
        (11, 4),
        (9, 5),
        (7, 6),
        (5, 7),
    ]
    counts = {pair["left"] + pair["right"]: pair["count"] for pair in rule[0]["pairs"]}
    assert counts == {"aa": 4, "ab": 2, "bd": 1, "da": 1, "ba": 1, "ac": 1}
    tied = [pair["left"] + pair["right"] for pair in rule[1]["pairs"] if pair["is_best"]]
    assert (tied, rule[1]["is_tie"], rule[0]["is_tie"]) == (["Za", "ab"], True, False)
    assert (asked(shown).asks, asked(shown).answer) == (
        "By the rule, how long is the row after 3 merges?",
        "5",
    )


@pytest.mark.parametrize("picks", [(), ("b\td",), ("a\tb", "a\ta", "Y\tZ")])
def test_symbols_expand_to_the_text(picks):
    figure = bpe_by_hand.show(TEXT, picks).figure
    for board in (*figure["rule"], figure["own"]):
        spelled = {made["name"]: made["left"] + made["right"] for made in board["merges"]}
        row = "".join(board["symbols"])
        for name in reversed(spelled):
            row = row.replace(name, spelled[name])
        assert row == TEXT
    assert [made["name"] for made in figure["rule"][-1]["merges"]] == ["Z", "Y", "X"]


def test_a_worse_pick_is_compared_with_the_rule():
    own = bpe_by_hand.show(TEXT, ("b\td",)).figure["own"]
    assert ("".join(own["symbols"]), own["beside"], own["picks"]) == ("aaaZaaabac", 9, ["b\td"])
    assert bpe_by_hand.show(TEXT, ("a\ta", "Z\ta")).figure["own"]["beside"] == 7
    for nonsense in ("b\tb", "", "x\ty", "ab", "Z\ta"):
        own = bpe_by_hand.show(TEXT, (nonsense, "a\ta")).figure["own"]
        assert (own["picks"], len(own["symbols"])) == ([], 11), "picks end at an invalid pair"


@given(st.text("abcZ", max_size=bpe_by_hand.MAX_LETTERS), st.integers(0, 5))
def test_the_rule_equals_the_lectures_training(text, n_merges):
    boards = list(bpe_by_hand.by_the_rule(bpe_by_hand.Board.of(text), n_merges))
    merges = lecture.train([text.encode()], n_merges)
    ids = list(text.encode())
    for number, (pair, new_id) in enumerate(merges.items(), 1):
        if lecture.get_stats(ids)[pair] < 2:
            assert number == len(boards)
            break
        ids = lecture.merge(ids, pair, new_id)
        assert len(boards[number].ids) == len(ids)


# Lesson 8: the lecture's two functions.


def test_aaa_counts_two_pairs_and_merges_one():
    shown = count_and_merge.show("aaa")
    assert (shown.figure["count"], shown.figure["places"], shown.figure["after"]) == (2, [0, 1], ["aa", "a"])
    assert asked(shown).answer == "2"
    assert "at least two" in count_and_merge.show("a").needs


def test_the_example_is_counted_four_times_and_merged_twice():
    shown = count_and_merge.show("aaabdaaabac")
    assert (shown.figure["pair"], shown.figure["count"]) == ("aa", 4)
    assert asked(shown).answer == "9"


def test_the_shown_lines_are_in_the_source():
    source = inspect.getsource(get_stats) + inspect.getsource(merge)
    assert [lines[0] for lines in count_and_merge.CODE[1:]] == [
        "def get_stats(ids, counts):",
        "def merge(ids, pair, new_id):",
    ]
    for line in {line for lines in count_and_merge.CODE for line in lines[2:]}:
        assert line.strip() in source


@given(st.text("abc", min_size=2, max_size=count_and_merge.MAX_SHOWN))
def test_places_and_counts_agree_with_the_text(text):
    figure = count_and_merge.show(text).figure
    assert "".join(figure["after"]) == text
    assert sum(count["count"] for count in figure["counts"]) == len(text) - 1
    assert all(text[place : place + 2] == figure["pair"] for place in figure["places"])
    assert len(figure["places"]) == figure["count"] == max(one["count"] for one in figure["counts"])
    n_merged = len(text) - len(figure["after"])
    assert n_merged == text.count(figure["pair"])


# Lesson 9: the training loop; the lecture's own loop is the oracle.


def test_twenty_merges_compress_the_beginning_of_the_novel_by_1_27():
    assert (loop_of_merges.N_BYTES, loop_of_merges.LOOP.example()["k"]) == (24_000, 20)
    assert loop_of_merges.trained().n_vocab == 256 + loop_of_merges.N_MERGES
    assert (
        f"{loop_of_merges.times_smaller(loop_of_merges.N_BYTES, loop_of_merges.lengths()[20]):.2f}" == "1.27"
    )
    assert f"{loop_of_merges.percent_saved(4_500, 1_000):.1f}" == "77.8"
    assert loop_of_merges.times_smaller(4_500, 1_000) == 4.5


def test_merges_and_lengths_equal_those_of_the_lectures_loop():
    text = novel().texts[0].encode()[: loop_of_merges.N_BYTES].decode(errors="ignore")
    chunks = [piece.encode() for piece, _ in iter_pretokens(text, SplitPattern.named("gpt2"))]
    merges = lecture.train(chunks, 20)
    learned = loop_of_merges.trained().merges(0, 20)
    assert list(merges) == [(merge.left, merge.right) for merge in learned]
    ids = [list(chunk) for chunk in chunks]
    for n, (pair, new_id) in enumerate(merges.items(), start=1):
        ids = [lecture.merge(chunk, pair, new_id) for chunk in ids]
        assert loop_of_merges.lengths()[n] == sum(map(len, ids))


def test_54_merges_save_half_of_what_a_thousand_save():
    half = loop_of_merges.show("a", 0, "times").figure["half"]
    whole = loop_of_merges.N_BYTES - loop_of_merges.lengths()[-1]
    assert half == 54
    assert (
        loop_of_merges.N_BYTES - loop_of_merges.lengths()[half - 1]
        < whole / 2
        <= loop_of_merges.N_BYTES - loop_of_merges.lengths()[half]
    )


def test_the_question_asks_for_the_other_unit():
    share = asked(loop_of_merges.show("a", 20, "share"))
    assert (share.asks, share.answer) == (
        "The novel's tokens fell by 21.2 %: how many times fewer, to one decimal?",
        "1.3",
    )
    assert share.is_right("1.27x")
    assert share.is_right("1.3")
    times = asked(loop_of_merges.show("a", 20, "times"))
    assert (times.asks, times.answer) == (
        "The novel has 1.27 times fewer tokens: how many percent were saved?",
        "21.2",
    )
    assert times.is_right("21 %")
    assert asked(loop_of_merges.show("a", 0, "times")).answer == "0.0"


def leaves(node):
    return "".join(map(leaves, node["parts"])) if node["parts"] else node["text"]


@settings(max_examples=25)
@given(st.text(st.sampled_from("the and it is?\n"), max_size=200), st.integers(0, loop_of_merges.N_MERGES))
def test_the_film_shows_the_tokens_after_k_merges(text, k):
    film = loop_of_merges.show(text, k, "times").figure["film"]
    shown = text[: loop_of_merges.MAX_FILM_CHARS]
    assert "".join(token["text"] for token in film) == shown
    assert "".join(map(leaves, film)) == shown
    merges = {(merge.left, merge.right): merge.new_id for merge in loop_of_merges.trained().merges(0, k)}
    pieces = [piece.encode() for piece, _ in iter_pretokens(shown, SplitPattern.named("gpt2"))]
    assert len(film) == sum(len(lecture.encode(piece, merges)) for piece in pieces)


# Lesson 10: tokens of the same articles under four mixtures; the oracle is the lecture's own encoder.
