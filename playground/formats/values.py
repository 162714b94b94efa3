"""What the formats work with: data, a format, a conversion and what it lost; converts nothing itself."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

#: Any value that one of the input formats can spell: null, booleans, numbers, text, dates, lists, objects.
#: Recursive aliases cost mypy more than they tell a reader.
Data = Any

Role = Literal["keys", "values", "punctuation", "whitespace"]
ROLES: tuple[Role, ...] = ("keys", "values", "punctuation", "whitespace")

Fidelity = Literal["equal", "lossy", "cannot"]


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """How to write data, where a format leaves a choice.

    `indent` is in spaces, for formats that indent and do not carry the number in their name. `is_minified`
    drops every space that a format lets go. `is_ascii` escapes other characters where a format has escapes.
    """

    is_sorted: bool = False
    is_ascii: bool = False
    is_minified: bool = False
    has_trailing_newline: bool = False
    indent: int = 2


@dataclass(frozen=True, slots=True)
class Loss:
    """One kind of thing that a round trip did not bring back; `places` are paths such as `users[].zip`.

    types: a value of another type · nulls: null, missing and empty not told apart · nesting: objects or lists
    flattened or as text · dates: as text · numbers: another value · text: other characters ·
    names: keys added, left out or respelled · parts: left out, where `n_values` counts each scalar.
    """

    kind: Literal["types", "nulls", "nesting", "dates", "numbers", "text", "names", "parts"]
    places: tuple[str, ...]
    n_places: int
    n_values: int


@dataclass(frozen=True, slots=True)
class Conversion:
    """The data in one format, and what came back when it was read again.

    `text` is None, and `reason` says why, where the format cannot hold the data. `part_left_out` is how much
    of the data's scalars, at most 1, is not in the text at all. `is_over_limit` tells a format that was not
    done in the time or memory there is from one that cannot hold the data.
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
        """Length of the text in UTF-8 bytes."""
        if self.text is None:
            return None
        return len(self.text) if self.text.isascii() else len(self.text.encode())


class RowFrame(NamedTuple):
    """Where the rows of a list of objects at the root stand: `head` is a pattern, the others are texts.

    A row that `is_read_alone` means the same among any others; the types of a table are its columns'.

    >>> RowFrame(r"\\[\\{", "},{", "}]").split("[{a:1},{a:2}]")
    ('[{', ['a:1', 'a:2'], '}]')
    """

    head: str
    separator: str
    tail: str
    is_read_alone: bool = True

    def split(self, text: str) -> tuple[str, list[str], str] | None:
        """Head, rows and tail; None where the text begins or ends in another way, or tells of other rows."""
        head = re.match(self.head, text)
        tail = self.tail + "\n" if self.tail and text.endswith("\n") else self.tail
        if head is None or not text.endswith(tail):
            return None
        rows = text[head.end() : len(text) - len(tail)].split(self.separator)
        count = _COUNT.search(head[0])
        return None if count and count[0] != str(len(rows)) else (head[0], rows, tail)

    def join(self, head: str, rows: Sequence[str], tail: str) -> str:
        """The text of other rows."""
        return f"{_COUNT.sub(str(len(rows)), head)}{self.separator.join(rows)}{tail}"


#: The number of rows, which TOON writes before them.
_COUNT = re.compile(r"(?<=\A\[)\d+(?=\])")


@dataclass(frozen=True, slots=True)
class Format:
    """One way to write data.

    `write` raises CannotHoldError; `read` is the format's own parser, which knows nothing of the original;
    `read_otherwise` is another that guesses more, and what is equal is equal for both; `iter_roles` yields
    `(start, end, role)` of character spans in order, and what it leaves out is white space or punctuation by
    its characters. `grows_by` names what it repeats. `row_frames` tells where the rows of a list of objects
    stand, in any of the layouts that the format has for them; a format without any has no such places.
    """

    name: str
    label: str
    suffix: str
    write: Callable[[Data, WriteOptions], str]
    read: Callable[[str], Data]
    iter_roles: Callable[[str], Iterator[tuple[int, int, Role]]]
    read_otherwise: Callable[[str], Data] | None = None
    grows_by: tuple[Literal["indent", "path"], ...] = ()
    row_frames: Callable[[WriteOptions], tuple[RowFrame, ...]] = lambda _options: ()
