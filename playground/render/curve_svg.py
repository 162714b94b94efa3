"""A curve as SVG that needs no script, where no chart library draws. Its colours are set elsewhere."""

from collections.abc import Sequence
from html import escape

from playground.render.merge_tree import open_svg

WIDTH, HEIGHT = 480, 200
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 16, 22, 34
#: A line of a screen's width shows no more.
_MAX_POINTS = 300
_N_TICKS = 5


def curve_svg(values: Sequence[float], *, x_title: str, y_title: str) -> str:
    """A value for each of 0, 1, 2, …, as a line over axes that begin at 0 and at the lowest value.

    >>> svg = curve_svg([1.0, 1.5, 1.75], x_title="merges", y_title="bytes per token")
    >>> 'aria-label="bytes per token against merges: from 1.00 to 1.75 after 2"' in svg
    True
    """
    last = len(values) - 1
    low, high = min(values), max(values)

    def x_of(place: float) -> float:
        return _LEFT + (WIDTH - _LEFT - _RIGHT) * place / max(last, 1)

    def y_of(value: float) -> float:
        return HEIGHT - _BOTTOM - (HEIGHT - _TOP - _BOTTOM) * (value - low) / ((high - low) or 1)

    label = f"{y_title} against {x_title}: from {values[0]:.2f} to {values[-1]:.2f} after {last:,}"
    parts = [open_svg("curve", WIDTH, HEIGHT, label)]
    for value in _ticks(low, high):
        y = y_of(value)
        parts.append(f'<line x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text class="y" x="{_LEFT - 6}" y="{y + 4:.1f}">{value:g}</text>')
    for place in _ticks(0, last, is_whole=True):
        parts.append(f'<text class="x" x="{x_of(place):.1f}" y="{HEIGHT - _BOTTOM + 15}">{place:,.0f}</text>')
    step = max(1, -(-last // _MAX_POINTS))
    places = [*range(0, last, step), last]
    line = "L".join(f"{x_of(place):.1f} {y_of(values[place]):.1f}" for place in places)
    x, y = x_of(last), y_of(values[-1])
    parts += [
        f'<text class="x" x="{(WIDTH + _LEFT - _RIGHT) / 2:g}" y="{HEIGHT - 4}">{escape(x_title)}</text>',
        f'<text x="4" y="12">{escape(y_title)}</text>',
        f'<path d="M{line}"/><circle cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>',
        f'<text class="end" x="{x:.1f}" y="{y - 8:.1f}">{values[-1]:.2f}</text></svg>',
    ]
    return "".join(parts)


def _ticks(low: float, high: float, *, is_whole: bool = False) -> list[float]:
    """Round numbers from low to high, about five.

    >>> _ticks(0, 20, is_whole=True), _ticks(1.0, 1.75)
    ([0, 5, 10, 15, 20], [1.0, 1.2, 1.4, 1.6])
    """
    raw = (high - low) / _N_TICKS
    if raw <= 0:
        return [low]
    power = 10.0 ** (len(f"{raw:.0f}") - 1)
    while power > raw:
        power /= 10
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= raw)
    if is_whole:
        step = max(1, round(step))
    first = -(-low // step)
    ticks = [round((first + n) * step, 9) for n in range(2 * _N_TICKS + 2)]
    return [tick for tick in ticks if tick <= high]
