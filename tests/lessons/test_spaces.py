"""Lesson 24: the counts of tokens with a space, and completions looked for by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.analysis.token_details import split_unstable
from playground.catalog.openai import load_openai
from playground.lessons.spaces import SPACES, count_space_starts, show
from tests.lessons.asked import asked

EXAMPLE = SPACES.example()["text"]
NAMES = ("gpt2", "cl100k_base", "o200k_base")


def test_tokens_that_begin_with_a_space_are_as_many_as_counted():
    counted = [(share["n"], share["of"]) for share in show(EXAMPLE, "gpt2").figure["shares"]]
    assert counted == [(33_135, 50_256), (44_610, 100_256), (106_529, 199_998)]
    tokens = load_openai("gpt2").mergeable_ranks
    assert count_space_starts(load_openai("gpt2"))[0] == sum(raw[:1] == b" " for raw in tokens)
    question = asked(show(EXAMPLE, "gpt2"))
    assert question.answer == "33135"
    assert question.is_right("33,135")
    assert "only 50,256" in question.hint("50256")
    assert asked(show(EXAMPLE, "cl100k_base")).answer == "44610"


@pytest.mark.parametrize(("name", "n"), [*zip(NAMES, (1_334, 2_112, 3_599), strict=True)])
def test_a_partial_token_has_so_many_completions(name, n):
    shown = show(".DefaultCellSta", name)
    assert shown.figure["n_completions"] == n
    assert shown.needs == ""
    assert all("Sta" in text for text in shown.figure["completions"])


def test_the_novel_has_no_lone_space():
    shown = show(EXAMPLE, "gpt2")
    assert shown.figure["novel"] == {"n_lone": 0, "n_tokens": 154_868}
    assert shown.figure["pieces"][-1] == {"text": " ", "ids": [220]}
    assert shown.figure["going_on"][-1] == {"text": " to", "ids": [284]}
    assert shown.figure["n_stable"] == len(shown.figure["pieces"]) - 1
    assert shown.figure["n_completions"] == 33_135, "all that begin with a space"
    assert load_openai("cl100k_base").encode(" Oh") == [8840]


@given(st.sampled_from(NAMES), st.text(st.sampled_from("ab .,!\né안"), max_size=30))
def test_the_bounded_end_is_that_of_the_whole_text(name, text):
    figure = show(text, name).figure
    if figure["n_completions"]:
        n_stable, completions = split_unstable(load_openai(name), text)
        assert len(completions) == figure["n_completions"]
        if not figure["is_cut"]:
            n_open = sum(len(piece["ids"]) for piece in figure["pieces"][figure["n_stable"] :])
            assert n_open >= len(load_openai(name).encode(text)) - n_stable


def test_every_completion_begins_with_what_was_typed():
    tokenizer = load_openai("gpt2")
    n_stable, completions = split_unstable(tokenizer, "Hello worl")
    assert n_stable == 1
    by_hand = {token_id for raw, token_id in tokenizer.mergeable_ranks.items() if raw.startswith(b" worl")}
    assert {ids[0] for ids in completions if len(ids) == 1} == by_hand
    assert all(tokenizer.decode(ids).startswith(" worl") for ids in completions)


def test_it_says_what_the_text_lacks():
    assert show("An ice cream shop", "gpt2").needs == "No trailing space here: add one."
    assert "ends in a space" in show("", "gpt2").needs
    for text in ("a" * 2_000, "x" + " " * 200):
        assert "delete some of it" in show(text, "gpt2").needs
        assert show(text, "gpt2").figure["n_completions"] == 0, "each byte of the end would be tried"
