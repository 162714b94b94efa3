"""Tokens as HTML: the notebook's strip of tiles, and the coloured text of the Formats page."""

from collections.abc import Iterable
from html import escape
from itertools import islice

import numpy as np

from playground.core.tokens import Segment, Segmentation
from playground.core.wording import counted
from playground.formats.roles import byte_roles
from playground.formats.values import ROLES, Role
from playground.render.palette import INK, TOKEN_COLORS, Theme
from playground.render.visible_text import shown_bytes, shown_text

#: Limits on the characters and ids shown of one tile.
MAX_TILE_CHARS, MAX_TILE_IDS = 120, 8
_N_COLORS = len(TOKEN_COLORS["light"])


def token_strip_html(segmentation: Segmentation, *, max_segments: int) -> str:
    """Return the first segments as tiles, an HTML list for each line; text is escaped.

    Each line is laid out from right to left if its first letter is of such a script.

    >>> from playground.catalog.registry import get_tokenizer
    >>> from playground.core.tokenizer import segment
    >>> html = token_strip_html(segment(get_tokenizer("gpt2"), "<b> Egg"), max_segments=2)
    >>> html.count("<li"), "&lt;" in html, "<b>" in html
    (2, True, False)
    """
    lines: list[list[str]] = [[]]
    for number, run in islice(enumerate(segmentation.segments), max_segments):
        lines[-1].append(_tile_html(segmentation, number, run))
        if "\n" in run.text:
            lines.append([])
    lists = "".join(
        f'<ul class="token-strip" role="list" dir="auto">{"".join(tiles)}</ul>' for tiles in lines if tiles
    )
    label = counted(len(segmentation.encoding), "token")
    return f'<div class="token-lines" role="group" aria-label="{label}">{lists}</div>'


def _tile_html(segmentation: Segmentation, number: int, run: Segment) -> str:
    ids = [token.id for token in run.tokens]
    kinds = ["tile", f"c{number % _N_COLORS}"]
    if run.text:
        shown = _short(shown_text(run.text[: MAX_TILE_CHARS + 1]))
    else:
        shown = _short(
            " ".join(segmentation.vocabulary.entry(token_id).spelled for token_id in ids[:MAX_TILE_IDS])
        )
        kinds.append("inserted")
    if any(token.is_special for token in run.tokens):
        kinds.append("special")
    title = "\n".join(
        f"id {token.id}: “{_short(shown_bytes(token.raw[:MAX_TILE_CHARS]))}”, "
        f"{counted(len(token.raw), 'byte')}: {token.raw[:MAX_TILE_IDS].hex(' ').upper()}"
        f"{' …' if len(token.raw) > MAX_TILE_IDS else ''}"
        for token in run.tokens[:MAX_TILE_IDS]
    )
    below = " ".join(map(str, ids[:MAX_TILE_IDS])) + (" …" if len(ids) > MAX_TILE_IDS else "")
    return (
        f'<li title="{escape(title, quote=True)}"><span class="{" ".join(kinds)}">{escape(shown)}</span>'
        f"<small>{below}</small></li>"
    )


def _short(shown: str) -> str:
    return shown if len(shown) <= MAX_TILE_CHARS else f"{shown[:MAX_TILE_CHARS]}…"


#: Limit on the segments drawn.
MAX_SHOWN = 2_000
_CSS = (
    ".format-tokens{white-space:pre-wrap;overflow-wrap:anywhere;font:0.875rem/1.55 var(--mono,monospace);"
    "margin:0;padding:.5rem .7rem;border:1px solid var(--line);border-radius:var(--radius);"
    "max-height:24rem;overflow:auto}.format-tokens span{border-radius:2px}.format-tokens i{opacity:.45}"
)
_STRUCTURE = ROLES.index("punctuation")


def tokens_html(
    segmentation: Segmentation,
    spans: Iterable[tuple[int, int, Role]],
    *,
    theme: Theme,
    is_dimmed: bool = False,
    label: str = "",
    n_tokens: int | None = None,
) -> str:
    """Return the text with a colour for each token; `is_dimmed` makes tokens outside keys and values faint.

    A character that several tokens share is one tile. `n_tokens` is the number of tokens of the whole text
    if `segmentation` is only its beginning; a line below says how many are not shown.
    """
    roles = byte_roles(segmentation.text, iter(spans))
    colors = TOKEN_COLORS[theme]
    tiles = []
    for number, segment in enumerate(segmentation.segments):
        if number == MAX_SHOWN:
            break
        start, end = segment.tokens[0].byte_start, segment.tokens[-1].byte_end
        is_structure = bool(np.all(roles[start:end] >= _STRUCTURE))
        style = f"background:{colors[number % len(colors)]}"
        if is_dimmed and is_structure:
            style += ";opacity:.22"
        text = escape(segment.text).replace("\n", '<i aria-hidden="true">⏎</i>\n')
        several = f' title="{len(segment.tokens)} tokens"' if len(segment.tokens) > 1 else ""
        tiles.append(f'<span style="{style}"{several}>{text}</span>')
    n_all = sum(len(segment.tokens) for segment in segmentation.segments) if n_tokens is None else n_tokens
    n_left = n_all - sum(len(segment.tokens) for segment in segmentation.segments[:MAX_SHOWN])
    more = f"<p>… and {n_left:,} more tokens</p>" if n_left > 0 else ""
    return (
        f"<style>{_CSS}</style>"
        f'<pre class="format-tokens" tabindex="0" aria-label="{escape(label)}" style="color:{INK[theme]}">'
        f"{''.join(tiles)}</pre>{more}"
    )


def headline_html(sentence: str) -> str:
    """Return a headline in the largest type; its text is escaped.

    >>> "&lt;b&gt;" in headline_html("drops <b>")
    True
    """
    return (
        '<div role="status"><p style="font-size:1.6rem;line-height:1.3;font-weight:650;margin:0">'
        f"{escape(sentence)}</p></div>"
    )


def note_html(text: str) -> str:
    """Return a remark in small type; Streamlit's caption has too little contrast in the light theme.

    >>> "&lt;" in note_html("<")
    True
    """
    return f'<p style="font-size:.875rem;margin:0;opacity:.85">{escape(text)}</p>'


def lines_html(lines: Iterable[tuple[str, str]]) -> str:
    """Return an HTML list of named lines; all text is escaped.

    >>> lines_html([("CSV", "<b>")])
    '<ul style="margin:0;padding-left:1.1rem;line-height:1.5"><li><b>CSV</b>: &lt;b&gt;</li></ul>'
    """
    items = "".join(f"<li><b>{escape(name)}</b>: {escape(text)}</li>" for name, text in lines)
    return f'<ul style="margin:0;padding-left:1.1rem;line-height:1.5">{items}</ul>'
