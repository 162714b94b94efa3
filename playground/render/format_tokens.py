"""A format's text as coloured tokens, and other text of the formats page as safe HTML."""

from collections.abc import Iterable
from html import escape

import numpy as np

from playground.core.tokens import Segmentation
from playground.formats.roles import byte_roles
from playground.formats.values import ROLES, Role
from playground.render.palette import INK, TOKEN_COLORS, Theme

#: Segments drawn; a browser takes longer for each thousand, and a comparison is read from its start.
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
    """The text with a tint a token; with `is_dimmed`, tokens without a byte of a key or value fade.

    A line feed is shown as ⏎, and a character that several tokens share is one tile with their number. Of
    `n_tokens`, where it is the beginning of a text that has so many, those that are not shown are told.
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


def advice_html(sentence: str, *details: str) -> str:
    """The advice, large, and details below it; data in it stays text.

    >>> "&lt;b&gt;" in advice_html("drops <b>")
    True
    """
    lines = filter(None, details)
    small = "".join(f'<p style="margin:.3rem 0 0;opacity:.85">{escape(detail)}</p>' for detail in lines)
    return (
        f'<div role="status"><p style="font-size:1.25rem;line-height:1.4;font-weight:550;margin:0">'
        f"{escape(sentence)}</p>{small}</div>"
    )


def note_html(text: str) -> str:
    """A remark in small type that still reads; Streamlit's caption is too faint in the light theme.

    >>> "&lt;" in note_html("<")
    True
    """
    return f'<p style="font-size:.875rem;margin:0;opacity:.85">{escape(text)}</p>'


def lines_html(lines: Iterable[tuple[str, str]]) -> str:
    """A list of named lines; data in it stays text.

    >>> lines_html([("CSV", "<b>")])
    '<ul style="margin:0;padding-left:1.1rem;line-height:1.5"><li><b>CSV</b>: &lt;b&gt;</li></ul>'
    """
    items = "".join(f"<li><b>{escape(name)}</b>: {escape(text)}</li>" for name, text in lines)
    return f'<ul style="margin:0;padding-left:1.1rem;line-height:1.5">{items}</ul>'
