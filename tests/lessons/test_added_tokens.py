"""Lesson 19: a row for each new token in each matrix, counted against published totals."""

import pytest

from playground.catalog.registry import get_tokenizer
from playground.lessons.added_tokens import NEW_TOKENS, PROMPT, show
from tests.lessons.asked import asked


@pytest.mark.parametrize(
    ("model", "before", "added"),
    [
        ("gpt2", 124_439_808, 3_072),
        ("llama2_7b", 6_738_415_616, 32_768),
        ("llama3_8b", 8_030_261_248, 32_768),
    ],
)
def test_four_tokens_add_so_many_parameters(model, before, added):
    figure = show(4, model, PROMPT).figure
    assert (figure["before"], figure["after"]) == (before, before + added)
    assert asked(show(4, model, PROMPT)).answer == str(added)


def test_a_prompt_is_counted_and_a_short_one_is_told():
    shown = show(**NEW_TOKENS.example())
    assert shown.figure["n_prompt"] == len(get_tokenizer("gpt2").encode(PROMPT)) > 4
    assert "longer" in show(4, "gpt2", "Hi").needs


def test_the_hint_tells_of_the_second_matrix():
    for guess in ("16384", "16,384", "16.384", "16 384."):
        assert "lm_head gets the same number" in asked(show(4, "llama2_7b", PROMPT)).hint(guess)
    assert "768" in asked(show(4, "gpt2", PROMPT)).hint("1")
