"""The colours of the app in the light and the dark theme.

Token colours are pale (in the dark theme deep) grounds of two lightnesses in OKLCH. They were chosen by
search, so that any two differ for normal sight and for simulated protanopia, deuteranopia and tritanopia
(Machado et al. 2009). A token's edge, which has a contrast of at least 3 : 1 against the page, shows where
it ends. Text on a token has at least 4.5 : 1. `tests/render/test_palette.py` measures all of it.
"""

from collections.abc import Iterable
from typing import Literal

Theme = Literal["light", "dark"]

INK: dict[Theme, str] = {"light": "#1c2326", "dark": "#e9e6df"}
PAPER: dict[Theme, str] = {"light": "#fbfaf7", "dark": "#14191b"}

#: Backgrounds of tokens; neighbouring tokens never share one.
TOKEN_COLORS: dict[Theme, tuple[str, ...]] = {
    "light": ("#f5cebd", "#c5f6f5", "#f4efa8", "#cad7fa"),
    "dark": ("#4f1b14", "#16505a", "#604008", "#1f2a56"),
}
#: Share of ink in the colour of a token's edge; the rest is the token's own colour.
EDGE_INK = 0.46

#: Colours of tokenizers, as many as Compare shows; any two are 0.1 apart in OKLab for all of these sights.
TOKENIZER_COLORS: dict[Theme, tuple[str, ...]] = {
    "light": ("#a52400", "#0b9b90", "#8963d5", "#621c53", "#b4780a", "#0241a4"),
    "dark": ("#febe7d", "#45e0d6", "#7468cc", "#e2738a", "#956802", "#87aafc"),
}
#: Index in `TOKENIZER_COLORS` for each tokenizer; for others it is computed from the name.
_TOKENIZER_PLACES: dict[str, int] = {
    "gpt2": 0,
    "r50k_base": 4,
    "p50k_base": 3,
    "p50k_edit": 2,
    "cl100k_base": 1,
    "o200k_base": 5,
    "o200k_harmony": 2,
    "qwen3": 2,
    "deepseek_v3": 4,
    "mistral_tekken": 0,
    "mistral_v1": 4,
    "mistral_v3": 3,
    "bert_uncased": 4,
    "glm4": 1,
    "kimi_k2": 3,
    "phi4": 5,
    "olmo2": 0,
    "whisper": 1,
    "python_docs_4k": 3,
    "utf8_bytes": 2,
    "characters": 5,
}


def tokenizer_colors(names: Iterable[str], *, theme: Theme) -> list[str]:
    """Return a colour for each tokenizer of a page; up to six colours are distinct.

    A tokenizer has the same colour on every page, unless an earlier one in the list has that colour: then it
    gets one that is free.

    >>> tokenizer_colors(["gpt2", "mistral_tekken"], theme="light")
    ['#a52400', '#0b9b90']
    """
    names = list(names)
    n_colors = len(TOKENIZER_COLORS[theme])
    wanted = [_TOKENIZER_PLACES.get(name, sum(name.encode()) % n_colors) for name in names]
    free = iter([place for place in range(n_colors) if place not in wanted])
    places = [next(free, place) if place in wanted[:number] else place for number, place in enumerate(wanted)]
    return [TOKENIZER_COLORS[theme][place] for place in places]


def tokenizer_css_colors(names: Iterable[str]) -> list[str]:
    """Return the colours of both themes as CSS `light-dark()` values.

    >>> tokenizer_css_colors(["gpt2"])
    ['light-dark(#a52400, #febe7d)']
    """
    names = list(names)
    both = zip(tokenizer_colors(names, theme="light"), tokenizer_colors(names, theme="dark"), strict=True)
    return [f"light-dark({light}, {dark})" for light, dark in both]


#: Colours of token categories, in the order of `analysis.categories.Category`.
CATEGORY_COLORS: dict[Theme, tuple[str, ...]] = {
    "light": ("#0b6e62", "#c9c3b4", "#b4531f", "#5a66c0", "#1c2326", "#d0a22c"),
    "dark": ("#4fc3ae", "#566166", "#f0a06b", "#a9b1f5", "#e9e6df", "#d9b84a"),
}


def token_css() -> str:
    """Return CSS that defines `--token-0 …`, `--kind-0 …` and `--token-edge` for both themes.

    >>> print(token_css().splitlines()[1])
      --token-0: light-dark(#f5cebd, #4f1b14);
    """
    lines = [":host {"]
    for name, colors in (("token", TOKEN_COLORS), ("kind", CATEGORY_COLORS)):
        for number, (light, dark) in enumerate(zip(colors["light"], colors["dark"], strict=True)):
            lines.append(f"  --{name}-{number}: light-dark({light}, {dark});")
    lines.append(f"  --token-edge: light-dark({', '.join(_see_through(INK[theme]) for theme in INK)});")
    return "\n".join([*lines, "}"]) + "\n"


#: Colours of runs; none is the colour of a tokenizer, and the first two differ in lightness.
RUN_COLORS: dict[Theme, tuple[str, ...]] = {
    "light": ("#9b1b5a", "#2b87c8", "#8a6a00", "#3d3f8f", "#5f7f3a"),
    "dark": ("#f48cc0", "#5fb4ef", "#d9b84a", "#b3b0ff", "#a3c76d"),
}


def run_css(references: Iterable[str]) -> str:
    """Return CSS with the colours of up to three runs, and of the tokenizers that they are compared with.

    >>> "--reference-gpt2: light-dark(#a52400, #febe7d);" in run_css(["gpt2"])
    True
    """
    references = list(references)
    pairs = zip(RUN_COLORS["light"], RUN_COLORS["dark"], strict=True)
    runs = [f"light-dark({light}, {dark})" for light, dark in pairs]
    colors = dict(zip(("curve", "beside-1", "beside-2"), runs, strict=False))
    colors |= {
        f"reference-{name}": color
        for name, color in zip(references, tokenizer_css_colors(references), strict=True)
    }
    return f":host {{ {' '.join(f'--{name}: {color};' for name, color in colors.items())} }}\n"


def _see_through(ink: str) -> str:
    return f"{ink}{round(EDGE_INK * 255):02x}"
