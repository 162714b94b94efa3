"""Static coloured tokens: HTML from a Segmentation. The live editor draws its own."""

from collections.abc import Collection
from html import escape

from playground.core.tokens import Segmentation
from playground.render.palette import TOKEN_COLORS

_SHOWN = {"\n": "⏎\n", "\t": "→\t", "\r": "␍"}


def highlight_html(cut: Segmentation, *, marked: Collection[int] = (), is_dark: bool = False) -> str:
    """The text with a colour for each run of tokens; hovering tells the ids.

    `marked` are places of tokens in `cut.tokens`, which are outlined.

    >>> from playground.core.tokens import place_tokens
    >>> cut = Segmentation("toy", "<b", place_tokens("<b", [60, 98], {60: b"<", 98: b"b"}))
    >>> '<span class="tk0" title="id 60">&lt;</span>' in highlight_html(cut)
    True
    """
    colors = TOKEN_COLORS["dark" if is_dark else "light"]
    rules = "".join(f".tokens .tk{n} {{ background: {color}; }}" for n, color in enumerate(colors))
    spans = []
    place = 0
    for number, segment in enumerate(cut.segments):
        ids = ", ".join(str(token.id) for token in segment.tokens)
        classes = f"tk{number % len(colors)}"
        if any(place + n in marked for n in range(len(segment.tokens))):
            classes += " marked"
        place += len(segment.tokens)
        shown = "".join(_SHOWN.get(character, character) for character in segment.text)
        label = "id" if len(segment.tokens) == 1 else "ids"
        spans.append(f'<span class="{classes}" title="{label} {ids}">{escape(shown)}</span>')
    return (
        "<style>.tokens { white-space: pre-wrap; overflow-wrap: anywhere; line-height: 1.75; margin: 0;"
        " font-family: var(--st-code-font, monospace); font-size: 0.86rem; max-height: 20rem;"
        " overflow: auto; }"
        " .tokens span { padding: 0.12em 0; border-radius: 0.2em; }"
        f" .tokens .marked {{ outline: 2px solid currentColor; }} {rules}</style>"
        '<div class="tokens" dir="auto" role="region" tabindex="0" aria-label="Text as tokens">'
        f"{''.join(spans)}</div>"
    )


def visible(raw: bytes) -> str:
    r"""A token's bytes as a person can see them: spaces, line ends and stray bytes included.

    >>> visible(b" caf\xc3\n"), visible("é".encode())
    ('·caf⟨C3⟩⏎', 'é')
    """
    shown = []
    for character in raw.decode(errors="surrogateescape"):
        if "\udc80" <= character <= "\udcff":
            shown.append(f"⟨{ord(character) - 0xDC00:02X}⟩")
        else:
            shown.append({" ": "·", "\n": "⏎", "\t": "→", "\r": "␍"}.get(character, character))
    return "".join(shown)
