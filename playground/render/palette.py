"""The colours of the app, light and dark; which thing gets which is decided where it is drawn.

Token colours are four hues of one lightness in OKLCH, chosen by search so that any two differ for normal
sight and for simulated protanopia, deuteranopia and tritanopia (Machado et al. 2009); five of one lightness
would not. Text on each keeps a contrast of at least 4.5 : 1, and each token has an edge that keeps 3 : 1
against the paper. `tests/render/test_palette.py` measures all of it.
"""

from collections.abc import Iterable
from typing import Literal

Theme = Literal["light", "dark"]

INK: dict[Theme, str] = {"light": "#1c2326", "dark": "#e9e6df"}
PAPER: dict[Theme, str] = {"light": "#fbfaf7", "dark": "#14191b"}

#: Backgrounds of tokens, in both themes red, yellow, blue-green and violet; neighbours never share one.
TOKEN_COLORS: dict[Theme, tuple[str, ...]] = {
    "light": ("#fba094", "#7ccdc9", "#cdc038", "#b8b1ff"),
    "dark": ("#992b57", "#365f7f", "#7a5200", "#6540a8"),
}
#: How much of a token's edge is ink; the rest is its own colour.
EDGE_INK = 0.34

#: A tokenizer keeps its colour on every page; one that is not listed takes a spare.
TOKENIZER_COLORS: dict[str, str] = {
    "gpt2": "#b4531f",
    "r50k_base": "#8a6a00",
    "p50k_base": "#7a7f1a",
    "p50k_edit": "#5f7f3a",
    "cl100k_base": "#0b8174",
    "o200k_base": "#5a66c0",
    "o200k_harmony": "#2f7fb8",
    "qwen3": "#7b5bd6",
    "deepseek_v3": "#3f74e0",
    "mistral_tekken": "#e0561f",
    "mistral_v1": "#c96a10",
    "mistral_v3": "#cf5a3c",
    "bert_uncased": "#7d6a3a",
    "glm4": "#4a7d8c",
    "kimi_k2": "#c23b7f",
    "phi4": "#1a86c7",
    "olmo2": "#d0487c",
    "whisper": "#3d8f4f",
    "python_docs_4k": "#a8437a",
    "utf8_bytes": "#75797c",
    "characters": "#8d8375",
}
SPARE_TOKENIZER_COLORS: tuple[str, ...] = ("#8b4fb0", "#b43d4c", "#6b6f9c")


def tokenizer_color(name: str) -> str:
    """The colour of a tokenizer, readable as a mark on both papers.

    >>> tokenizer_color("gpt2")
    '#b4531f'
    """
    spare = SPARE_TOKENIZER_COLORS[sum(name.encode()) % len(SPARE_TOKENIZER_COLORS)]
    return TOKENIZER_COLORS.get(name, spare)


def tokenizer_colors(names: Iterable[str]) -> list[str]:
    """The colours of tokenizers that are shown together: of two with one spare, the later takes another.

    >>> len(set(tokenizer_colors(["mine", "nemi"])))
    2
    """
    colors: list[str] = []
    for name in names:
        color = tokenizer_color(name)
        if color in colors and name not in TOKENIZER_COLORS:
            color = next((spare for spare in SPARE_TOKENIZER_COLORS if spare not in colors), color)
        colors.append(color)
    return colors


#: Where the tokens go, in the order of `analysis.categories.Category`.
CATEGORY_COLORS: dict[Theme, tuple[str, ...]] = {
    "light": ("#0b6e62", "#c9c3b4", "#b4531f", "#5a66c0", "#1c2326", "#d0a22c"),
    "dark": ("#4fc3ae", "#566166", "#f0a06b", "#a9b1f5", "#e9e6df", "#d9b84a"),
}


def token_css() -> str:
    """The variables `--token-0 …` and `--kind-0 …` of a component: the page's theme chooses their colours.

    >>> print(token_css().splitlines()[1])
      --token-0: light-dark(#fba094, #992b57);
    """
    lines = [":host {"]
    for name, colors in (("token", TOKEN_COLORS), ("kind", CATEGORY_COLORS)):
        for number, (light, dark) in enumerate(zip(colors["light"], colors["dark"], strict=True)):
            lines.append(f"  --{name}-{number}: light-dark({light}, {dark});")
    lines.append(f"  --token-edge: light-dark({', '.join(_see_through(INK[theme]) for theme in INK)});")
    return "\n".join([*lines, "}"]) + "\n"


def _see_through(ink: str) -> str:
    return f"{ink}{round(EDGE_INK * 255):02x}"
