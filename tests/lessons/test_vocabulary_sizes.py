"""Lesson 18: the shares of published models, and the novel learned to four sizes."""

from itertools import pairwise

import pytest

from playground.analysis.model_parameters import MODELS
from playground.lessons.vocabulary_sizes import VOCABULARY_SIZE, learned_from_novel, show
from tests.lessons.asked import asked


@pytest.mark.parametrize(
    ("name", "size", "n_parameters", "share"),
    [
        ("gpt2", 50_257, 124_439_808, 31.0),
        ("gpt2_xl", 50_257, 1_557_611_200, 5.2),
        ("llama2_7b", 32_000, 6_738_415_616, 3.9),
        ("llama3_8b", 128_256, 8_030_261_248, 13.1),
        ("gemma_7b", 256_128, 8_538_074_112, 9.2),
    ],
)
def test_published_models_have_so_many_parameters_and_rows(name, size, n_parameters, share):
    model = MODELS[name]
    assert model.n_in_rows(size) + model.n_others == n_parameters
    assert round(100 * model.n_in_rows(size) / n_parameters, 1) == share


@pytest.mark.parametrize(
    ("size", "n_tokens", "n_rarest"),
    [(512, 269_766, 281), (1_000, 202_947, 70), (2_000, 163_682, 22), (4_000, 141_649, 6)],
)
def test_the_novel_has_so_many_tokens(size, n_tokens, n_rarest):
    assert learned_from_novel()[size - 257] == (n_tokens, n_rarest)
    figure = show(size, "gpt2").figure
    assert (figure["n_tokens"], figure["n_rarest"]) == (n_tokens, n_rarest)


def test_the_curve_falls_to_where_no_pair_is_left():
    curve = show(**VOCABULARY_SIZE.example()).figure["curve"]
    assert all(a[0] < b[0] and a[1] > b[1] for a, b in pairwise(curve))
    assert curve[-1] == [256 + len(learned_from_novel()), learned_from_novel()[-1][0]]
    assert show(256_257, "gpt2").figure["n_rarest"] == 1


def test_the_question_asks_for_the_share():
    question = asked(show(**VOCABULARY_SIZE.example()))
    assert question.answer == "31 %"
    assert all(map(question.is_right, ("31", "31%", "31 %")))
    assert "all parameters" in question.hint("45")
    assert "38,597,376" in question.hint("5")
