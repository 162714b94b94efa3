"""Lessons 17 to 20: SentencePiece, the size of a vocabulary, new tokens and pictures."""

import itertools
from base64 import b64decode, b64encode
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sentencepiece import SentencePieceProcessor

from playground.catalog.sentencepiece_library import Switches, train
from playground.lessons import picture_tokens, sentence_pieces, vocabulary_sizes
from playground.training.codebook import patches_of
from tests.lessons.asked import asked

# Lesson 17: SentencePiece; its own package is the oracle.

PIECES_EXAMPLE = sentence_pieces.SENTENCEPIECE.example()
SWITCHES = Switches("bpe", 1.0, byte_fallback=True, add_dummy_prefix=True, split_digits=True)


def show_pieces(**changed):
    return sentence_pieces.show(**{**PIECES_EXAMPLE, **changed})


def test_the_vocabulary_is_control_then_bytes_then_merges_then_letters():
    runs = show_pieces().figure["runs"]
    assert [kind for kind, _ in runs] == ["control", "bytes", "merges", "letters"]
    assert [n for _, n in runs][:2] == [3, 256]
    assert sum(n for _, n in runs) == sentence_pieces.VOCAB_SIZE == 400
    letters = {letter for line in sentence_pieces.learned_from() for letter in line if letter != " "} | {"▁"}
    assert runs[3][1] == len(letters)


def test_ids_of_bytes_come_after_three_control_tokens():
    pieces = show_pieces(text="안").figure["text"]["pieces"]
    assert [piece["id"] for piece in pieces if piece["kind"] == "bytes"] == [239, 152, 139]
    assert [byte + 3 for byte in "안".encode()] == [239, 152, 139]
    assert [piece["text"] for piece in pieces] == ["▁", "<0xEC>", "<0x95>", "<0x88>"]


def test_without_byte_fallback_an_unknown_word_is_lost():
    on, off = show_pieces(text="hello 안녕하세요").figure["fallback"]
    assert (on["is_on"], on["is_lossless"], on["decoded"]) == (True, True, "hello 안녕하세요")
    assert (off["is_on"], off["is_lossless"]) == (False, False)
    assert off["decoded"].endswith(" ⁇ ")
    assert [piece["text"] for piece in off["pieces"] if piece["kind"] == "control"] == ["<unk>"]


def test_with_a_dummy_prefix_a_word_is_the_same_anywhere():
    on, off = show_pieces(text="hello world").figure["prefix"]
    assert on["n_shared"] == len(on["alone"])
    assert on["alone"][0]["text"].startswith("▁w")
    assert off["n_shared"] < len(off["alone"])


def test_coverage_digits_and_model_change_the_pieces():
    whole, part = (show_pieces(coverage=coverage).figure["counts"]["letters"] for coverage in ("1", "0.98"))
    assert part < whole
    apart, joined = (
        show_pieces(text="1813", split_digits=is_on).figure["text"]["n"] for is_on in (True, False)
    )
    assert (apart, joined) == (5, 2)
    bpe, unigram = show_pieces().figure["models"]
    assert len(bpe["runs"]) == 4 < len(unigram["runs"])


@pytest.mark.parametrize(("model", "coverage"), list(itertools.product(("bpe", "unigram"), (1.0, 0.98))))
def test_every_switch_is_trained(model, coverage):
    """The library raises if a training is impossible; the trained model has the chosen options."""
    for byte_fallback, add_dummy_prefix, split_digits in itertools.product((True, False), repeat=3):
        switches = Switches(model, coverage, byte_fallback, add_dummy_prefix, split_digits)
        found = sentence_pieces.trained(switches)
        assert found.kinds.count("bytes") == 256 * byte_fallback
        assert found.kinds.count("control") == 3
        assert len(found.kinds) == sentence_pieces.VOCAB_SIZE
        starts_with_space = found.processor.encode("he", out_type=str)[0].startswith("▁")
        assert starts_with_space == add_dummy_prefix
        assert sentence_pieces.trained(replace(switches)) is found, "it is trained once"


@given(st.text(st.sampled_from("hello wrd 1813\n안é👋▁"), max_size=30))
@example("a\x00b")
def test_pieces_equal_those_of_sentencepiece(text):
    library = SentencePieceProcessor(model_proto=MODEL)
    figure = show_pieces(text=text).figure["text"]
    assert [piece["id"] for piece in figure["pieces"]] == library.encode(text)[:60]
    assert figure["n"] == len(library.encode(text))


MODEL = train(sentence_pieces.learned_from(), sentence_pieces.VOCAB_SIZE, SWITCHES)


