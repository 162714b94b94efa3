"""The texts of a row of JSON: a field by its name, or by a path such as `a.b` and `messages[].content`.

Lines and their places are `documents`' business.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from playground.core.errors import InvalidInputError
from playground.core.wording import json_kind, quoted

#: Names of a path that is listed, and entries of a list that are looked at for it.
_MAX_NAMES, _MAX_ENTRIES = 5, 100
_MISSING = object()


def texts_at(row: dict[str, Any], path: str, place: str) -> list[str]:
    """The text of a field, or of each entry of a list; a name that the row has goes before a path.

    >>> row = {"a": {"b": "x"}, "a.c": "y", "messages": [{"content": "Hi"}, {"content": None}]}
    >>> [texts_at(row, path, "line 1") for path in ("a.b", "a.c", "messages[].content")]
    [['x'], ['y'], ['Hi']]

    An entry without the field, or with null there, has no text. Raises InvalidInputError with the place.
    """
    found = [row[path]] if path in row else [*_iter_values(row, path.split("."))]
    values = [value for value in found if value is not _MISSING]
    if found and not values:
        meant = [known for known in iter_text_paths(row) if _names_of(known) == _names_of(path)]
        raise InvalidInputError(f"{place} has no field {quoted(path)}{others(meant[:1] or row)}")
    is_of_list = path not in row and "[]" in path
    texts = [value for value in values if not (is_of_list and value is None)]
    for text in texts:
        if not isinstance(text, str):
            raise InvalidInputError(f"{place}: field {quoted(path)} is {json_kind(text)}, not text")
    return texts


def iter_text_paths(row: dict[str, Any], before: str = "") -> Iterator[str]:
    """The fields of a row that hold text, each as a path; some may come twice.

    >>> [*iter_text_paths({"id": 1, "a": {"b": "x"}, "tags": ["y"], "messages": [{"content": "Hi"}]})]
    ['a.b', 'tags[]', 'messages[].content']
    """
    for name, value in row.items():
        if before and ("." in name or "[]" in name):
            continue  # no path leads there
        entries = value[:_MAX_ENTRIES] if isinstance(value, list) else [value]
        path = f"{before}{name}{'[]' * isinstance(value, list)}"
        for entry in entries:
            if isinstance(entry, str):
                yield path
            elif isinstance(entry, dict) and path.count(".") + 1 < _MAX_NAMES:
                yield from iter_text_paths(entry, f"{path}.")


def _names_of(path: str) -> str:
    return path.replace("[]", "")


def others(names: Any) -> str:
    """What is said of the fields that there are, where one is not."""
    shown = [quoted(str(name)) for name in names]
    if not shown:
        return ": it has none"
    return f"; it has {', '.join(shown[:8])}{' …' if len(shown) > 8 else ''}"


def _iter_values(value: Any, names: Sequence[str]) -> Iterator[Any]:
    if not names:
        yield value
        return
    name, is_list = names[0].removesuffix("[]"), names[0].endswith("[]")
    found = value.get(name, _MISSING) if isinstance(value, dict) else _MISSING
    entries = found if is_list and isinstance(found, list) else [_MISSING if is_list else found]
    for entry in entries:
        if entry is _MISSING:
            yield entry
        else:
            yield from _iter_values(entry, names[1:])
