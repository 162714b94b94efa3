"""The shortest difference of two tokenizers as HTML: the text, its tokens on both sides, and the step."""

from collections.abc import Sequence
from html import escape

from playground.core.tokenizer import Tokenizer
from playground.core.wording import counted
from playground.drift.search import Search, SideToken
from playground.render.palette import INK, TOKEN_COLORS, Theme
from playground.render.visible_text import shown_bytes, shown_text

_CSS = (
    ".difference{display:flex;flex-direction:column;gap:.9rem;overflow-wrap:anywhere}"
    ".difference p{margin:0;text-wrap:pretty}.difference .text{font:650 1.6rem/1.3 var(--mono,monospace)}"
    ".difference dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.7rem 1rem}"
    ".difference :is(dl,dt,dd){margin:0;padding:0}"
    ".difference ul{display:flex;flex-wrap:wrap;gap:.4rem;margin:0;padding:0;list-style:none}"
    ".difference li{margin:0;text-align:center}.difference li span{display:block;padding:.15rem .5rem;"
    "border-radius:4px;font:1.05rem/1.5 var(--mono,monospace)}.difference small{opacity:.85}"
    "@media(max-width:640px){.difference dl{grid-template-columns:minmax(0,1fr);gap:.3rem}"
    ".difference dd{margin-bottom:.5rem}}"
)


def difference_html(search: Search, pair: Sequence[Tokenizer], *, theme: Theme) -> str:
    """Return what was found between two tokenizers; all text is escaped.

    >>> from playground.catalog.registry import get_tokenizer
    >>> pair = get_tokenizer("gpt2"), get_tokenizer("r50k_base")
    >>> found = Search(("gpt2", "r50k_base"), 9, False, None, "")
    >>> "None found in 9 texts." in difference_html(found, pair, theme="light")
    True
    """
    difference = search.difference
    if difference is None:
        return f'<div role="status"><p>{escape(f"{search.sentence} {search.compared}".strip())}</p></div>'
    sides = "".join(
        f"<dt>{escape(tokenizer.name)}</dt><dd>{_side_html(tokenizer, side, theme)}</dd>"
        for tokenizer, side in zip(pair, difference.sides, strict=True)
    )
    tried = f"{counted(search.n_texts, 'text')} tried, special tokens recognized. {search.compared}".strip()
    return (
        f'<style>{_CSS}</style><div class="difference" role="status">'
        "<p>The shortest text found on which they differ:</p>"
        f'<p class="text">{escape(shown_text(difference.text))}</p><dl>{sides}</dl>'
        f"<p><b>Step: {difference.step}.</b> {escape(difference.why)}</p>"
        f"<p><small>{escape(tried)}</small></p></div>"
    )


def _side_html(tokenizer: Tokenizer, side: Sequence[SideToken] | None, theme: Theme) -> str:
    if side is None:
        return "refused"
    if not side:
        return "no tokens"
    colors = TOKEN_COLORS[theme]
    tiles = []
    for number, token in enumerate(side):
        entry = tokenizer.vocabulary.entry(token.id)
        shown = shown_bytes(entry.raw) if entry.kind in ("piece", "byte") else entry.spelled
        style = f"background:{colors[number % len(colors)]};color:{INK[theme]}"
        tiles.append(f'<li><span style="{style}">{escape(shown)}</span><small>{token.id}</small></li>')
    return f'<ul role="list">{"".join(tiles)}</ul>'
