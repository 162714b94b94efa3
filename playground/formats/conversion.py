"""Write data in a format, read it back with the format's own parser, and find what was lost.

Tokens are counted in `costs`.
"""

import datetime
import hashlib
import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

from playground.core.errors import CannotHoldError, PlaygroundError
from playground.formats.limits import Size, check_n_characters, check_size, size_of
from playground.formats.registry import FORMATS
from playground.formats.rows import find_rows
from playground.formats.settings_formats import ROWS_KEY
from playground.formats.values import Conversion, Data, Format, Loss, WriteOptions, key_text, scalar_text


@dataclass
class Job:
    """Data to be converted, with results that conversions into several formats share.

    >>> Job({"a": None}, WriteOptions()).convert("toml").losses[0].kind
    'nulls'
    """

    data: Data
    options: WriteOptions
    size: Size = field(init=False)
    #: By the digest of the data that was read back, because its text may be long.
    _losses: dict[bytes, tuple[Loss, ...]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.size = size_of(self.data)

    @cached_property
    def data_repr(self) -> str:
        """The data as Python prints it; different data has different text."""
        return repr(self.data)

    def convert(self, format_name: str) -> Conversion:
        """Write the data in one format, and compare it with what the format's own parser reads back."""
        entry = FORMATS[format_name]
        try:
            text = write(self.data, entry, self.options, size=self.size)
        except MemoryError:
            raise  # a limit of the process, reported by whoever set it
        except CannotHoldError as error:
            return Conversion(entry.name, None, "cannot", reason=str(error))
        except Exception as error:  # a library's own refusal, of any type
            return Conversion(entry.name, None, "cannot", reason=_reason("cannot be written", error))
        try:
            losses = self._find_losses(entry.read(text))
            n_left_out = sum(loss.n_values for loss in losses if loss.kind == "parts")
            if entry.read_otherwise:
                losses = _by_reader(losses, self._find_losses(entry.read_otherwise(text)), entry.readers)
        except MemoryError:
            raise
        except Exception as error:  # a text that cannot be read is worse than a lossy one
            return Conversion(entry.name, None, "cannot", reason=_reason("cannot be read back", error))
        if self.options.is_sorted:
            losses = tuple(loss for loss in losses if loss.kind != "order")
        if all(loss.kind == "order" for loss in losses):
            return Conversion(entry.name, text, "equal", losses=losses)
        part = min(1.0, n_left_out / count_scalars(self.data)) if n_left_out else 0.0
        return Conversion(entry.name, text, "lossy", losses=losses, part_left_out=part)

    def _find_losses(self, after: Data) -> tuple[Loss, ...]:
        if type(after) is not type(self.data):
            return find_losses(self.data, after)
        # `repr` runs in C, and tells 1, True and "1" apart: most formats need no walk, and all tables
        # together one for each reader.
        after_repr = repr(after)
        if after_repr == self.data_repr:
            return ()
        digest = hashlib.sha256(after_repr.encode()).digest()
        if digest not in self._losses:
            self._losses[digest] = find_losses(self.data, after)
        return self._losses[digest]


def write(data: Data, entry: Format, options: WriteOptions, *, size: Size | None = None) -> str:
    """Return the data in one format. Raises CannotHoldError and errors of the format's library."""
    if entry.grows_by:
        check_size(size or size_of(data), entry.grows_by, options)
    data = _sorted(data) if options.is_sorted else data
    text = entry.write(data, options)
    check_n_characters(len(text))
    return text + "\n" if options.has_trailing_newline and not text.endswith("\n") else text


def _reason(what: str, error: Exception) -> str:
    detail = (
        str(error) if isinstance(error, PlaygroundError) else f"{type(error).__name__}: {str(error)[:200]}"
    )
    return f"it {what}: {detail}"


def _sorted(data: Data) -> Data:
    if isinstance(data, dict):
        return {key: _sorted(data[key]) for key in sorted(data, key=str)}
    if isinstance(data, list):
        sorted_of = {key: _sorted(value) for key, value in {id(value): value for value in data}.items()}
        return [sorted_of[id(value)] for value in data]
    return data


def _by_reader(
    first: tuple[Loss, ...], second: tuple[Loss, ...], readers: tuple[str, ...]
) -> tuple[Loss, ...]:
    """Return the losses of two readers, each with the readers that have it.

    >>> one, other = Loss("types", ("zip",), 1, 3), Loss("types", ("zip", "at"), 2, 6)
    >>> [(loss.places, loss.readers) for loss in _by_reader((one,), (other,), ("pandas", "Arrow"))]
    [(('zip',), ('pandas', 'Arrow')), (('at',), ('Arrow',))]
    """
    found: list[Loss] = []
    second_of = {loss.kind: loss for loss in second}
    for loss in first:
        other = second_of.pop(loss.kind, replace(loss, places=(), n_places=0))
        both = {*loss.places} & {*other.places}
        found.append(_at(loss, both, readers))
        found.append(_at(loss, {*loss.places} - both, readers[:1]))
        found.append(_at(other, {*other.places} - both, readers[1:]))
    found += [replace(loss, readers=readers[1:]) for loss in second_of.values()]
    return tuple(loss for loss in found if loss.places)


def _at(loss: Loss, places: set[str], readers: tuple[str, ...]) -> Loss:
    """Return the part of a loss at some of its places; places beyond those that are listed are added."""
    n_unlisted = loss.n_places - len(loss.places)
    kept = tuple(place for place in loss.places if place in places)
    return replace(loss, places=kept, n_places=len(kept) + n_unlisted, readers=readers)


_SHOWN_PLACES = 20
_ABSENT = object()


class Out(Protocol):
    """A function that records values that were not read back."""

    def __call__(self, kind: str, place: str, value: Data) -> None:
        """Record `value` at `place`, a path without list positions."""


def find_losses(before: Data, after: Data) -> tuple[Loss, ...]:
    """Return differences by kind, the most frequent first; numbers compare by value, as JSON has one type.

    >>> find_losses({"a": 1, "b": [True]}, {"a": 1.0, "b": [True]})
    ()
    >>> losses = find_losses([{"zip": "07", "n": None}], [{"zip": 7, "n": ""}])
    >>> for loss in losses:
    ...     print(loss.kind, loss.places)
    rewritten ('[].zip',)
    nulls ('[].n',)
    """
    found: dict[str, dict[str, int]] = {}

    def note(kind: str, place: str, value: Data) -> None:
        places = found.setdefault(kind, {})
        places[place] = places.get(place, 0) + (count_scalars(value) if kind == "parts" else 1)

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
    """Return the number of values that contain no others; an empty list or object counts as one.

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
    elif [*before] != [*after]:
        out("order", place or "the root", None)


def _add_missing_differences(
    missing: list[tuple[Data, Data]], extra: dict[Data, Data], place: str, out: Out
) -> None:
    """Record keys that came back as text, as the first part of dotted keys, or not at all."""
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
    """Compare a value with the values of its dotted keys; the lost nesting is already recorded."""
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
    for key, value in before.items():
        if key in group:
            _add_differences(value, group[key], names[key], out)
        elif key in heads and isinstance(value, (dict, list)):
            _add_dotted_differences(value, heads[key], names[key], out)
        elif value is None:
            out("nulls", names[key], None)
        else:
            out("parts", names[key], value)


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
    for left, right in zip(before, after, strict=False):
        _add_differences(left, right, inner, out)
    if len(before) != len(after):
        left_over = before[len(after) :] or after[len(before) :]
        out("parts", inner, left_over)


def _scalar_difference(before: Data, after: Data) -> str | None:
    """Return the kind of difference between two scalars, or None."""
    kind = type(before)
    if kind is type(after):
        if before == after:
            return "numbers" if before == 0 and _is_negative(before) != _is_negative(after) else None
        if kind is float and math.isnan(before) and math.isnan(after):
            return None
        return "text" if kind is str else "numbers" if kind in (int, float) else "types"
    if before is None:
        return "nulls"
    if kind in (int, float):
        if type(after) in (int, float):
            is_same = before == after and (before != 0 or _is_negative(before) == _is_negative(after))
            return None if is_same else "numbers"
        is_word = kind is float and not math.isfinite(before)  # NaN or infinite
        return "numbers" if after is None and is_word else "types"
    if isinstance(before, (datetime.date, datetime.time)):
        return "dates"
    if before == "" and after is None:
        return "nulls"
    is_rewritten = kind is str and not isinstance(after, (dict, list)) and scalar_text(after) != before
    return "rewritten" if is_rewritten else "types"


def _is_negative(zero: float) -> bool:
    """Whether a zero is −0.0, which some formats write as 0."""
    return math.copysign(1, zero) < 0


def _rows_of(data: dict[Data, Data]) -> tuple[Data, list[Data]] | None:
    """Return the list in an object that JSON Lines would hold, with its key; None without one."""
    try:
        return find_rows(data)
    except CannotHoldError:
        return None


def _join(place: str, key: Data) -> str:
    return f"{place}.{key_text(key)}" if place else key_text(key)
