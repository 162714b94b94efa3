"""A codebook of picture patches learned by k-means, which turns a picture into integers and back.

The start is k-means++ (Arthur and Vassilvitskii, 2007); the rounds are Lloyd's (1982).
"""

from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

N_ROUNDS, _SEED = 40, 0


def patches_of(pixels: Any, side: int) -> Any:
    """Return a row of numbers for each square patch; pixels have the shape (height, width, 3).

    >>> patches_of(np.zeros((256, 256, 3)), 8).shape
    (1024, 192)
    """
    height, width, depth = pixels.shape
    cells = pixels.reshape(height // side, side, width // side, side, depth).swapaxes(1, 2)
    return cells.reshape(-1, side * side * depth)


def pixels_of(patches: Any, side: int, width: int) -> Any:
    """Return the picture made of patches.

    >>> pixels = np.arange(8 * 4 * 3).reshape(8, 4, 3)
    >>> bool((pixels_of(patches_of(pixels, 2), 2, 4) == pixels).all())
    True
    """
    cells = patches.reshape(-1, width // side, side, side, 3).swapaxes(1, 2)
    return cells.reshape(-1, width, 3)


def nearest_entries(patches: Any, codebook: Any) -> Any:
    """Return the index of the nearest codebook entry for each patch; the first if two are equally near."""
    # |p - c|² without |p|², which is the same for all entries.
    return ((codebook**2).sum(axis=1) - 2 * patches @ codebook.T).argmin(axis=1)


def learn_codebook(patches: Any, n_entries: int) -> Any:
    """Return a codebook: each entry is the mean of its nearest patches; fewer for few distinct patches.

    >>> learn_codebook(np.array([[0.0], [1.0], [9.0], [11.0]]), 2).tolist()
    [[10.0], [0.5]]
    """
    patches = np.asarray(patches, float)  # products of bytes are exact
    with threadpool_limits(1, user_api="blas"):
        codebook, numbers = _first_entries(patches, n_entries), None
        for _ in range(N_ROUNDS):
            before, numbers = numbers, nearest_entries(patches, codebook)
            if before is not None and (before == numbers).all():
                break
            is_member = numbers == np.arange(len(codebook))[:, None]
            n_members = is_member.sum(axis=1, keepdims=True)
            codebook = np.where(n_members, is_member @ patches / np.maximum(n_members, 1), codebook)
    return codebook


def _first_entries(patches: Any, n_entries: int) -> Any:
    """Choose patches at random, preferring those far from the ones chosen before (k-means++)."""
    random = np.random.default_rng(_SEED)
    drawn = [int(random.integers(len(patches)))]
    lengths = (patches**2).sum(axis=1)
    away = np.full(len(patches), np.inf)
    while True:
        newest = patches[drawn[-1]]
        away = np.minimum(away, lengths - 2 * patches @ newest + newest @ newest)
        if len(drawn) == n_entries or not away.any():
            return patches[drawn]
        drawn.append(int(random.choice(len(patches), p=away / away.sum())))


def decibels(pixels: Any, back: Any) -> float | None:
    """Return the similarity of a picture to the original (PSNR); None if they are equal.

    >>> decibels(np.zeros(4), np.array([0, 0, 0, 51]))
    20.0
    """
    error = float(((pixels.astype(float) - back) ** 2).mean())
    return 10 * float(np.log10(255**2 / error)) if error else None