def test_sentencepiece_question_has_the_counted_answer():
    question = asked(show_pieces())
    assert (question.asks, question.answer) == ("How many pieces does “안녕하세요” have?", "16")
    assert question.is_right("16 pieces")
    assert asked(show_pieces(byte_fallback=False)).answer == "2"
    seen = show_pieces(text="the hello")
    assert asked(seen).asks == "How many pieces does “hello” have?"
    assert seen.needs == "Every character has a piece here: add 안녕 or 👋."


# Lesson 18: the shares of published models, and the novel learned to four sizes.


@pytest.mark.parametrize(
    ("size", "n_tokens", "n_rarest"),
    [(512, 269_766, 281), (1_000, 202_947, 70), (2_000, 163_682, 22), (4_000, 141_649, 6)],
)
def test_the_novel_has_the_counted_tokens_at_each_vocabulary_size(size, n_tokens, n_rarest):
    assert vocabulary_sizes.learned_from_novel()[size - 257][:2] == (n_tokens, n_rarest)
    figure = vocabulary_sizes.show(size, "gpt2").figure
    assert (figure["n_tokens"], figure["n_rarest"]) == (n_tokens, n_rarest)


def test_the_question_asks_for_the_share():
    question = asked(vocabulary_sizes.show(**vocabulary_sizes.VOCABULARY_SIZE.example()))
    assert question.answer == "31 %"
    assert all(map(question.is_right, ("31", "31%", "31 %")))


# Lesson 19: a row for each new token in each matrix, counted against published totals.


# Lesson 20: 1,024 integers for a picture; more entries bring it back better.


def own(pixels):
    return b64encode(np.asarray(pixels, np.uint8).tobytes()).decode()


@pytest.mark.parametrize(("side", "n_tokens"), [("8", 1_024), ("4", 4_096)])
def test_a_picture_has_a_token_for_each_patch(side, n_tokens):
    shown = picture_tokens.show("16", side, "")
    assert len(shown.figure["numbers"]) == n_tokens == (256 // int(side)) ** 2
    assert asked(shown).answer == str(n_tokens)


def test_more_entries_and_smaller_patches_are_closer_to_the_picture():
    found = {
        (side, n): picture_tokens.show(n, side, "").figure["decibels"]
        for side in ("8", "4")
        for n in ("16", "64", "256")
    }
    assert [found["8", n] for n in ("16", "64", "256")] == pytest.approx([21.1, 23.5, 29.1], abs=0.3)
    assert found["8", "16"] < found["8", "64"] < found["8", "256"]
    assert found["4", "16"] < found["4", "64"] < found["4", "256"]
    assert found["4", "16"] > found["8", "16"]


def test_the_picture_can_be_drawn_from_the_figures_data():
    figure = picture_tokens.show("64", "8", "").figure
    codebook = np.frombuffer(b64decode(figure["codebook"]), np.uint8).reshape(-1, 8, 8, 3)
    pixels = np.frombuffer(b64decode(figure["pixels"]), np.uint8).reshape(256, 256, 3)
    assert pixels.tobytes() == picture_tokens.astronaut()
    back = np.zeros((256, 256, 3))
    for n, number in enumerate(figure["numbers"]):
        top, left = 8 * (n // 32), 8 * (n % 32)
        back[top : top + 8, left : left + 8] = codebook[number]
    error = ((pixels - back) ** 2).mean()
    assert figure["decibels"] == pytest.approx(10 * np.log10(255**2 / error), abs=0.06)


def test_each_patch_has_its_nearest_entry():
    coded = picture_tokens.code(picture_tokens.astronaut(), 16, 8)
    pixels = np.frombuffer(picture_tokens.astronaut(), np.uint8).reshape(256, 256, 3)
    for patch, number in list(zip(patches_of(pixels, 8), coded.numbers, strict=True))[::37]:
        away = ((coded.codebook.astype(int) - patch) ** 2).sum(axis=1)
        assert away[number] == away.min()


def test_a_visitors_picture_gets_its_own_codebook():
    half = np.zeros((256, 256, 3))
    half[:, 128:] = [250, 10, 0]
    shown = picture_tokens.show("16", "8", own(half))
    assert shown.needs == "This picture has only 2 kinds of patches."
    assert shown.figure["decibels"] is None, "it comes back as it is"
    numbers = np.array(shown.figure["numbers"]).reshape(32, 32)
    assert (numbers[:, :16] == numbers[0, 0]).all()
    assert (numbers[:, 16:] == numbers[0, 16]).all()
    noise = np.random.default_rng(1).integers(0, 256, (256, 256, 3))
    assert picture_tokens.show("64", "4", own(noise)).needs == ""
