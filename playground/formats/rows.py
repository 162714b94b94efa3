"""The rows in data, and data of very many rows: each distinct row is written, read and compared once.

Equal rows are one object (`share_rows`). Where rows are in a text is described by a format's `RowFrame`.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from playground.core.errors import CannotHoldError
from playground.formats.limits import check_n_characters
from playground.formats.values import Data, RowFrame


def find_rows(data: Data) -> tuple[str | None, list[Data]]:
    """Return the list at the root, or the longest list below it, with its key. Raises CannotHoldError.

    >>> find_rows({"page": 1, "users": [{"id": 1}]})
    ('users', [{'id': 1}])
    """
    if isinstance(data, list):
        return None, data
    if isinstance(data, dict):
        lists = [(key, value) for key, value in data.items() if isinstance(value, list) and value]
        if lists:
            return max(lists, key=lambda item: len(item[1]))
    raise CannotHoldError(f"it holds rows, and the data is {kind_name(data)} without a list of them")


def find_records(data: Data) -> tuple[str | None, list[dict[Data, Data]]]:
    """Return the longest list of nothing but objects, with its key as `find_rows`. Raises CannotHoldError.

    >>> find_records({"tags": ["a", "b"], "users": [{"id": 1}]})
    ('users', [{'id': 1}])
    """
    candidates = (
        [(None, data)] if isinstance(data, list) else list(data.items()) if isinstance(data, dict) else []
    )
    records = [
        (key, value)
        for key, value in candidates
        if isinstance(value, list) and value and all(isinstance(row, dict) and row for row in value)
    ]
    if not records:
        raise CannotHoldError("a table needs a list of objects at the top or right under it")
    return max(records, key=lambda item: len(item[1]))


def kind_name(value: Data) -> str:
    """Return the name of a value's type for a message.

    >>> kind_name([]), kind_name(True), kind_name(1.5)
    ('a list', 'a boolean', 'a number')
    """
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "text"
        case list():
            return "a list"
        case dict():
            return "an object"
        case _:
            return "a date"


#: Lists with fewer rows are not searched for repetitions.
MIN_ROWS = 5_000
#: Rows that are read at once: Python's own parser takes 6 KB for one.
_ROWS_AT_ONCE = 20_000


def share_rows(data: Data) -> Data:
    """Return the data with equal rows as one object, if many are equal; values of different types differ.

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
    """Return the distinct row objects in order, and the index of each row among them.

    >>> row = {"a": 1}
    >>> number_rows([row, {"a": 2}, row])
    ([{'a': 1}, {'a': 2}], [0, 1, 0])
    """
    numbers: dict[int, int] = {}
    order = [numbers.setdefault(id(row), len(numbers)) for row in rows]
    row_of = dict(zip(map(id, rows), rows, strict=True))
    return [row_of[key] for key in numbers], order


def is_repetitive(data: Data) -> bool:
    """Whether this is a long list in which at least half of the items are repeated objects."""
    return isinstance(data, list) and len(data) >= MIN_ROWS and 2 * len(set(map(id, data))) <= len(data)


def iter_counted_pairs(before: Sequence[Data], after: Sequence[Data]) -> Iterator[tuple[Data, Data, int]]:
    """Yield each distinct pair of objects at the same places of two lists, with its number of occurrences.

    >>> list(iter_counted_pairs([1, 1, 2], [1, 1, 3]))
    [(1, 1, 2), (2, 3, 1)]
    """
    n = min(len(before), len(after))
    before_of, after_of = (dict(zip(map(id, rows), rows, strict=True)) for rows in (before[:n], after[:n]))
    pairs = Counter(zip(map(id, before), map(id, after), strict=False))
    for (left, right), n_times in pairs.items():
        yield before_of[left], after_of[right], n_times


def write_rows(data: Data, frames: Iterable[RowFrame], write: Callable[[Data], str]) -> str:
    """Return `write(data)`, but write only distinct rows if there are few. Raises what `write` raises.

    The last row is written once more at the end, because some formats write a last row differently.
    """
    frames = [frame for frame in frames if frame.is_read_alone]
    if not frames or not is_repetitive(data) or not are_rows(data):
        return write(data)
    distinct, order = number_rows(data)
    text = write([*distinct, data[-1]])
    for frame in frames:
        parts = frame.split(text)
        # A separator within a row would give more rows.
        if parts is not None and len(parts[1]) == len(distinct) + 1:
            head, rows, tail = parts
            texts = [*map(rows.__getitem__, order[:-1]), rows[-1]]
            n_between = len(frame.separator) * (len(texts) - 1)
            check_n_characters(len(head) + sum(map(len, texts)) + n_between + len(tail))
            return frame.join(head, texts, tail)
    return write(data)


def read_rows(text: str, frames: Iterable[RowFrame], read: Callable[[str], Data]) -> Data:
    """Return what `read` returns; each distinct row is read only once. Raises what `read` raises.

    That as many rows are read as texts were joined proves that no row contains a separator. Rows do not
    depend on each other, because no anchors are written.
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
    """Return the data, or None if a separator is part of a row."""
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
    """Whether all items are objects that are not empty."""
    return all(isinstance(row, dict) and row for row in data)
