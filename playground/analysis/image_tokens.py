"""The tokens of images by the formulas that the makers of models document; read on 28 November 2026.

OpenAI: developers.openai.com/api/docs/guides/images-vision, tiles of 512 pixels or patches of 32. Its factors
for GPT-5.2 and later are not documented; 1.2 is what bills were measured to have (community.openai.com
1377015, and the dataset JOHNISKING/image-token-cost). Anthropic: platform.claude.com, "Vision", patches of 28
pixels. Google: ai.google.dev/gemini-api/docs/media-resolution and /image-understanding.
"""

from math import ceil, floor, sqrt
from typing import NamedTuple

from playground.analysis.chat import Media
from playground.catalog.models import Model


class ImageTokens(NamedTuple):
    """The tokens of an image; with `is_least` a larger number is possible, because its size is unknown."""

    n_tokens: int
    is_least: bool = False


def image_tokens(image: Media, model: Model | None) -> ImageTokens | None:
    """Return the tokens of an image for a model; None if no formula is known.

    >>> from playground.catalog.models import find_model
    >>> image_tokens(Media("image", 1024, 1024), find_model("gpt-4o"))
    ImageTokens(n_tokens=765, is_least=False)
    >>> image_tokens(Media("image"), find_model("claude-sonnet-4-5"))
    ImageTokens(n_tokens=1, is_least=True)
    """
    if model is None:
        return None
    name, has_size = model.ids[0], bool(image.width and image.height)
    width, height = (image.width, image.height) if has_size else (1, 1)
    if model.maker == "Google" and name.startswith("gemini"):
        if not name.startswith("gemini-2"):
            return ImageTokens(_GEMINI.get(image.detail, _GEMINI["high"]))
        return ImageTokens(_gemini_2(width, height, image.detail), not has_size)
    if model.maker == "Anthropic":
        is_large = model.tokenizer != "claude_3"
        return ImageTokens(_claude(width, height, *(_LARGE if is_large else _STANDARD)), not has_size)
    if tile := _TILES.get(name):
        is_low = image.detail == "low"
        return ImageTokens(tile[0] if is_low else _tiles(width, height, *tile), not (has_size or is_low))
    if patch := _PATCHES.get(name):
        return ImageTokens(_patches(width, height, patch, image.detail), not has_size)
    return None


#: Tokens of an image, and of each tile of it.
_TILES = {
    "gpt-4o": (85, 170), "gpt-4.1": (85, 170), "gpt-4.5-preview": (85, 170), "gpt-4-turbo": (85, 170),
    "gpt-4o-mini": (2833, 5667), "gpt-5": (70, 140), "gpt-5.1": (70, 140),
    "o1": (75, 150), "o3": (75, 150), "o3-pro": (75, 150),
}  # fmt: skip


class _Patches(NamedTuple):
    """The factor of a patch, and the most patches with the detail "high", and with "original" or "auto"."""

    factor: float
    n_high: int = 1536
    n_auto: int | None = 1536


_UNLIMITED = _Patches(1.2, 2500, None)
_PATCHES = {
    "gpt-4.1-mini": _Patches(1.62), "gpt-4.1-nano": _Patches(2.46), "o4-mini": _Patches(1.72),
    "gpt-5-mini": _Patches(1.62), "gpt-5-nano": _Patches(2.46),
    "gpt-5.4-mini": _Patches(1.62), "gpt-5.4-nano": _Patches(2.46),
    "gpt-5.2": _Patches(1.2), "gpt-5.3-codex": _Patches(1.2),
    "gpt-5.4": _Patches(1.2, 2500, 2500), "gpt-5.5": _Patches(1.2, 2500, 10_000),
    **dict.fromkeys(("gpt-5.6-sol", "gpt-5.6-terra", "gpt-5.6-luna"), _UNLIMITED),
}  # fmt: skip


def _tiles(width: float, height: float, base: int, tile: int) -> int:
    """Scale into 2,048 pixels, then the shorter side to 768, and count the tiles of 512.

    >>> _tiles(2048, 4096, 85, 170)
    1105
    """
    scale = min(1, 2048 / max(width, height))
    scale *= min(1, 768 / (min(width, height) * scale))
    return base + tile * ceil(width * scale / 512) * ceil(height * scale / 512)


def _patches(width: float, height: float, patch: _Patches, detail: str) -> int:
    """Count the patches of 32 pixels, after scaling to the most patches if there are more.

    >>> _patches(1800, 2400, _Patches(1), "high")
    1452
    """
    if detail == "low":
        scale = min(1, 512 / max(width, height))
        width, height = width * scale, height * scale
    limit = patch.n_high if detail == "high" else patch.n_auto
    if limit is not None and ceil(width / 32) * ceil(height / 32) > limit:
        scale = sqrt(limit * 32**2 / (width * height))
        columns, rows = width * scale / 32, height * scale / 32
        scale *= min(floor(columns) / columns, floor(rows) / rows)
        width, height = width * scale, height * scale
    # A size that is a whole number of patches may come out a little larger by rounding.
    return ceil(round(ceil(width / 32 - 1e-9) * ceil(height / 32 - 1e-9) * patch.factor, 6))


#: The longest side and the most tokens of an image: before Opus 4.7, and from it on.
_STANDARD, _LARGE = (1568, 1568), (2576, 4784)


def _claude(width: int, height: int, longest: int, n_most: int) -> int:
    """Count the patches of 28 pixels of the largest size that fits.

    >>> _claude(1920, 1080, *_STANDARD), _claude(1920, 1080, *_LARGE)
    (1560, 2691)
    """
    long, short = max(width, height), min(width, height)
    for side in range(min(long, longest), 0, -1):
        n_tokens = ceil(side / 28) * max(1, ceil(round(side * short / long) / 28))
        if n_tokens <= n_most:
            return n_tokens
    return 1


#: The most tokens of an image by `media_resolution`, from Gemini 3 on.
_GEMINI = {"low": 280, "medium": 560, "high": 1120, "ultra_high": 2240}


def _gemini_2(width: int, height: int, resolution: str) -> int:
    """Count 258 a tile: one for a small image, else squares of two thirds of the shorter side.

    >>> _gemini_2(960, 540, "")
    1548
    """
    if resolution == "low":
        return 64
    if max(width, height) <= 384:
        return 258
    side = max(floor(min(width, height) / 1.5), 1)
    return 258 * ceil(width / side) * ceil(height / side)
