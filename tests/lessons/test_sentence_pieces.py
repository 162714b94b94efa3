"""Lesson 17: what SentencePiece learns and gives; its own package is the oracle."""

import itertools
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sentencepiece import SentencePieceProcessor

from playground.catalog.sentencepiece_library import Switches, train
from playground.lessons.sentence_pieces import (
    SENTENCEPIECE,
    VOCAB_SIZE,
    learned_from,
    show,
    trained,
)
from tests.lessons.asked import asked

EXAMPLE = SENTENCEPIECE.example()
SWITCHES = Switches("bpe", 1.0, byte_fallback=True, add_dummy_prefix=True, split_digits=True)


def shown(**changed):
    return show(**{**EXAMPLE, **changed})


def test_the_vocabulary_is_control_then_bytes_then_merges_then_letters():
    runs = shown().figure["runs"]
    assert [kind for kind, _ in runs] == ["control", "bytes", "merges", "letters"]
    assert [n for _, n in runs][:2] == [3, 256]
    assert sum(n for _, n in runs) == VOCAB_SIZE == 400
    letters = {letter for line in learned_from() for letter in line if letter != " "} | {"▁"}
    assert runs[3][1] == len(letters)


def test_bytes_are_shifted_by_three():
    pieces = shown(text="안").figure["text"]["pieces"]
    assert [piece["id"] for piece in pieces if piece["kind"] == "bytes"] == [239, 152, 139]
    assert [byte + 3 for byte in "안".encode()] == [239, 152, 139]
    assert [piece["text"] for piece in pieces] == ["▁", "<0xEC>", "<0x95>", "<0x88>"]


def test_without_bytes_a_strange_word_is_lost():
    on, off = shown(text="hello 안녕하세요").figure["fallback"]
    assert (on["is_on"], on["is_lossless"], on["decoded"]) == (True, True, "hello 안녕하세요")
    assert (off["is_on"], off["is_lossless"]) == (False, False)
    assert off["decoded"].endswith(" ⁇ ")
    assert [piece["text"] for piece in off["pieces"] if piece["kind"] == "control"] == ["<unk>"]


def test_with_a_space_before_it_a_word_is_the_same_anywhere():
    on, off = shown(text="hello world").figure["prefix"]
    assert on["n_shared"] == len(on["alone"])
    assert on["alone"][0]["text"].startswith("▁w")
    assert off["n_shared"] < len(off["alone"])


def test_the_other_switches_show():
    whole, part = (shown(coverage=coverage).figure["counts"]["letters"] for coverage in ("1", "0.98"))
    assert part < whole
    apart, joined = (shown(text="1813", split_digits=is_on).figure["text"]["n"] for is_on in (True, False))
    assert (apart, joined) == (5, 2)
    bpe, unigram = shown().figure["models"]
    assert len(bpe["runs"]) == 4 < len(unigram["runs"])


@pytest.mark.parametrize(("model", "coverage"), list(itertools.product(("bpe", "unigram"), (1.0, 0.98))))
def test_every_switch_is_trained(model, coverage):
    """The library raises where a training cannot be; and what it was told stands in its file."""
    for byte_fallback, add_dummy_prefix, split_digits in itertools.product((True, False), repeat=3):
        switches = Switches(model, coverage, byte_fallback, add_dummy_prefix, split_digits)
        found = trained(switches)
        assert found.kinds.count("bytes") == 256 * byte_fallback
        assert found.kinds.count("control") == 3
        assert len(found.kinds) == VOCAB_SIZE
        starts_with_space = found.processor.encode("he", out_type=str)[0].startswith("▁")
        assert starts_with_space == add_dummy_prefix
        assert trained(replace(switches)) is found, "it is trained once"


@given(st.text(st.sampled_from("hello wrd 1813\n안é👋▁"), max_size=30))
@example("a\x00b")
def test_the_pieces_are_the_librarys(text):
    library = SentencePieceProcessor(model_proto=MODEL)
    figure = shown(text=text).figure["text"]
    assert [piece["id"] for piece in figure["pieces"]] == library.encode(text)[:60]
    assert figure["n"] == len(library.encode(text))


MODEL = train(learned_from(), VOCAB_SIZE, SWITCHES)


def test_the_question_is_about_a_word_that_it_never_saw():
    question = asked(shown())
    assert (question.asks, question.answer) == ("How many pieces does “안녕하세요” have?", "16")
    assert question.is_right("16 pieces")
    assert "▁" in question.hint("15")
    assert "characters" in question.hint("5")
    assert "5 are not in the vocabulary" in question.hint("x")
    assert asked(shown(byte_fallback=False)).answer == "2"
    assert "<unk>" in asked(shown(byte_fallback=False)).hint("16")
    seen = shown(text="the hello")
    assert asked(seen).asks == "How many pieces does “hello” have?"
    assert "step 2" in asked(seen).hint("99")
    assert seen.needs == "Every character has a piece here: add 안녕 or 👋."


def test_an_empty_text_is_asked_for():
    assert shown(text=" \n").needs == "Type some words."
    assert shown(text="").question is None
