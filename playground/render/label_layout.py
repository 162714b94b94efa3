"""Where labels go beside crowded dots, so that none covers another or a dot; drawing is done elsewhere."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

#: Of 10 px monospace type, in CSS pixels.
CHARACTER_WIDTH = 6.1
ASCENT, DESCENT = 8.0, 2.0
DOT_RADIUS = 6.0


class Dot(NamedTuple):
    """A dot that wants a label of some characters."""

    x: float
    y: float
    label: str


class Box(NamedTuple):
    """A rectangle; `overlap` is the area that two have in common."""

    left: float
    top: float
    right: float
    bottom: float

    def overlap(self, other: "Box") -> float:
        """Common area in square pixels."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.bottom, other.bottom) - max(self.top, other.top)
        return max(width, 0) * max(height, 0)


def place_labels(dots: Sequence[Dot], within: Box) -> list[Box]:
    """A box for each dot's label: the nearest place that is free, else the one that covers least.

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
