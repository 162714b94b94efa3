"""Measure how tokens grow with the number of rows and with nesting, on the user's own data."""

import random
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations, pairwise
from typing import Literal, NamedTuple

from playground.core.errors import CannotHoldError
from playground.core.tokenizer import Tokenizer
from playground.formats.conversion import write
from playground.formats.json_formats import write_json
from playground.formats.registry import FORMATS
from playground.formats.rows import find_rows
from playground.formats.values import Data, WriteOptions, key_text

ROW_COUNTS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
DEPTHS = (1, 2, 3, 4, 6, 8, 12, 16, 20)
#: Bytes of compact JSON at the largest point; larger row counts are left out.
MAX_SAMPLE_BYTES = 300_000
_SEED = 5


class Point(NamedTuple):
    """Tokens of one format at one size."""

    format_name: str
    n: int
    n_tokens: int


class Crossover(NamedTuple):
    """At `n`, `cheaper` costs fewer tokens than `dearer`; at `n - 1` it costs as many or more."""

    n: int
    cheaper: str
    dearer: str


class Growth(NamedTuple):
    """Tokens at each size, and where the lines cross."""

    points: list[Point]
    crossovers: list[Crossover]


#: What grows: rows, or the depth of objects around one.
Grow = Literal["rows", "depth"]


def find_growth(
    data: Data, tokenizer: Tokenizer, formats: Iterable[str], options: WriteOptions, grow: Grow
) -> Growth:
    """Return the tokens of each format as the data grows.

    >>> from playground.catalog.baselines import ByteTokenizer
    >>> points, crossovers = find_growth([{"a": 1}], ByteTokenizer(), ["yaml"], WriteOptions(), "depth")
    >>> points[:1], crossovers
    ([Point(format_name='yaml', n=1, n_tokens=4)], [])
    """
    points_of, build = (row_points, with_n_rows) if grow == "rows" else (depth_points, at_depth)
    points = points_of(data, tokenizer, formats, options)
    return Growth(points, find_crossovers(data, points, tokenizer, options, build=build))


def is_of_rows(data: Data) -> bool:
    """Whether the data has rows to sample from.

    >>> is_of_rows({"rows": [{"a": 1}]}), is_of_rows({"a": 1}), is_of_rows([])
    (True, False, False)
    """
    try:
        return bool(find_rows(data)[1])
    except CannotHoldError:
        return False


def with_n_rows(data: Data, n_rows: int) -> Data:
    """Return the data with n rows sampled from its own, repeated only if there are too few; always the same.

    Data without a list becomes a list of itself.

    >>> with_n_rows({"rows": [{"a": 1}]}, 2)
    {'rows': [{'a': 1}, {'a': 1}]}
    """
    key, rows = _rows_of(data)
    order: list[Data] = []
    shuffle = random.Random(_SEED)
    while len(order) < n_rows:
        order += shuffle.sample(rows, min(len(rows), n_rows - len(order)))
    return order if key is None else {**data, key: order}


def sample_of(data: Data) -> Data:
    """Return the rows on which growth is measured: at most the largest of ROW_COUNTS, without very long rows.

    >>> sample_of({"rows": [1] * 5_000}) == {"rows": [1] * 1_000}
    True
    """
    key, rows = _rows_of(data)
    drawn = random.Random(_SEED).sample(rows, min(len(rows), ROW_COUNTS[-1]))
    kept: list[Data] = []
    n_left = MAX_SAMPLE_BYTES
    for row in drawn:
        n_left -= len(write_json(row, WriteOptions()))
        if n_left >= 0:
            kept.append(row)
    return kept if key is None else {key: kept}


def at_depth(data: Data, depth: int) -> Data:
    """Return one row of the data inside `depth - 1` objects, named by its own keys.

    >>> at_depth([{"a": 1, "b": 2}], 3)
    {'a': {'b': {'a': 1, 'b': 2}}}
    """
    value: Data = _rows_of(data)[1][0]
    names = [key_text(key) for key in value] if isinstance(value, dict) and value else ["level"]
    for level in reversed(range(depth - 1)):
        value = {names[level % len(names)]: value}
    return value


def _rows_of(data: Data) -> tuple[str | None, list[Data]]:
    """Return the data's rows with their key, or the data itself as the only row."""
    try:
        key, rows = find_rows(data)
    except CannotHoldError:
        return None, [data]
    return key, rows or [data]


def row_points(
    data: Data, tokenizer: Tokenizer, formats: Iterable[str], options: WriteOptions | None = None
) -> list[Point]:
    """Return the tokens of each format at each of ROW_COUNTS, without formats that cannot hold the rows."""
    counts = []
    for n_rows in ROW_COUNTS:
        if n_rows > 1 and len(write_json(with_n_rows(data, n_rows), WriteOptions())) > MAX_SAMPLE_BYTES:
            break
        counts.append(n_rows)
    return _points(lambda n: with_n_rows(data, n), counts, tokenizer, formats, options)


def depth_points(
    data: Data, tokenizer: Tokenizer, formats: Iterable[str], options: WriteOptions | None = None
) -> list[Point]:
    """Return the tokens of each format at each of DEPTHS."""
    return _points(lambda depth: at_depth(data, depth), DEPTHS, tokenizer, formats, options)


def find_crossovers(
    data: Data,
    points: Sequence[Point],
    tokenizer: Tokenizer,
    options: WriteOptions | None = None,
    *,
    build: Callable[[Data, int], Data] = with_n_rows,
) -> list[Crossover]:
    """Return where one format starts to cost less than another, exactly: points are bisected in between.

    Two formats that are level for a while, and then in the same order as before, have not crossed.
    """
    options = options or WriteOptions()
    curves: dict[str, dict[int, int]] = {}
    for point in points:
        curves.setdefault(point.format_name, {})[point.n] = point.n_tokens
    found = []
    for left, right in combinations(curves, 2):
        gaps = {n: _sign(curves[left][n] - curves[right][n]) for n in curves[left] if n in curves[right]}
        turned = None  # who was ahead last; at a tie nobody is
        for (low, before), (high, after) in pairwise(gaps.items()):
            turned = before or turned
            if after and after != turned:
                cheaper, dearer = (left, right) if after < 0 else (right, left)
                n = _bisect(low, high, cheaper, dearer, data, tokenizer, options, build)
                found.append(Crossover(n, cheaper, dearer))
    return sorted(found)


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


def _bisect(
    low: int,
    high: int,
    cheaper: str,
    dearer: str,
    data: Data,
    tokenizer: Tokenizer,
    options: WriteOptions,
    build: Callable[[Data, int], Data],
) -> int:
    """Return the first size above `low` at which `cheaper` costs less, given that it does at `high`."""
    while high - low > 1:
        middle = (low + high) // 2
        sample = build(data, middle)
        n_cheaper, n_dearer = (
            len(tokenizer.encode(write(sample, FORMATS[name], options))) for name in (cheaper, dearer)
        )
        low, high = (low, middle) if n_cheaper < n_dearer else (middle, high)
    return high


def _points(
    sample_of: Callable[[int], Data],
    sizes: Iterable[int],
    tokenizer: Tokenizer,
    formats: Iterable[str],
    options: WriteOptions | None,
) -> list[Point]:
    options = options or WriteOptions()
    points = []
    formats = list(formats)
    for size in sizes:
        sample = sample_of(size)
        for name in formats:
            try:
                text = write(sample, FORMATS[name], options)
            except Exception:  # a format that cannot hold it, by whatever error its library has for that
                continue
            points.append(Point(name, size, len(tokenizer.encode(text))))
    return points
