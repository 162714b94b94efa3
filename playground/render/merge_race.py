"""Draw the merge race as SVG: one word in several tokenizers, each merge at the height of its rank.

The trees are found in `bpe.merging`; the styles are `merge_tree.TREE_CSS`.
"""

from collections.abc import Iterator, Sequence
from html import escape
from math import log
from typing import NamedTuple

from playground.core.building import MergeNode
from playground.core.wording import counted
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
from playground.render.visible_text import shown_bytes

#: Sizes of 10 px monospace type, in CSS pixels.
CHARACTER_WIDTH = 6.1
ASCENT, DESCENT = 8.0, 2.0
DOT_RADIUS = 6.0


class Dot(NamedTuple):
    """A dot and the text of its label."""

    x: float
    y: float
    label: str


class Box(NamedTuple):
    """A rectangle in CSS pixels."""

    left: float
    top: float
    right: float
    bottom: float

    def overlap(self, other: "Box") -> float:
        """Return the area shared with another box, in square pixels."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.bottom, other.bottom) - max(self.top, other.top)
        return max(width, 0) * max(height, 0)


def place_labels(dots: Sequence[Dot], within: Box) -> list[Box]:
    """Return a box for each label: the nearest free place, or else the one that overlaps least.

    Greedy, in three orders of the dots; the order with the least overlap is kept.

    >>> one, two = place_labels([Dot(20, 50, "256"), Dot(38, 48, "284")], Box(0, 0, 200, 100))
    >>> one.overlap(two) == 0
    True
    """
    solid = [_dot_box(dot) for dot in dots]
    numbers = range(len(dots))
    orders = (
        sorted(numbers, key=lambda number: -dots[number].y),
        sorted(numbers, key=lambda number: dots[number].x),
        sorted(numbers, key=lambda number: dots[number].y),
    )
    best: list[Box] = []
    least = float("inf")
    for order in orders:
        placed: dict[int, Box] = {}
        total = 0.0
        for number in order:
            taken = [*solid, *placed.values()]
            found = float("inf")
            for box in _iter_places(dots[number]):
                cost = sum(box.overlap(other) for other in taken) + 100 * _outside(box, within)
                if cost < found:
                    found, placed[number] = cost, box
                if not cost:
                    break
            total += found
        if total < least:
            least, best = total, [placed[number] for number in numbers]
        if not total:
            break
    return best


def _iter_places(dot: Dot) -> Iterator[Box]:
    """Yield places for a label, the nearest first."""
    width = CHARACTER_WIDTH * len(dot.label)
    right, left, over = dot.x + 7, dot.x - 7 - width, dot.x - width / 2
    for x, baseline in (
        (right, dot.y - 5),
        (left, dot.y - 5),
        (right, dot.y + 3.5),
        (left, dot.y + 3.5),
        (over, dot.y - 9),
        (right, dot.y + 12),
        (left, dot.y + 12),
        (over, dot.y + 15),
        (right - 7, dot.y - 15),
        (left + 7, dot.y - 15),
        (over, dot.y - 19),
        (over, dot.y - 29),
    ):
        yield Box(x, baseline - ASCENT, x + width, baseline + DESCENT)


def _dot_box(dot: Dot) -> Box:
    return Box(dot.x - DOT_RADIUS, dot.y - DOT_RADIUS, dot.x + DOT_RADIUS, dot.y + DOT_RADIUS)


def _outside(box: Box, within: Box) -> float:
    return sum(
        max(beyond, 0)
        for beyond in (
            within.left - box.left,
            within.top - box.top,
            box.right - within.right,
            box.bottom - within.bottom,
        )
    )


#: Height of a row and its largest width on a page of normal type, in SVG units.
HEIGHT, MAX_WIDTH = 400, 1_190
MIN_WIDTH = 230
#: Width of a letter in a tokenizer's name and in the lines below it, and their distance from the left.
NAME_WIDTH, LETTER_WIDTH, TEXT_LEFT = 7.9, 6.65, 12
TREE_GAP = 10
AXIS_WIDTH, GAP, EDGE, TOP = 64, 20, 16, 72
BOTTOM = HEIGHT - CHARACTER_HEIGHT - HEX_HEIGHT - MARGIN - 6
#: The rank at the foot of the axis, below all merges.
LOWEST = 200


class Runner(NamedTuple):
    """One tokenizer in a merge race: its name and colour, and the trees it makes of the word."""

    name: str
    color: str
    trees: tuple[MergeNode, ...]


def merge_race_svg(runners: Sequence[Runner], *, max_width: float = MAX_WIDTH) -> str:
    """Return one word in several tokenizers on a logarithmic rank axis; a lower merge was learned earlier.

    Runners that do not fit side by side in `max_width` are placed below each other.

    >>> svg = merge_race_svg([Runner("gpt2", "#b4531f", (MergeNode(b"!", 0, 0),))])
    >>> svg.startswith("<svg"), "gpt2" in svg
    (True, True)
    """
    joints = [
        node for runner in runners for tree in runner.trees for node in tree.iter_nodes() if node.children
    ]
    axis = _Axis(max([1024, *(node.rank for node in joints)]))
    rows = list(_iter_rows(runners, max_width))
    width = max(AXIS_WIDTH + sum(map(_width, row)) + GAP * (len(row) - 1) for row in rows) + EDGE
    label = "; ".join(f"{runner.name}: {describe_race(runner.trees)}" for runner in runners)
    parts = [open_svg("tree race", width, HEIGHT * len(rows), label)]
    for n, row in enumerate(rows):
        parts.append(f'<g transform="translate(0 {n * HEIGHT})">')
        parts.extend(_iter_axis_svg(axis, width))
        x = float(AXIS_WIDTH)
        for runner in row:
            parts.extend(_iter_runner_svg(runner, x, axis))
            x += _width(runner) + GAP
        parts.append("</g>")
    return "".join([*parts, "</svg>"])


class _Axis(NamedTuple):
    """The logarithmic rank axis, up to the highest rank of all runners."""

    highest: float

    def y(self, rank: float) -> float:
        height = log(max(rank, 1) / LOWEST) / log(self.highest / LOWEST)
        return BOTTOM - (BOTTOM - TOP) * max(height, 0.02)


def _iter_rows(runners: Sequence[Runner], max_width: float) -> Iterator[list[Runner]]:
    """Yield rows of runners that fit side by side."""
    row: list[Runner] = []
    for runner in runners:
        if row and AXIS_WIDTH + sum(map(_width, [*row, runner])) + GAP * len(row) + EDGE > max_width:
            yield row
            row = []
        row.append(runner)
    yield row


def _width(runner: Runner) -> float:
    n_bytes = sum(len(tree.raw) for tree in runner.trees)
    lines = describe_race(runner.trees), describe_first_merge(runner.trees)
    texts = max(NAME_WIDTH * len(runner.name), *(LETTER_WIDTH * len(line) for line in lines))
    return max(MIN_WIDTH, n_bytes * LEAF_WIDTH + TREE_GAP * len(runner.trees) + 12, texts + TEXT_LEFT)


def _iter_axis_svg(axis: _Axis, width: float) -> Iterator[str]:
    """Yield the axis title, and lines with their ranks."""
    middle = (TOP + BOTTOM) / 2
    yield (
        f'<text class="axis-title" x="12" y="{middle:g}" transform="rotate(-90 12 {middle:g})">'
        "rank of the merge (log scale)</text>"
    )
    for rank in (256, 1_000, 3_000, 10_000, 30_000, 100_000, 200_000):
        if rank <= axis.highest * 1.2:
            y = max(axis.y(rank), TOP - 8)
            yield f'<line class="axis" x1="{AXIS_WIDTH}" x2="{width:g}" y1="{y:.1f}" y2="{y:.1f}"/>'
            yield f'<text class="axis-label" x="{AXIS_WIDTH - 6}" y="{y + 3.5:.1f}">{rank:,}</text>'


def _iter_runner_svg(runner: Runner, x: float, axis: _Axis) -> Iterator[str]:
    """Yield a runner's name, its summary, its trees and their merges."""
    yield f'<text class="name" x="{x + TEXT_LEFT:g}" y="16">{escape(runner.name)}</text>'
    yield f'<rect x="{x:g}" y="6" width="8" height="12" rx="2" fill="{escape(runner.color)}"/>'
    lines = describe_race(runner.trees), describe_first_merge(runner.trees)
    for y, line in zip((32, 47), lines, strict=True):
        yield f'<text class="summary" x="{x + TEXT_LEFT:g}" y="{y}">{escape(line)}</text>'
    tree_x = x + 4
    tree_xs = []
    for tree in runner.trees:
        tree_xs.append(tree_x)
        tree_x += len(tree.raw) * LEAF_WIDTH + TREE_GAP
    yield from _iter_word_svg(runner.trees, tree_xs)
    joints_of: list[tuple[MergeNode, float, float]] = []
    for tree, left in zip(runner.trees, tree_xs, strict=True):
        yield from _iter_race_tree(tree, left, axis, joints_of)
    room = Box(x - GAP / 2, 50, x + _width(runner) + GAP / 2, BOTTOM)
    yield from _iter_joints_svg(joints_of, runner.color, room)


