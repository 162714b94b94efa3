"""Lesson 7: the board of aaabdaaabac, and the lecture's own training as the oracle."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.bpe import lecture
from playground.lessons.bpe_by_hand import MAX_LETTERS, Board, by_the_rule, show
from tests.lessons.asked import asked

TEXT = "aaabdaaabac"


def test_the_example_has_the_known_lengths_counts_and_tie():
    shown = show(TEXT, ())
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
    assert "several" in asked(shown).hint("8")
    assert asked(shown).hint("7").endswith("The question is about the row's length.")


@pytest.mark.parametrize("picks", [(), ("b\td",), ("a\tb", "a\ta", "Y\tZ")])
def test_what_symbols_stand_for_spells_the_text_again(picks):
    figure = show(TEXT, picks).figure
    for board in (*figure["rule"], figure["own"]):
        spelled = {made["name"]: made["left"] + made["right"] for made in board["merges"]}
        row = "".join(board["symbols"])
        for name in reversed(spelled):
            row = row.replace(name, spelled[name])
        assert row == TEXT
    assert [made["name"] for made in figure["rule"][-1]["merges"]] == ["Z", "Y", "X"]


def test_a_worse_pick_is_allowed_and_stands_beside_the_rule():
    own = show(TEXT, ("b\td",)).figure["own"]
    assert ("".join(own["symbols"]), own["beside"], own["picks"]) == ("aaaZaaabac", 9, ["b\td"])
    assert show(TEXT, ("a\ta", "Z\ta")).figure["own"]["beside"] == 7
    for nonsense in ("b\tb", "", "x\ty", "ab", "Z\ta"):
        own = show(TEXT, (nonsense, "a\ta")).figure["own"]
        assert (own["picks"], len(own["symbols"])) == ([], 11), "what stands nowhere ends the picks"


def test_a_text_without_a_pair_twice_is_told():
    assert "repeat" in show("abc", ()).needs
    assert show("abc", ()).question is None
    assert f"first {MAX_LETTERS}" in show("ab" * 40, ()).needs


@given(st.text("abcZ", max_size=MAX_LETTERS), st.integers(0, 5))
def test_the_rule_is_the_lectures_training(text, n_merges):
    boards = list(by_the_rule(Board.of(text), n_merges))
    merges = lecture.train([text.encode()], n_merges)
    ids = list(text.encode())
    for number, (pair, new_id) in enumerate(merges.items(), 1):
        if lecture.get_stats(ids)[pair] < 2:
            assert number == len(boards)
            break
        ids = lecture.merge(ids, pair, new_id)
        assert len(boards[number].ids) == len(ids)
