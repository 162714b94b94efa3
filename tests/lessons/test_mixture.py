"""Lesson 10: tokens of the same articles under four mixtures; the oracle is the lecture's own encoder."""

import pytest

from playground.bpe import lecture
from playground.bpe.split_pattern import SplitPattern, iter_pretokens
from playground.lessons.mixture import MIXTURE, OTHERS, VOCAB_SIZE, n_tokens, show, texts_of, trained
from tests.lessons.asked import asked


@pytest.mark.parametrize(
    ("n_korean", "english", "korean"), [(0, 222, 815), (1, 227, 391), (5, 239, 276), (10, 689, 244)]
)
def test_tokens_of_both_languages_under_a_mixture(n_korean, english, korean):
    assert n_tokens("Korean", n_korean, "English") == english
    assert n_tokens("Korean", n_korean, "Korean") == korean
    figure = show(n_korean, "Korean").figure
    assert [counts[n_korean] for counts in figure["n_tokens"]] == [english, korean]


def test_the_counts_are_those_of_the_lectures_encoder():
    text = texts_of("Korean")[0]
    model = trained("Korean", 1, text)
    assert model.n_vocab == VOCAB_SIZE
    merges = {(merge.left, merge.right): merge.new_id for merge in model.merges()}
    pieces = [piece.encode() for piece, _ in iter_pretokens(text, SplitPattern.named("cl100k"))]
    assert sum(len(lecture.encode(piece, merges)) for piece in pieces) == 391


def test_what_is_learned_from_leaves_the_two_articles_out():
    held_out, learned_from = texts_of("English")
    assert held_out.startswith("All human beings are born free")
    assert held_out.split("\n")[0] not in learned_from


def test_the_tokens_shown_cover_the_text():
    for text in show(1, "Korean").figure["texts"]:
        assert sum(text["lengths"]) == len(text["text"].encode())


def test_the_question_asks_what_a_mixture_saves():
    assert MIXTURE.example() == {"n_other": 1, "other": "Korean"}
    question = asked(show(1, "Korean"))
    assert (question.asks, question.answer) == (
        "How many tokens of the Korean text does 9 : 1 save?",
        str(815 - 391),
    )
    assert "left" in question.hint("391")
    assert "815" in question.hint("1")
    none = asked(show(0, "Korean"))
    assert none.answer == "815"
    assert "longer bar" in none.hint("1")


@pytest.mark.parametrize("other", OTHERS)
def test_one_part_of_ten_saves_most_in_each_language(other):
    """What the lesson's second step says."""
    counts = show(1, other).figure["n_tokens"][1]
    assert 2 * (counts[0] - counts[1]) > counts[0] - min(counts)
