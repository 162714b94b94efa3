"""What a round trip lost: the data beside what a format's own parser read back."""

import datetime
import math
from collections import Counter
from typing import Protocol

from playground.core.errors import CannotHoldError
from playground.formats.json_formats import key_text
from playground.formats.repeats import is_repetitive, iter_counted_pairs
from playground.formats.rows import find_rows
from playground.formats.settings_formats import ROWS_KEY
from playground.formats.values import Data, Loss

_SHOWN_PLACES = 20
_ABSENT = object()


class Out(Protocol):
    """Told of values that did not come back."""

    def __call__(self, kind: str, place: str, value: Data, n: int = 1) -> None:
        """`place` is the path without list positions, `value` what it was, and `n` how many there are."""


def find_losses(before: Data, after: Data) -> tuple[Loss, ...]:
    """The differences gathered by kind, the commonest first; numbers compare by value, as JSON has one kind.

    >>> find_losses({"a": 1, "b": [True]}, {"b": [True], "a": 1.0})
    ()
    >>> losses = find_losses([{"zip": "07", "n": None}], [{"zip": 7, "n": ""}])
    >>> for loss in losses:
    ...     print(loss.kind, loss.places)
    types ('[].zip',)
    nulls ('[].n',)
    """
    found: dict[str, dict[str, int]] = {}

    def note(kind: str, place: str, value: Data, n: int = 1) -> None:
        places = found.setdefault(kind, {})
        n_values = count_scalars(value) if kind == "parts" else 1
        places[place] = places.get(place, 0) + n * n_values

    _add_differences(before, after, "", note)
    losses = [
        Loss(
            kind=kind,  # type: ignore[arg-type]
            places=tuple(list(places)[:_SHOWN_PLACES]),
            n_places=len(places),
            n_values=sum(places.values()),
        )
        for kind, places in found.items()
    ]
    return tuple(sorted(losses, key=lambda loss: -loss.n_values))


def count_scalars(data: Data) -> int:
    """Values that hold no others; an empty list or object counts as one.

    >>> count_scalars({"a": [1, 2], "b": {}})
    3
    """
    if isinstance(data, (dict, list)) and data:
        return sum(map(count_scalars, data.values() if isinstance(data, dict) else data))
    return 1


def _add_differences(before: Data, after: Data, place: str, out: Out) -> None:
    if before is after:
        return
    if isinstance(before, dict):
        _add_object_differences(before, after, place, out)
    elif isinstance(before, list):
        _add_list_differences(before, after, place, out)
    else:
        kind = _scalar_difference(before, after)
        if kind:
            out(kind, place or "the root", before)


def _add_object_differences(before: dict[Data, Data], after: Data, place: str, out: Out) -> None:
    if isinstance(after, list) and (rows := _rows_of(before)) is not None:
        key, kept = rows
        for other, value in before.items():
            if other != key:
                out("parts", _join(place, other), value)
        out("names", _join(place, key), key)
        _add_differences(kept, after, _join(place, key), out)
        return
    if not isinstance(after, dict):
        out("nesting", place or "the root", before)
        return
    missing = []
    for key, value in before.items():
        here = after.get(key, _ABSENT)
        if here is _ABSENT:
            missing.append((key, value))
        elif type(value) is type(here) is str:  # most values; the call would take longer than the answer
            if value != here:
                out("text", _join(place, key), value)
        else:
            _add_differences(value, here, _join(place, key), out)
    extra = {key: value for key, value in after.items() if key not in before}
    if missing or extra:
        _add_missing_differences(missing, extra, place, out)


def _add_missing_differences(
    missing: list[tuple[Data, Data]], extra: dict[Data, Data], place: str, out: Out
) -> None:
    """Keys that came back as text, as the head of dotted keys, or not at all."""
    dotted: dict[str, dict[str, Data]] = {}
    for key in [key for key in extra if isinstance(key, str) and "." in key]:
        head, _, rest = key.partition(".")
        dotted.setdefault(head, {})[rest] = extra[key]
    for key, value in missing:
        here, name = _join(place, key), key_text(key)
        if not isinstance(key, str) and name in extra:
            out("types", f"the key {here}", key)
            _add_differences(value, extra.pop(name), here, out)
        elif name in dotted and isinstance(value, (dict, list)):
            group = dotted.pop(name)
            out("nesting", here, value)
            _add_dotted_differences(value, group, here, out)
        elif value is None:
            out("nulls", here, None)
        else:
            out("parts", here, value)
    for key, value in extra.items():
        if value is None:
            out("nulls", _join(place, key), None)
        elif not isinstance(key, str) or key.partition(".")[0] in dotted or "." not in key:
            out("names", _join(place, key), value)