def _iter_word_svg(trees: Sequence[MergeNode], tree_xs: Sequence[float]) -> Iterator[str]:
    """Yield each character once below the trees, across the gap if its bytes are in several tokens."""
    lefts = [x + n * LEAF_WIDTH for tree, x in zip(trees, tree_xs, strict=True) for n in range(len(tree.raw))]
    first = 0
    for character in leaf_characters(b"".join(tree.raw for tree in trees)):
        last = first + character.n_bytes - 1
        width = lefts[last] + LEAF_WIDTH - lefts[first]
        is_split = width > character.n_bytes * LEAF_WIDTH + 1
        shown = character._replace(is_partial=character.is_partial or is_split)
        yield from iter_characters_svg([shown], lefts[first], BOTTOM, width=width)
        first = last + 1


def describe_race(trees: Sequence[MergeNode]) -> str:
    """Describe one tokenizer's result in the race.

    >>> describe_race((MergeNode(b"a", 64, 64),))
    'one token, complete at rank 64'
    """
    if not trees:
        return "nothing to merge"
    last = max(tree.rank for tree in trees)
    if last < 0:
        return f"{counted(len(trees), 'token')}, nothing merges"
    if len(trees) == 1:
        return f"one token, complete at rank {last:,}"
    return f"{len(trees)} tokens, the last at rank {last:,}"


