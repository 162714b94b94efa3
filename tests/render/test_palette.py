"""Colours can be distinguished, and text on them read, with any colour vision in both themes."""

from itertools import combinations

import numpy as np
import pytest
import regex

from playground.analysis.categories import Category
from playground.catalog.registry import TOKENIZERS
from playground.lessons.loop_of_merges import N_COLORS
from playground.render.palette import (
    CATEGORY_COLORS,
    EDGE_INK,
    INK,
    PAPER,
    TOKEN_COLORS,
    TOKENIZER_COLORS,
    Theme,
    token_css,
    tokenizer_colors,
)
from playground.server.compare_session import MAX_TOKENIZERS
from playground.server.web_files import WEB

THEMES: tuple[Theme, ...] = ("light", "dark")
#: Machado, Oliveira and Fernandes 2009, severity 1.0, applied to linear RGB.
SIGHTS = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}


def linear_rgb(color):
    encoded = np.array([int(color[place : place + 2], 16) for place in (1, 3, 5)]) / 255
    return np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    """Return the contrast of two colours, from 1 to 21 (WCAG 2.1)."""
    light, dark = sorted((linear_rgb(c) @ [0.2126, 0.7152, 0.0722] for c in (one, other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def oklab(rgb):
    """Convert linear RGB to OKLab (Björn Ottosson 2020)."""
    lms = np.array(
        [
            [0.4122214708, 0.5363325363, 0.0514459929],
            [0.2119034982, 0.6806995451, 0.1073969566],
            [0.0883024619, 0.2817188376, 0.6299787005],
        ]
    )
    lab = np.array(
        [
            [0.2104542553, 0.7936177850, -0.0040720468],
            [1.9779984951, -2.4285922050, 0.4505937099],
            [0.0259040371, 0.7827717662, -0.8086757660],
        ]
    )
    return lab @ np.cbrt(lms @ rgb)


def distance(one, other, sight):
    seen = [oklab(np.clip(SIGHTS[sight] @ linear_rgb(color), 0, 1)) for color in (one, other)]
    return float(np.linalg.norm(seen[0] - seen[1]))


def test_the_measures_agree_with_known_values():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
    assert distance("#000000", "#ffffff", "normal") == pytest.approx(1, abs=1e-4)
    assert oklab(linear_rgb("#ff0000")) == pytest.approx([0.62796, 0.22486, 0.12585], abs=1e-4)
    for sight, matrix in SIGHTS.items():  # greys don't change
        assert matrix.sum(axis=1) == pytest.approx([1, 1, 1], abs=1e-5), sight
    # Red and green of one lightness, which normal sight distinguishes and deuteranopia does not.
    assert distance("#d02020", "#7d7a00", "normal") > 3 * distance("#d02020", "#7d7a00", "deuteranopia")


@pytest.mark.parametrize("theme", THEMES)
def test_text_is_readable_on_every_token_and_on_the_background(theme):
    for color in [*TOKEN_COLORS[theme], PAPER[theme]]:
        assert contrast(INK[theme], color) >= 4.5, color


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("theme", THEMES)
def test_any_two_token_colours_differ_for_everyone(theme, sight):
    for one, other in combinations(TOKEN_COLORS[theme], 2):
        assert distance(one, other, sight) >= 0.06, (one, other)


@pytest.mark.parametrize("theme", THEMES)
def test_the_edge_of_a_token_is_visible_on_the_background(theme):
    for color in TOKEN_COLORS[theme]:
        channels = zip(*(bytes.fromhex(shown[1:]) for shown in (INK[theme], color)), strict=True)
        mixed = [round(EDGE_INK * ink + (1 - EDGE_INK) * below) for ink, below in channels]
        edge = f"#{bytes(mixed).hex()}"
        assert contrast(edge, PAPER[theme]) >= 3, color


@pytest.mark.parametrize("theme", THEMES)
def test_each_category_has_a_distinct_colour(theme):
    colors = CATEGORY_COLORS[theme]
    assert len(colors) == len(Category) == len(set(colors))
    for sight in SIGHTS:
        for one, other in combinations(colors, 2):
            assert distance(one, other, sight) >= 0.03, (sight, one, other)


@pytest.mark.parametrize("theme", THEMES)
def test_the_colours_of_compared_tokenizers_differ_for_everyone(theme):
    """A difference of 0.02 is just visible, and the marks are small."""
    assert len(TOKENIZER_COLORS[theme]) == MAX_TOKENIZERS
    for color in TOKENIZER_COLORS[theme]:
        assert contrast(color, PAPER[theme]) >= 3, color
    for sight in SIGHTS:
        for one, other in combinations(TOKENIZER_COLORS[theme], 2):
            assert distance(one, other, sight) >= 0.1, (sight, one, other)


@pytest.mark.parametrize("theme", THEMES)
def test_tokenizers_shown_together_have_different_colours(theme):
    alone = {name: tokenizer_colors([name], theme=theme)[0] for name in [*TOKENIZERS, "mine"]}
    for names in combinations(alone, 3):
        colors = tokenizer_colors(names, theme=theme)
        assert len(set(colors)) == 3, names
        kept = [alone[name] for n, name in enumerate(names) if alone[name] not in map(alone.get, names[:n])]
        assert [c for c, name in zip(colors, names, strict=True) if c == alone[name]] == kept, names
    for start in range(len(alone) - MAX_TOKENIZERS):
        six = [*alone][start : start + MAX_TOKENIZERS]
        assert len(set(tokenizer_colors(six, theme=theme))) == MAX_TOKENIZERS
    assert len(tokenizer_colors(alone, theme=theme)) == len(alone)  # more tokenizers than colours share some


@pytest.mark.parametrize("theme", THEMES)
def test_the_style_sheet_has_a_variable_for_each_colour(theme):
    pairs = dict(regex.findall(r"--([a-z]+-\d): light-dark\((.+?)\);", token_css()))
    place = THEMES.index(theme)
    for name, colors in (("token", TOKEN_COLORS[theme]), ("kind", CATEGORY_COLORS[theme])):
        assert [pairs.pop(f"{name}-{n}").split(", ")[place] for n in range(len(colors))] == list(colors)
    assert not pairs


def test_python_and_browser_have_the_same_number_of_colours():
    script, style = ((WEB / "shared" / name).read_text() for name in ("token_strip.js", "token_strip.css"))
    for theme in THEMES:
        n_colors = len(TOKEN_COLORS[theme])
        assert n_colors == N_COLORS
        assert f"export const N_COLORS = {n_colors};" in script
        assert regex.findall(r"(?m)^\.c(\d) ", style) == [str(n) for n in range(n_colors)]
