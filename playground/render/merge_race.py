"""The merge race as SVG: one word in several tokenizers, each tree's joints at the height of their ranks.

The trees are found in `bpe.merging`; how they look is `merge_tree.TREE_CSS`.
"""

from collections.abc import Callable, Iterator, Sequence
from html import escape
from math import log
from typing import NamedTuple

from playground.core.merge_nodes import MergeNode
from playground.render.label_layout import DESCENT, Box, Dot, place_labels
from playground.render.merge_tree import (
    CHARACTER_HEIGHT,
    HEX_HEIGHT,
    LEAF_WIDTH,
    MARGIN,
    iter_characters_svg,
    iter_children,
    leaf_characters,
    open_svg,
    place_centres,
)
from playground.render.shown_bytes import shown_bytes

#: Of the whole race, in SVG units.
HEIGHT = 400


class Runner(NamedTuple):
    """One tokenizer in a merge race: its name and colour, and the trees it makes of the word."""

    name: str
    color: str
    forest: tuple[MergeNode, ...]


def merge_race_svg(runners: Sequence[Runner]) -> str:
    """The same word in several tokenizers on one logarithmic rank axis: a lower joint was learned earlier.

    >>> svg = merge_race_svg([Runner("gpt2", "#b4531f", (MergeNode(b"!", 0, 0),))])
    >>> svg.startswith("<svg"), "gpt2" in svg
    (True, True)
    """
    top, axis_width, gap, shift = 72, 52, 20, 16
    bottom = HEIGHT - CHARACTER_HEIGHT - HEX_HEIGHT - MARGIN
    joints = [
        node for runner in runners for tree in runner.forest for node in tree.iter_nodes() if node.children
    ]
    highest = max([1024, *(node.rank for node in joints)])

    def y_of(rank: float) -> float:
        return bottom - (bottom - top) * max(log(max(rank, 1) / 200), 0.04) / log(highest / 200)

    widths = [
        max(230, sum(len(tree.raw) for tree in runner.forest) * LEAF_WIDTH + 10 * len(runner.forest) + 20)
        for runner in runners
    ]
    width = axis_width + sum(widths) + gap * (len(runners) - 1) + shift
    label = "; ".join(f"{runner.name}: {describe_race(runner.forest)}" for runner in runners)
    parts = [open_svg("tree race", width, HEIGHT, label)]
    for rank in (256, 1_000, 3_000, 10_000, 30_000, 100_000, 200_000):
        if rank <= highest * 1.2:
            y = max(y_of(rank), top - 8)
            parts.append(f'<line class="axis" x1="{axis_width}" x2="{width}" y1="{y:.1f}" y2="{y:.1f}"/>')
            parts.append(f'<text class="axis-label" x="{axis_width - 6}" y="{y + 3.5:.1f}">{rank:,}</text>')
    x = float(axis_width)
    for runner, own_width in zip(runners, widths, strict=True):
        parts.append(f'<text class="name" x="{x + 12:g}" y="16">{escape(runner.name)}</text>')
        parts.append(f'<rect x="{x:g}" y="6" width="8" height="12" rx="2" fill="{escape(runner.color)}"/>')
        summary = escape(describe_race(runner.forest))
        parts.append(f'<text class="summary" x="{x + 12:g}" y="32">{summary}</text>')
        first = escape(describe_first_merge(runner.forest))
        parts.append(f'<text class="summary" x="{x + 12:g}" y="47">{first}</text>')
        tree_x = x + 4
        joints_of: list[tuple[MergeNode, float, float]] = []
        for tree in runner.forest:
            parts.extend(_iter_race_tree(tree, tree_x, bottom, y_of, joints_of))
            tree_x += len(tree.raw) * LEAF_WIDTH + 10
        room = Box(x - gap / 2, 50, x + own_width + gap / 2, bottom)
        parts.extend(_iter_joints_svg(joints_of, runner.color, room))
        x += own_width + gap
    return "".join([*parts, "</svg>"])


def describe_race(forest: Sequence[MergeNode]) -> str:
    """How one tokenizer does in the race, in words.

    >>> describe_race((MergeNode(b"a", 64, 64),))
    'one token, complete at rank 64'
    """
    if not forest:
        return "nothing to merge"
    last = max(tree.rank for tree in forest)
    if len(forest) == 1:
        return f"one token, complete at rank {last:,}"
    return f"{len(forest)} tokens, the last made at rank {last:,}"


def describe_first_merge(forest: Sequence[MergeNode]) -> str:
    """The merge that came first in training, of all in a forest.

    >>> leaves = MergeNode(b"a", 64, 64), MergeNode(b"b", 65, 65)
    >>> describe_first_merge((MergeNode(b"ab", 300, 300, leaves, step=1),))
    'first merge: a + b, rank 300'
    """
    joints = [node for tree in forest for node in tree.iter_nodes() if node.children]
    if not joints:
        return ""
    first = min(joints, key=lambda node: node.rank)
    return (
        f"first merge: {' + '.join(shown_bytes(child.raw) for child in first.children)}, rank {first.rank:,}"
    )


def _iter_race_tree(
    tree: MergeNode,
    x: float,
    bottom: float,
    y_of: Callable[[float], float],
    joints: list[tuple[MergeNode, float, float]],
) -> Iterator[str]:
    """Yield the lines and leaves of a tree; its joints and their places join `joints`."""
    nodes = list(tree.iter_nodes())
    centres = place_centres(nodes, x)
    ys = [y_of(node.rank) if node.children else bottom for node in nodes]
    yield from iter_characters_svg(leaf_characters(tree.raw), x, bottom)
    for index, children in iter_children(nodes):
        for child in children:
            yield f'<path d="M{centres[child]:g} {ys[child]:.1f}V{ys[index]:.1f}H{centres[index]:g}"/>'
        if children:
            joints.append((nodes[index], centres[index], ys[index]))
        elif nodes[index].raw[0] >= 0x80:
            y = bottom + CHARACTER_HEIGHT + 11
            byte = nodes[index].raw.hex().upper()
            yield f'<text class="hex" x="{centres[index]:g}" y="{y:g}">{byte}</text>'


def _iter_joints_svg(
    joints: Sequence[tuple[MergeNode, float, float]], color: str, room: Box
) -> Iterator[str]:
    boxes = place_labels([Dot(x, y, f"{node.rank:,}") for node, x, y in joints], room)
    for (node, x, y), box in zip(joints, boxes, strict=True):
        yield (
            f'<circle class="dot" cx="{x:g}" cy="{y:.1f}" r="5" fill="{escape(color)}">'
            f"<title>{escape(shown_bytes(node.raw))}, rank {node.rank:,}</title></circle>"
            f'<text class="dot-rank" x="{box.left:.1f}" y="{box.bottom - DESCENT:.1f}">{node.rank:,}</text>'
        )
