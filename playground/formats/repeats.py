"""Data with very many rows says the same over and over: each distinct row is written, read and compared once.

Equal rows are one object (`share_rows`). How rows stand in a text is a format's business (`RowFrame`).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from playground.formats.sizes import check_n_characters
from playground.formats.values import Data, RowFrame

#: Rows from which it pays to look for those that repeat.
MIN_ROWS = 5_000
#: Rows that are read at once: Python's own parser takes 6 KB for one.
_ROWS_AT_ONCE = 20_000


def share_rows(data: Data) -> Data:
    """The data with equal rows as one object, where many are equal; compared by type, as `repr` does.

    >>> rows = share_rows([{"a": n % 2} for n in range(10_000)])
    >>> len({id(row) for row in rows})
    2
    """
    if isinstance(data, dict):
        return {key: share_rows(value) if isinstance(value, list) else value for key, value in data.items()}
    if not isinstance(data, list) or len(data) < MIN_ROWS:
        return data
    if is_repetitive(data) or not are_rows(data) or len(set(map(repr, data[:MIN_ROWS]))) > MIN_ROWS // 2:
        return data
    of_repr: dict[str, Data] = {}
    return [of_repr.setdefault(repr(row), row) for row in data]


def number_rows(rows: Sequence[Data]) -> tuple[list[Data], list[int]]:
    """The rows that are different objects, in their order, and for each row its number among them.

    >>> row = {"a": 1}
    >>> number_rows([row, {"a": 2}, row])
    ([{'a': 1}, {'a': 2}], [0, 1, 0])
    """
    numbers: dict[int, int] = {}
    order = [numbers.setdefault(id(row), len(numbers)) for row in rows]
    row_of = dict(zip(map(id, rows), rows, strict=True))
    return [row_of[key] for key in numbers], order


def is_repetitive(data: Data) -> bool:
    """Is this a long list of which at least half is objects that stood before?"""
    return isinstance(data, list) and len(data) >= MIN_ROWS and 2 * len(set(map(id, data))) <= len(data)


def iter_counted_pairs(before: Sequence[Data], after: Sequence[Data]) -> Iterator[tuple[Data, Data, int]]:
    """Yield what stands at the same places of two lists, as far as both go: each pair of objects once, with
    how often it stands there.

    >>> list(iter_counted_pairs([1, 1, 2], [1, 1, 3]))
    [(1, 1, 2), (2, 3, 1)]
    """
    n = min(len(before), len(after))
    before_of, after_of = (dict(zip(map(id, rows), rows, strict=True)) for rows in (before[:n], after[:n]))
    pairs = Counter(zip(map(id, before), map(id, after), strict=False))
    for (left, right), n_times in pairs.items():
        yield before_of[left], after_of[right], n_times


def write_rows(data: Data, frames: Iterable[RowFrame], write: Callable[[Data], str]) -> str:
    """What `write` gives, from a text of the distinct rows where there are few. Raises what `write` raises.

    The last row is written at the end too, for some formats end in another way than they go on.
    """
    frames = [frame for frame in frames if frame.is_read_alone]
    if not frames or not is_repetitive(data) or not are_rows(data):
        return write(data)
    distinct, order = number_rows(data)
    text = write([*distinct, data[-1]])
    for frame in frames:
        parts = frame.split(text)
        # A separator within a row would make more.
        if parts is not None and len(parts[1]) == len(distinct) + 1:
            head, rows, tail = parts
            texts = [*map(rows.__getitem__, order[:-1]), rows[-1]]
            n_between = len(frame.separator) * (len(texts) - 1)
            check_n_characters(len(head) + sum(map(len, texts)) + n_between + len(tail))
            return frame.join(head, texts, tail)
    return write(data)


def read_rows(text: str, frames: Iterable[RowFrame], read: Callable[[str], Data]) -> Data:
    """What `read` gives, from shorter texts that have each distinct row once. Raises what `read` raises.

    As many rows come out as texts went in, so no separator stood within one, and each text is a row by
    itself, wherever it stands. None refers to another: no anchors are written.
    """
    for frame in frames:
        parts = frame.split(text) if frame.is_read_alone else None
        if parts is not None and len(parts[1]) >= MIN_ROWS:
            data = _read_distinct(frame, *parts, read)
            if data is not None:
                return data
    return read(text)


def _read_distinct(
    frame: RowFrame, head: str, rows: list[str], tail: str, read: Callable[[str], Data]
) -> Data | None:
    """The data, or None where the rows are not what they seem."""
    last = rows.pop()
    row_of: dict[str, Data] = dict.fromkeys(rows)
    name = None
    distinct = list(row_of)
    for start in range(0, len(distinct), _ROWS_AT_ONCE):
        texts = distinct[start : start + _ROWS_AT_ONCE]
        try:
            found = read(frame.join(head, [*texts, last], tail))
        except MemoryError:
            raise
        except Exception:  # whatever it is, the whole text is asked
            return None
        if isinstance(found, dict) and len(found) == 1:  # TOML has a name for them
            [(name, found)] = found.items()
        if not isinstance(found, list) or len(found) != len(texts) + 1:
            return None
        row_of.update(zip(texts, found, strict=False))
        row_of_last = found[-1]
    data = [*map(row_of.__getitem__, rows), row_of_last]
    return data if name is None else {name: data}


def are_rows(data: list[Data]) -> bool:
    """Are all of them objects with something in them?"""
    return all(isinstance(row, dict) and row for row in data)
