"""K-means ends when each patch has its nearest entry and each entry is the mean of its patches."""

import numpy as np
import pytest

from playground.training.codebook import decibels, learn_codebook, nearest_entries, patches_of, pixels_of

_RANDOM = np.random.default_rng(5)


@pytest.mark.parametrize(("height", "width", "side"), [(8, 8, 4), (16, 8, 8), (6, 12, 2)])
def test_patches_are_the_squares_of_the_picture(height, width, side):
    pixels = _RANDOM.integers(0, 256, (height, width, 3))
    patches = patches_of(pixels, side)
    squares = [
        pixels[top : top + side, left : left + side].ravel()
        for top in range(0, height, side)
        for left in range(0, width, side)
    ]
    assert (patches == squares).all()
    assert (pixels_of(patches, side, width) == pixels).all()


def test_the_first_of_the_nearest_entries_is_chosen():
    patches = _RANDOM.integers(0, 256, (60, 12)).astype(float)
    codebook = np.vstack([patches[:9], patches[:3]])
    slow = [min(range(12), key=lambda n: ((patch - codebook[n]) ** 2).sum()) for patch in patches]
    assert nearest_entries(patches, codebook).tolist() == slow


def test_each_entry_is_the_mean_of_its_nearest_patches():
    patches = np.concatenate([_RANDOM.normal(centre, 2, (40, 6)) for centre in (0, 60, 120, 180)])
    codebook = learn_codebook(patches, 4)
    numbers = nearest_entries(patches, codebook)
    for n, entry in enumerate(codebook):
        assert entry == pytest.approx(patches[numbers == n].mean(axis=0))
    assert sorted(np.bincount(numbers).tolist()) == [40] * 4, "each kind has an entry of its own"


def test_a_codebook_with_room_for_all_patches_contains_each_patch():
    patches = np.repeat(_RANDOM.integers(0, 256, (5, 12)), 7, axis=0).astype(float)
    codebook = learn_codebook(patches, 64)
    assert sorted(map(tuple, codebook)) == sorted(set(map(tuple, patches)))


def test_decibels_follow_their_definition():
    pixels, back = _RANDOM.integers(0, 256, (2, 4, 4, 3))
    error = sum((int(a) - int(b)) ** 2 for a, b in zip(pixels.ravel(), back.ravel(), strict=True)) / 48
    assert decibels(pixels, back) == pytest.approx(10 * np.log10(255 * 255 / error))
    assert decibels(pixels, pixels) is None
