"""The rows in data: the list at the root, or the longest one below it."""

from playground.core.errors import CannotHoldError
from playground.formats.values import Data


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
