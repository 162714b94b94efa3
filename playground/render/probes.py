"""Draw WordPiece's longest match as SVG: from the top, each piece that it looks up, longest first.

Words are cut in `catalog.wordpiece`; the styles are `merge_tree.TREE_CSS`.
"""

from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby

from playground.core.building import Probe, Probed
from playground.render.merge_tree import (
    CAPTION_HEIGHT,
    CHARACTER_HEIGHT,
    LEAF_WIDTH,
    MARGIN,
    LeafCharacter,
    fitted,
    iter_characters_svg,
    open_svg,
)
from playground.render.visible_text import shown_text

CHARACTER_WIDTH = LEAF_WIDTH + 2
ROW_HEIGHT, BAR_HEIGHT = 21, 18
#: Limit on the rows of a drawing; beyond it, refused tries are counted instead of drawn.
MAX_ROWS = 40


def probes_svg(probed: Probed) -> str:
    """Return a word's tries as an SVG element.

    Each group of class "node" is a try, which `data-said` describes in words.

    >>> from playground.catalog.wordpiece import cut_longest_first
    >>> word = cut_longest_first("una", {"un": 5, "##a": 6}, 0, prefix="##", n_max_chars=100)
    >>> svg = probes_svg(word)
    >>> svg.count('way refused"'), svg.count('way best"'), ">##a<" in svg
    (1, 2, True)
    """
    rows = _rows(probed.probes)
    width = len(probed.text) * CHARACTER_WIDTH + 2 * MARGIN
    leaf_y = MARGIN + ROW_HEIGHT * len(rows) + 2
    height = leaf_y + CHARACTER_HEIGHT + CAPTION_HEIGHT
    characters = [LeafCharacter(character, 1, is_partial=False) for character in probed.text]
    parts = [
        open_svg("tree probes", width, height, describe_probes(probed)),
        *iter_characters_svg(characters, MARGIN, leaf_y, width=CHARACTER_WIDTH),
    ]
    found = [probe for probe in probed.probes if probe.is_found]
    is_lost = not probed.probes[-1].is_found
    for row, shown in enumerate(rows):
        y = MARGIN + ROW_HEIGHT * row
        if isinstance(shown, str):
            parts.append(f'<text class="more" x="{MARGIN + 2}" y="{y + 13}">{shown}</text>')
        else:
            parts += _iter_probe_svg(probed, shown, y, is_lost=is_lost)
    caption_y = leaf_y + CHARACTER_HEIGHT + 13
    whole = Probe(0, len(probed.text), "", is_found=False)
    for probe, token_id in zip([whole] if is_lost else found, probed.ids, strict=True):
        middle = MARGIN + (probe.start + probe.end) / 2 * CHARACTER_WIDTH
        room = (probe.end - probe.start) * CHARACTER_WIDTH - 2
        fits = fitted(str(token_id), room)
        parts.append(f'<text class="caption" x="{middle:g}" y="{caption_y:g}"{fits}>{token_id}</text>')
    return "".join([*parts, "</svg>"])


def describe_probes(probed: Probed) -> str:
    """Describe the tries in words, for screen readers.

    >>> describe_probes(Probed("a", (Probe(0, 1, "a", True),), (7,)))
    '"a" in 1 try: takes a'
    """
    tries = f"{len(probed.probes)} {'try' if len(probed.probes) == 1 else 'tries'}"
    taken = [shown_text(probe.spelled) for probe in probed.probes if probe.is_found]
    if not probed.probes[-1].is_found:
        rest = shown_text(probed.text[probed.probes[-1].start :])
        return f'"{shown_text(probed.text)}" in {tries}: unknown, for no piece begins "{rest}"'
    return f'"{shown_text(probed.text)}" in {tries}: takes {", ".join(taken)}'


def _rows(probes: Sequence[Probe]) -> list[Probe | str]:
    """Return the rows from the top: tries, and texts that count the tries without room."""
    pieces = [list(group) for _start, group in groupby(probes, lambda probe: probe.start)]
    most = max(map(len, pieces))
    n_refused = next((n for n in range(most, 0, -1) if _n_rows(pieces, n) <= MAX_ROWS), 0)
    rows: list[Probe | str] = []
    for tries in pieces:
        refused = [probe for probe in tries if not probe.is_found]
        rows += refused[:n_refused]
        if n_refused and len(refused) > n_refused:
            rows.append(f"{len(refused) - n_refused} more refused")
        rows += [probe for probe in tries if probe.is_found]
    return rows


def _n_rows(pieces: Sequence[Sequence[Probe]], n_refused: int) -> int:
    return sum(min(len(tries), n_refused + 2) for tries in pieces)


def _iter_probe_svg(probed: Probed, probe: Probe, y: float, *, is_lost: bool) -> Iterator[str]:
    text = shown_text(probe.spelled)
    number = probed.probes.index(probe) + 1
    if not probe.is_found:
        kind, said = "refused", "is no piece: refused"
        if is_lost and number == len(probed.probes):
            said = "is no piece, and nothing shorter is left: the whole word is unknown"
    elif is_lost:
        kind, said = "refused", "is a piece, but what follows has none: the whole word is unknown"
    else:
        kind, said = "best", "is a piece: taken"
    x = MARGIN + probe.start * CHARACTER_WIDTH
    width = (probe.end - probe.start) * CHARACTER_WIDTH
    description = f"try {number} of {len(probed.probes)}:  “{text}”  {said}"
    yield (
        f'<g class="node root way {kind}" data-n="1" data-text="{escape(text, quote=True)}" '
        f'data-said="{escape(description, quote=True)}">'
        f'<rect class="span" x="{x + 1.5:g}" y="{y:g}" width="{width - 3:g}" height="{BAR_HEIGHT}" rx="4"/>'
        f'<text class="piece" x="{x + width / 2:g}" y="{y + 13:g}"{fitted(text, width - 8)}>{escape(text)}'
        "</text></g>"
    )
