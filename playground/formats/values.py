"""Types of this package: data, formats, conversions, losses and options."""

import datetime
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

#: Any value of an input format: null, booleans, numbers, text, dates, lists and objects. A recursive alias
#: would slow mypy down.
Data = Any

Role = Literal["keys", "values", "punctuation", "whitespace"]
ROLES: tuple[Role, ...] = ("keys", "values", "punctuation", "whitespace")

Fidelity = Literal["equal", "lossy", "cannot"]


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """Options for writing data, where a format allows a choice.

    `indent` is in spaces, for formats that have no number in their name. `is_minified` removes optional white
    space. `is_ascii` escapes other characters, if the format has escapes.
    """

    is_sorted: bool = False
    is_ascii: bool = False
    is_minified: bool = False
    has_trailing_newline: bool = False
    indent: int = 2


@dataclass(frozen=True, slots=True)
class Loss:
    """One kind of loss in a round trip; `places` are paths such as `users[].zip`.

    types: a value of another type · rewritten: a text read as a value that is written differently, 007 as 7 ·
    nulls: null, missing and empty not told apart · nesting: objects or lists flattened or as text · dates: as
    text · numbers: another value · text: other characters · names: keys added, left out or respelled · parts:
    left out, where `n_values` counts each scalar · order: keys in another order, which changes no value,
    so data with this loss alone is equal.

    `readers` names the readers that lose it, if the format is checked with several.
    """

    kind: Literal[
        "types", "rewritten", "nulls", "nesting", "dates", "numbers", "text", "names", "parts", "order"
    ]  # fmt: skip
    places: tuple[str, ...]
    n_places: int
    n_values: int
    readers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Conversion:
    """The data in one format, and what was lost when it was read back.

    If the format cannot hold the data, `text` is None and `reason` says why; `is_over_limit` then means that
    a limit of time or memory was exceeded. `part_left_out` is the part of the scalars, from 0 to 1, missing
    in the text.
    """

    format_name: str
    text: str | None
    fidelity: Fidelity
    losses: tuple[Loss, ...] = ()
    reason: str = ""
    part_left_out: float = 0.0
    is_over_limit: bool = False

    @property
    def n_bytes(self) -> int | None:
        """The length of the text in UTF-8 bytes, or None without a text."""
        if self.text is None:
            return None
        return len(self.text) if self.text.isascii() else len(self.text.encode())


@dataclass(frozen=True, slots=True)
class Format:
    """One way to write data.

    `write` raises CannotHoldError. `read` is the format's own parser, `read_otherwise` a second one that
    guesses more types, and `readers` names both: data is equal only if both return it. `iter_roles` yields
    `(start, end, role)` of the character spans of keys and values in order; the rest is white space or
    punctuation. `grows_by` names what the format repeats.
    """

    name: str
    label: str
    suffix: str
    write: Callable[[Data, WriteOptions], str]
    read: Callable[[str], Data]
    iter_roles: Callable[[str], Iterator[tuple[int, int, Role]]]
    read_otherwise: Callable[[str], Data] | None = None
    readers: tuple[str, ...] = ()
    grows_by: tuple[Literal["indent", "path"], ...] = ()


def key_text(key: Data) -> str:
    """Return a key as text, as JSON writes the value.

    >>> [key_text(key) for key in ("a", 1, True, None)]
    ['a', '1', 'true', 'null']
    """
    if isinstance(key, str):
        return key
    return key.isoformat() if isinstance(key, (datetime.date, datetime.time)) else json.dumps(key)


def scalar_text(value: Data) -> str:
    """Return a scalar as text, for a format that has only text.

    >>> scalar_text(True), scalar_text(None), scalar_text(1.50)
    ('true', '', '1.5')
    """
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case str():
            return value
        case datetime.date() | datetime.time():
            return value.isoformat()
        case _:
            return repr(value)
