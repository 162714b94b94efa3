"""Lesson 8: what the lecture's two functions count and merge."""

import inspect

from hypothesis import given
from hypothesis import strategies as st

from playground.bpe.lecture import get_stats, merge
from playground.lessons.count_and_merge import CODE, MAX_SHOWN, show
from tests.lessons.asked import asked


def test_the_lectures_merge():
    assert merge([5, 6, 6, 7, 9, 1], (6, 7), 99) == [5, 6, 99, 9, 1]


def test_aaa_counts_two_pairs_and_merges_one():
    shown = show("aaa")
    assert (shown.figure["count"], shown.figure["places"], shown.figure["after"]) == (2, [0, 1], ["aa", "a"])
    assert asked(shown).answer == "2"
    assert "overlap" in asked(shown).hint("1")
    assert "at least two" in show("a").needs


def test_the_example_is_counted_four_times_and_merged_twice():
    shown = show("aaabdaaabac")
    assert (shown.figure["pair"], shown.figure["count"]) == ("aa", 4)
    assert asked(shown).answer == "9"
    assert "overlap" in asked(shown).hint("7")


def test_the_lines_are_those_that_run():
    source = inspect.getsource(get_stats) + inspect.getsource(merge)
    assert [lines[0] for lines in CODE[1:]] == [
        "def get_stats(ids, counts):",
        "def merge(ids, pair, new_id):",
    ]
    for line in {line for lines in CODE for line in lines[2:]}:
        assert line.strip() in source


@given(st.text("abc", min_size=2, max_size=MAX_SHOWN))
def test_places_and_rows_say_the_same_text(text):
    figure = show(text).figure
    assert "".join(figure["after"]) == text
    assert sum(count["count"] for count in figure["counts"]) == len(text) - 1
    assert all(text[place : place + 2] == figure["pair"] for place in figure["places"])
    assert len(figure["places"]) == figure["count"] == max(one["count"] for one in figure["counts"])
    n_merged = len(text) - len(figure["after"])
    assert n_merged == text.count(figure["pair"])
