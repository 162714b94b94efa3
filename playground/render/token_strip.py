"""Tokens as HTML that needs no script: a tile a segment, ids below it. Colours are set elsewhere."""

from collections.abc import Iterator
from html import escape
from itertools import islice

from playground.core.tokens import Segment, Segmentation
from playground.core.wording import counted
from playground.render.palette import TOKEN_COLORS
from playground.render.shown_bytes import shown_bytes, shown_text

#: Of a tile that is longer the beginning is shown, and the first of its ids.
MAX_TILE_CHARS, MAX_TILE_IDS = 120, 8
_N_COLORS = len(TOKEN_COLORS["light"])


def token_strip_html(segmentation: Segmentation, *, max_segments: int) -> str:
    """The first segments as a list; after a line feed a new line begins. All text in it stays text.

    >>> from playground.catalog.registry import get_tokenizer
    >>> from playground.core.tokenizer import segment
    >>> html = token_strip_html(segment(get_tokenizer("gpt2"), "<b> Egg"), max_segments=2)
    >>> html.count("<li"), "&lt;" in html, "<b>" in html
    (2, True, False)
    """
    tiles = islice(enumerate(segmentation.segments), max_segments)
    label = f"{counted(len(segmentation.encoding), 'token')}"
    items = "".join(part for number, run in tiles for part in _iter_tile(segmentation, number, run))
    return f'<ul class="token-strip" role="list" aria-label="{label}">{items}</ul>'


def _iter_tile(segmentation: Segmentation, number: int, run: Segment) -> Iterator[str]:
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
    told = "\n".join(
        f"id {token.id}: “{_short(shown_bytes(token.raw[:MAX_TILE_CHARS]))}”, "
        f"{counted(len(token.raw), 'byte')}: {token.raw[:MAX_TILE_IDS].hex(' ').upper()}"
        f"{' …' if len(token.raw) > MAX_TILE_IDS else ''}"
        for token in run.tokens[:MAX_TILE_IDS]
    )
    below = " ".join(map(str, ids[:MAX_TILE_IDS])) + (" …" if len(ids) > MAX_TILE_IDS else "")
    yield (
        f'<li title="{escape(told, quote=True)}"><span class="{" ".join(kinds)}">{escape(shown)}</span>'
        f"<small>{below}</small></li>"
    )
    if "\n" in run.text:
        yield '<li class="break" role="presentation"></li>'


def _short(shown: str) -> str:
    return shown if len(shown) <= MAX_TILE_CHARS else f"{shown[:MAX_TILE_CHARS]}…"