def describe_first_merge(trees: Sequence[MergeNode]) -> str:
    """Describe the merge of the lowest rank in trees; "" if there is none.

    >>> leaves = MergeNode(b"a", 64, 64), MergeNode(b"b", 65, 65)
    >>> describe_first_merge((MergeNode(b"ab", 300, 300, leaves, step=1),))
    'first merge: a + b, rank 300'
    """
    joints = [node for tree in trees for node in tree.iter_nodes() if node.children]
    if not joints:
        return ""
    first = min(joints, key=lambda node: node.rank)
    return (
        f"first merge: {' + '.join(shown_bytes(child.raw) for child in first.children)}, rank {first.rank:,}"
    )


def _iter_race_tree(
    tree: MergeNode, x: float, axis: _Axis, joints: list[tuple[MergeNode, float, float]]
) -> Iterator[str]:
    """Yield the lines of a tree and the bytes of its leaves; append its merges and positions to `joints`."""
    nodes = list(tree.iter_nodes())
    centres = place_centres(nodes, x)
    ys = [axis.y(node.rank) if node.children else BOTTOM for node in nodes]
    for index, children in iter_children(nodes):
        for child in children:
            yield f'<path d="M{centres[child]:g} {ys[child]:.1f}V{ys[index]:.1f}H{centres[index]:g}"/>'
        if children:
            joints.append((nodes[index], centres[index], ys[index]))
        elif nodes[index].raw[0] >= 0x80:
            y = BOTTOM + CHARACTER_HEIGHT + 11
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