def _add_dotted_differences(before: Data, group: dict[str, Data], place: str, out: Out) -> None:
    """Compare with what stands under dotted keys, whose nesting is already reported."""
    # Numbers that are equal may differ in type; of text alone, what is equal is the same.
    is_counted = is_repetitive(before) and all(type(value) is str for value in group.values())
    if isinstance(before, list):
        before = {str(index): value for index, value in enumerate(before)}
        place += "[]"
        names = dict.fromkeys(before, place)
    else:
        before = {key_text(key): value for key, value in before.items()}
        names = {key: _join(place, key) for key in before}
    heads: dict[str, dict[str, Data]] = {}
    for key, value in group.items():
        if isinstance(key, str) and key not in before:
            head, dot, rest = key.partition(".")
            if dot:
                heads.setdefault(head, {})[rest] = value
    inner: Counter[tuple[int, tuple[tuple[str, str], ...]]] = Counter()
    for key, value in before.items():
        if key in group:
            _add_differences(value, group[key], names[key], out)
        elif key in heads and isinstance(value, (dict, list)):
            if is_counted:
                inner[id(value), tuple(heads[key].items())] += 1
            else:
                _add_dotted_differences(value, heads[key], names[key], out)
        elif value is None:
            out("nulls", names[key], None)
        else:
            out("parts", names[key], value)
    value_of = {id(value): value for value in before.values()} if inner else {}
    for (number, items), n in inner.items():
        _add_dotted_differences(value_of[number], dict(items), place, _times(out, n))


def _add_list_differences(before: list[Data], after: Data, place: str, out: Out) -> None:
    if isinstance(after, dict) and list(after) == [ROWS_KEY] and not place:
        out("names", "the root", ROWS_KEY)
        after = after[ROWS_KEY]
    elif isinstance(after, dict) and before:
        out("nesting", place or "the root", before)
        _add_dotted_differences(before, after, place, out)
        return
    if not isinstance(after, list):
        out("nesting", place or "the root", before)
        return
    inner = f"{place}[]"
    if is_repetitive(before) and is_repetitive(after):
        for left, right, n in iter_counted_pairs(before, after):
            _add_differences(left, right, inner, _times(out, n))
    else:
        for left, right in zip(before, after, strict=False):
            _add_differences(left, right, inner, out)
    if len(before) != len(after):
        left_over = before[len(after) :] or after[len(before) :]
        out("parts", inner, left_over)


def _times(out: Out, n_times: int) -> Out:
    """Tell of each value as of so many."""

    def note(kind: str, place: str, value: Data, n: int = 1) -> None:
        out(kind, place, value, n * n_times)

    return note


def _scalar_difference(before: Data, after: Data) -> str | None:
    """The kind of difference, None for none."""
    kind = type(before)
    if kind is type(after):
        if before == after or (kind is float and math.isnan(before) and math.isnan(after)):
            return None
        return "text" if kind is str else "numbers" if kind in (int, float) else "types"
    if before is None:
        return "nulls"
    if kind in (int, float):
        if type(after) in (int, float):
            return None if before == after else "numbers"
        is_word = kind is float and not math.isfinite(before)  # NaN or infinite
        return "numbers" if after is None and is_word else "types"
    if isinstance(before, (datetime.date, datetime.time)):
        return "dates"
    return "nulls" if before == "" and after is None else "types"


def _rows_of(data: dict[Data, Data]) -> tuple[Data, list[Data]] | None:
    """The part of an object that a table or JSON Lines holds."""
    try:
        return find_rows(data)
    except CannotHoldError:
        return None


def _join(place: str, key: Data) -> str:
    return f"{place}.{key_text(key)}" if place else key_text(key)
