"""A picture is cut into patches, each encoded as the number of an entry in a learned codebook."""

import binascii
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np

from playground.core.assets import damaged, read_packed
from playground.core.wording import counted
from playground.lessons.inputs import PICTURE_SIDE, ChoiceInput, PictureInput
from playground.lessons.lesson import Guess, Lesson, Notes, Opening, Question, Shown, readings
from playground.training.codebook import decibels, learn_codebook, nearest_entries, patches_of, pixels_of

_ASTRONAUT = "pictures/astronaut.ppm.gz"
_SHAPE = (PICTURE_SIDE, PICTURE_SIDE, 3)


class Coded(NamedTuple):
    """A picture's codebook in bytes, the entry of each patch, and the fidelity in dB (None if exact)."""

    codebook: Any
    numbers: Any
    decibels: float | None


@cache
def astronaut() -> bytes:
    """Return the RGB bytes of NASA's picture. Raises AssetError."""
    header, pixels = b"P6\n256 256\n255\n", read_packed(_ASTRONAUT)
    if not pixels.startswith(header) or len(pixels) != len(header) + PICTURE_SIDE**2 * 3:
        raise damaged(_ASTRONAUT, f"it is no picture of {PICTURE_SIDE} × {PICTURE_SIDE} pixels")
    return pixels[len(header) :]


@lru_cache(maxsize=24)
def code(picture: bytes, n_entries: int, side: int) -> Coded:
    """Learn a codebook from a picture's own patches, and encode the patches with it.

    >>> coded = code(astronaut(), 64, 8)
    >>> coded.codebook.shape, coded.numbers.shape
    ((64, 192), (1024,))
    """
    pixels = np.frombuffer(picture, np.uint8).reshape(_SHAPE)
    patches = patches_of(pixels, side).astype(float)
    codebook = np.round(learn_codebook(patches, n_entries))
    numbers = nearest_entries(patches, codebook)
    back = pixels_of(codebook[numbers], side, PICTURE_SIDE)
    return Coded(codebook.astype(np.uint8), numbers, decibels(pixels, back))


def show(n_entries: str, side: str, picture: str) -> Shown:
    """Return the picture, its codebook, and the number of each patch."""
    pixels = binascii.a2b_base64(picture) or astronaut()
    coded = code(pixels, int(n_entries), int(side))
    figure: dict[str, Any] = {
        "width": PICTURE_SIDE,
        "side": int(side),
        "pixels": _base64(pixels),
        "codebook": _base64(coded.codebook.tobytes()),
        "numbers": coded.numbers.tolist(),
        "decibels": None if coded.decibels is None else round(coded.decibels, 1),
    }
    n_found = len(coded.codebook)
    needs = (
        "" if n_found == int(n_entries) else f"This picture has only {counted(n_found, 'kind')} of patches."
    )
    return Shown(figure, _question(int(side)), needs)


def _base64(data: bytes) -> str:
    return binascii.b2a_base64(data, newline=False).decode()


def _question(side: int) -> Question:
    across = PICTURE_SIDE // side
    hints = {
        across: f"That is one row of patches. There are {across} rows.",
        side**2: "That is the pixels of one patch. Count the patches.",
        PICTURE_SIDE**2: "That is the number of pixels. A patch has several.",
    }

    def hint(guess: str) -> str:
        default = f"There are {PICTURE_SIDE} / {side} = {across} patches in a row, and {across} rows."
        return next((hint for n, hint in hints.items() if n in readings(guess)), default)

    asks = f"How many tokens are {PICTURE_SIDE} × {PICTURE_SIDE} pixels in patches of {side} × {side}?"
    return Question(asks, str(across**2), hint, (f"{across**2} tokens",))


def _openings(n_entries: str, side: str, picture: str) -> Sequence[Opening]:
    numbers = code(binascii.a2b_base64(picture) or astronaut(), int(n_entries), int(side)).numbers
    text = " ".join(map(str, numbers[: PICTURE_SIDE // int(side)].tolist()))
    return (Opening("tokenize", {"text": text, "tokenizer": "gpt2"}),)


PICTURES = Lesson(
    slug="pictures",
    number=17,
    title="Pictures",
    claim="A picture can be a sequence of integers, too.",
    guess=Guess(
        "A codebook grows from 16 to 256 entries: how many more tokens?",
        ("none", "twice as many", "16 times as many"),
        right=0,
        proof="1,024 tokens",
    ),
    time="1:49:58",
    figure="pictures",
    steps=(
        "A picture is cut into patches, as text is into tokens.",
        "K-means learned a codebook; each patch becomes its nearest entry's number.",
        "The integers and the codebook give the picture back, approximately.",
    ),
    inputs=(
        ChoiceInput("n_entries", "Entries", "64", {"16": "16", "64": "64", "256": "256 entries"}),
        ChoiceInput("side", "Patch", "8", {"8": "8 × 8", "4": "4 × 4"}),
        PictureInput("picture", "Own picture"),
    ),
    try_this="Choose more entries, or your own picture.",
    notes=Notes(
        say="K-means has just learned this codebook from one picture; models learn theirs from millions.",
        ask="What does a larger codebook cost, and what do smaller patches cost?",
        expect=(
            "A larger codebook needs more rows in the model; halving the patch's side makes four times the "
            "tokens."
        ),
    ),
    show=show,
    sources=(patches_of, learn_codebook, nearest_entries, pixels_of),
    openings=_openings,
    sets={1: {"n_entries": "16"}, 2: {"n_entries": "64"}, 3: {"n_entries": "256"}},
)
