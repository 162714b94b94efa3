"""Lesson 20: 1,024 integers for a picture; more entries bring it back better."""

from base64 import b64decode, b64encode

import numpy as np
import pytest

from playground.core.errors import InvalidInputError
from playground.lessons.inputs import PICTURE_SIDE
from playground.lessons.picture_tokens import PICTURES, astronaut, code, show
from playground.training.codebook import patches_of
from tests.lessons.asked import asked


def own(pixels):
    return b64encode(np.asarray(pixels, np.uint8).tobytes()).decode()


@pytest.mark.parametrize(("side", "n_tokens"), [("8", 1_024), ("4", 4_096)])
def test_a_picture_has_a_token_for_each_patch(side, n_tokens):
    shown = show("16", side, "")
    assert len(shown.figure["numbers"]) == n_tokens == (256 // int(side)) ** 2
    assert asked(shown).answer == str(n_tokens)


def test_more_entries_and_smaller_patches_are_more_alike():
    found = {
        (side, n): show(n, side, "").figure["decibels"] for side in ("8", "4") for n in ("16", "64", "256")
    }
    assert [found["8", n] for n in ("16", "64", "256")] == pytest.approx([21.1, 23.5, 29.1], abs=0.3)
    assert found["8", "16"] < found["8", "64"] < found["8", "256"]
    assert found["4", "16"] < found["4", "64"] < found["4", "256"]
    assert found["4", "16"] > found["8", "16"]


def test_what_the_browser_gets_is_enough_to_draw_it():
    figure = show("64", "8", "").figure
    codebook = np.frombuffer(b64decode(figure["codebook"]), np.uint8).reshape(-1, 8, 8, 3)
    pixels = np.frombuffer(b64decode(figure["pixels"]), np.uint8).reshape(256, 256, 3)
    assert pixels.tobytes() == astronaut()
    back = np.zeros((256, 256, 3))
    for n, number in enumerate(figure["numbers"]):
        top, left = 8 * (n // 32), 8 * (n % 32)
        back[top : top + 8, left : left + 8] = codebook[number]
    error = ((pixels - back) ** 2).mean()
    assert figure["decibels"] == pytest.approx(10 * np.log10(255**2 / error), abs=0.06)


def test_each_patch_has_its_nearest_entry():
    coded = code(astronaut(), 16, 8)
    pixels = np.frombuffer(astronaut(), np.uint8).reshape(256, 256, 3)
    for patch, number in list(zip(patches_of(pixels, 8), coded.numbers, strict=True))[::37]:
        away = ((coded.codebook.astype(int) - patch) ** 2).sum(axis=1)
        assert away[number] == away.min()


def test_an_own_picture_has_a_codebook_of_its_own():
    half = np.zeros((256, 256, 3))
    half[:, 128:] = [250, 10, 0]
    shown = show("16", "8", own(half))
    assert shown.needs == "This picture has only 2 kinds of patches."
    assert shown.figure["decibels"] is None, "it comes back as it is"
    numbers = np.array(shown.figure["numbers"]).reshape(32, 32)
    assert (numbers[:, :16] == numbers[0, 0]).all()
    assert (numbers[:, 16:] == numbers[0, 16]).all()
    noise = np.random.default_rng(1).integers(0, 256, (256, 256, 3))
    assert show("64", "4", own(noise)).needs == ""


def test_a_picture_of_another_size_is_refused():
    field = next(item for item in PICTURES.inputs if item.name == "picture")
    assert field.check("") == ""
    assert field.check(own(np.zeros((256, 256, 3)))) == "A" * 262_144
    with pytest.raises(InvalidInputError, match=r"196,608 bytes as base64, and is 3 bytes"):
        field.check("AAAA")
    with pytest.raises(InvalidInputError, match="and is something else"):
        field.check("A" * 5)
    assert field.about()["side"] == PICTURE_SIDE == 256


def test_hints_follow_from_the_guess():
    question = asked(show("64", "8", ""))
    assert question.asks == ("How many tokens are 256 × 256 pixels in patches of 8 × 8?")
    assert "one row" in question.hint("32")
    assert "of one patch" in question.hint("64")
    assert "several" in question.hint("65,536")
    assert "256 / 8 = 32" in question.hint("12")
    assert "256 / 4 = 64" in asked(show("64", "4", "")).hint("12")
