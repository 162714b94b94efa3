"""Draw a Unigram lattice as SVG: each piece above the characters it covers, and below the two best paths.

The best path is found in `catalog.unigram`; the styles are `merge_tree.TREE_CSS`.
"""

from collections.abc import Iterator
from html import escape
from itertools import groupby

from playground.core.building import Edge, Lattice
from playground.core.wording import counted
from playground.render.merge_tree import (
    CHARACTER_HEIGHT,
    LEAF_WIDTH,
    MARGIN,
    LeafCharacter,
    fitted,
    iter_characters_svg,
    open_svg,
)
from playground.render.visible_text import shown_text

CHARACTER_WIDTH = LEAF_WIDTH + 10
ROW_HEIGHT, BAR_HEIGHT = 33, 28
#: Height of a path below the characters, and width of its name and score at the right.
PATH_HEIGHT, NAME_WIDTH = 23, 92


def lattice_svg(lattice: Lattice) -> str:
    """Return a word's lattice as an SVG element.

    Each group of class "node" is a piece, which `data-said` describes in words.

    >>> edges = (Edge(0, 1, -3.0, (0,)), Edge(0, 2, -5.0, (2,)), Edge(1, 2, -3.0, (1,)))
    >>> svg = lattice_svg(Lattice("ab", edges, best=(1,), second=(0, 2), ids=(2,)))
    >>> svg.count('class="node'), "best −5.00" in svg, "next −6.00" in svg
    (3, True, True)
    """
    rows = _rows(lattice.edges)
    n_chars = len(lattice.text)
    leaf_y = MARGIN + ROW_HEIGHT * (1 + max(rows, default=-1))
    width = n_chars * CHARACTER_WIDTH + 2 * MARGIN + NAME_WIDTH
    height = leaf_y + CHARACTER_HEIGHT + 2 * PATH_HEIGHT + MARGIN
    characters = [LeafCharacter(character, 1, is_partial=False) for character in lattice.text]
    parts = [
        open_svg("tree lattice", width, height, describe_lattice(lattice)),
        *iter_characters_svg(characters, MARGIN, leaf_y, width=CHARACTER_WIDTH),
    ]
    for place, (edge, row) in enumerate(zip(lattice.edges, rows, strict=True)):
        parts += _iter_edge_svg(lattice, place, edge, leaf_y - ROW_HEIGHT * (row + 1))
    top = leaf_y + CHARACTER_HEIGHT + 3
    parts += _iter_path_svg(lattice, lattice.best, "best", top)
    if lattice.second:
        parts += _iter_path_svg(lattice, lattice.second, "next", top + PATH_HEIGHT)
    return "".join([*parts, "</svg>"])


def describe_lattice(lattice: Lattice) -> str:
    """Describe a lattice in words, for screen readers.

    >>> describe_lattice(Lattice("a", (Edge(0, 1, -3.0, (0,)),), best=(0,), second=(), ids=(0,)))
    '"a" of 1 piece that fits: best a, −3.00; there is no other path'
    """
    second = f"next {_spelled(lattice, lattice.second)}" if lattice.second else "there is no other path"
    return (
        f'"{shown_text(lattice.text)}" of {counted(len(lattice.edges), "piece")} that fit'
        f"{'s' if len(lattice.edges) == 1 else ''}: best {_spelled(lattice, lattice.best)}; {second}"
    )


def score_text(score: float) -> str:
    """Return a score with a typographic minus.

    >>> score_text(-12.345), score_text(0.0)
    ('−12.35', '0.00')
    """
    return f"{score:.2f}".replace("-", "−")


def _spelled(lattice: Lattice, path: tuple[int, ...]) -> str:
    pieces = [shown_text(_text_of(lattice, lattice.edges[place])) for place in path]
    return f"{' + '.join(pieces)}, {score_text(lattice.score_of(path))}"


def _text_of(lattice: Lattice, edge: Edge) -> str:
    return lattice.text[edge.start : edge.end]


def _rows(edges: tuple[Edge, ...]) -> list[int]:
    """Return the lowest free row for each piece; shorter pieces are placed first."""
    rows = [0] * len(edges)
    taken: list[set[int]] = []
    for place in sorted(range(len(edges)), key=lambda place: edges[place].end - edges[place].start):
        over = range(edges[place].start, edges[place].end)
        row = next((row for row, full in enumerate(taken) if full.isdisjoint(over)), len(taken))
        if row == len(taken):
            taken.append(set())
        taken[row].update(over)
        rows[place] = row
    return rows


def _iter_edge_svg(lattice: Lattice, place: int, edge: Edge, y: float) -> Iterator[str]:
    text = shown_text(_text_of(lattice, edge))
    on_best, on_second = place in lattice.best, place in lattice.second
    paths = [name for name, is_on in (("the best path", on_best), ("the next best", on_second)) if is_on]
    on = f", on {' and '.join(paths)}" if paths else ", on neither of the two paths"
    known = f"id {edge.ids[0]}" if edge.is_known else "unknown: no piece spells it"
    said = f"“{text}”  score {score_text(edge.score)}  {known}{on}"
    kind = " best" if on_best else " second" if on_second else ""
    x = MARGIN + edge.start * CHARACTER_WIDTH
    width = (edge.end - edge.start) * CHARACTER_WIDTH
    middle = x + width / 2
    yield (
        f'<g class="node root way{kind}" data-n="1" data-text="{escape(text, quote=True)}" '
        f'data-said="{escape(said, quote=True)}">'
        f'<rect class="span" x="{x + 1.5:g}" y="{y:g}" width="{width - 3:g}" height="{BAR_HEIGHT}" rx="6"/>'
        f'<text class="piece" x="{middle:g}" y="{y + 12.5:g}"{fitted(text, width - 8)}>{escape(text)}</text>'
        f'<text class="rank" x="{middle:g}" y="{y + 23.5:g}">{score_text(round(edge.score, 2))}</text></g>'
    )


def _iter_path_svg(lattice: Lattice, path: tuple[int, ...], name: str, y: float) -> Iterator[str]:
    """Yield a path's tokens as bars with their ids; consecutive unknown characters are one bar."""
    edges = [lattice.edges[place] for place in path]
    kind = "best" if name == "best" else "second"
    for _run, group in groupby(enumerate(edges), lambda item: item[0] if item[1].is_known else "unknown"):
        run = [edge for _place, edge in group]
        ids = run[0].ids if len({edge.ids for edge in run}) == 1 else [i for edge in run for i in edge.ids]
        x = MARGIN + run[0].start * CHARACTER_WIDTH
        width = (run[-1].end - run[0].start) * CHARACTER_WIDTH
        shown = " ".join(map(str, ids))
        yield (
            f'<g class="way {kind}"><rect class="span" x="{x + 1.5:g}" y="{y:g}" width="{width - 3:g}" '
            f'height="18" rx="4"/><text class="piece" x="{x + width / 2:g}" y="{y + 13:g}"'
            f"{fitted(shown, width - 8)}>{shown}</text></g>"
        )
    x = MARGIN + len(lattice.text) * CHARACTER_WIDTH + 4
    yield (f'<text class="sum" x="{x:g}" y="{y + 13:g}">{name} {score_text(lattice.score_of(path))}</text>')
