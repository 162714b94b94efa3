"""Limits of the data: of the input, and of what a format would write, known before it is written.

Some formats repeat: indentation for each value, the path of each value, a cell for each row and column. There
kilobytes of input can become gigabytes. All walks here are iterative.
"""

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from playground.core.errors import CannotHoldError, DataSyntaxError, TextTooLongError
from playground.core.tokenizer import replace_lone_surrogates
from playground.core.wording import quoted
from playground.formats.values import Data, WriteOptions, key_text

#: Bytes of input on the page, where a megabyte takes seconds in all formats, and in a shell.
MAX_INPUT_BYTES, MAX_SHELL_BYTES = 1_000_000, 5_000_000
#: Levels of lists and objects. Python's own literal parser stops near 200, PyYAML's writer near 300.
MAX_DEPTH = 100
#: Characters of all texts, plus one for each value, with every YAML alias written out.
MAX_EXPANDED = 10_000_000
#: Larger integers are rounded by JavaScript and many JSON parsers, which read them as doubles.
MAX_EXACT_INTEGER = 2**53 - 1


#: Decimal digits of an integer: Python's own limit, as converting them takes quadratic time. Integers in base
#: 16 and 60, which TOML and YAML have, are not limited by Python.
MAX_DIGITS = 4_300
_MAX_BITS = int(MAX_DIGITS * math.log2(10))


@dataclass(frozen=True, slots=True)
class Traits:
    """Numbers of values that other software may read differently."""

    n_big_integers: int = 0
    n_not_finite: int = 0
    n_dates: int = 0
    n_other_keys: int = 0
    n_lone_surrogates: int = 0


def check_n_bytes(source: str | bytes, max_bytes: int = MAX_INPUT_BYTES) -> None:
    """Raise TextTooLongError for a longer source.

    >>> check_n_bytes(b" " * 5_000_000)
    Traceback (most recent call last):
    ...
    playground.core.errors.TextTooLongError: the input has 5,000,000 bytes; at most 1,000,000 are read
    """
    n_bytes = len(source) if isinstance(source, bytes) else len(source.encode(errors="surrogatepass"))
    if n_bytes > max_bytes:
        raise TextTooLongError(f"the input has {n_bytes:,} bytes; at most {max_bytes:,} are read")


def too_deep(line: int | None = None, column: int | None = None) -> DataSyntaxError:
    """Return the error for data that is nested too deep."""
    return DataSyntaxError(
        f"the data is nested more than {MAX_DEPTH} levels deep; flatten it to {MAX_DEPTH} or fewer",
        line=line,
        column=column,
    )


def too_many_digits(line: int | None = None, column: int | None = None) -> DataSyntaxError:
    """Return the error for an integer with too many digits for Python to write."""
    return DataSyntaxError(f"an integer has more than {MAX_DIGITS:,} digits", line=line, column=column)


def shortened(key: Data) -> str:
    """Return a key for a message: in quotes, and shortened if it is long.

    >>> shortened("a"), shortened("b" * 1_000_000)
    ("'a'", "'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb'…")
    """
    if isinstance(key, str):
        return quoted(key, n_shown=40)
    text = repr(key)
    return text if len(text) <= 42 else f"{text[:40]}…"


_BRACKETS_AND_STRINGS = re.compile(r'"(?:[^"\\]|\\.)*+"|[\[{]|[\]}]', re.DOTALL)


def find_too_deep(text: str) -> tuple[int, int] | None:
    """Return line and column, from 1, of the bracket that exceeds MAX_DEPTH, outside of strings, or None.

    >>> find_too_deep("[" * 99), find_too_deep("[\\n" * 101)
    (None, (101, 1))
    """
    depth = 0
    for match in _BRACKETS_AND_STRINGS.finditer(text):
        if match[0] in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                return line_and_column(text, match.start())
        elif match[0] in "]}":
            depth -= 1
    return None


def line_and_column(text: str, position: int) -> tuple[int, int]:
    """Return line and column of a character, both from 1.

    >>> line_and_column("ab\\ncd", 4)
    (2, 2)
    """
    return text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position)


def iter_values(data: Data) -> Iterator[tuple[Data, int, bool]]:
    """Yield `(value, depth, is_key)` of everything in the data, without recursion.

    >>> list(iter_values({"a": [1]}))
    [({'a': [1]}, 1, False), ('a', 1, True), ([1], 2, False), (1, 2, False)]
    """
    stack: list[tuple[Data, int]] = [(data, 0)]
    while stack:
        value, depth = stack.pop()
        if isinstance(value, dict):
            yield value, depth + 1, False
            for key in value:
                yield key, depth + 1, True
            stack.extend((child, depth + 1) for child in reversed(value.values()))
        elif isinstance(value, list):
            yield value, depth + 1, False
            stack.extend((child, depth + 1) for child in reversed(value))
        else:
            yield value, depth, False


def find_traits(data: Data) -> Traits:
    """Count values that deserve a note. Raises DataSyntaxError for too deep data and too long numbers.

    >>> find_traits({"id": 2**60, 1: float("nan")})
    Traits(n_big_integers=1, n_not_finite=1, n_dates=0, n_other_keys=1, n_lone_surrogates=0)
    """
    big = not_finite = dates = other_keys = surrogates = deepest = 0
    level: list[Data] = [[data]]  # the lists and objects of one depth
    while level:
        below: list[Data] = []
        for container in level:
            values = container
            if isinstance(container, dict):
                for key in container:
                    if type(key) is not str:
                        other_keys += 1
                        _check_integer(key)
                    elif not key.isascii():
                        surrogates += replace_lone_surrogates(key) != key
                values = container.values()
            for value in values:
                kind = type(value)
                if kind is str:
                    if not value.isascii():
                        surrogates += replace_lone_surrogates(value) != value
                elif kind is dict or kind is list:
                    below.append(value)
                elif kind is int:
                    _check_integer(value)
                    big += abs(value) > MAX_EXACT_INTEGER
                elif kind is float:
                    not_finite += not math.isfinite(value)
                elif kind is not bool and value is not None:
                    dates += 1
        if below:
            deepest += 1
            if deepest > MAX_DEPTH:
                raise too_deep()
        level = below
    return Traits(big, not_finite, dates, other_keys, surrogates)


def _check_integer(value: Data) -> None:
    if type(value) is int and value.bit_length() > _MAX_BITS:
        raise too_many_digits()


def without_lone_surrogates(data: Data) -> Data:
    """Return the data with each lone surrogate replaced by U+FFFD, as tokenizers read it."""
    if isinstance(data, str):
        return replace_lone_surrogates(data)
    if isinstance(data, list):
        return [without_lone_surrogates(value) for value in data]
    if isinstance(data, dict):
        return {without_lone_surrogates(k): without_lone_surrogates(v) for k, v in data.items()}
    return data


#: Characters of a converted text. 1 MB of input has fewer in any format that suits the data.
MAX_TEXT_CHARACTERS = 20_000_000
#: Most columns of a table, and most cells including empty ones; pandas takes a second for that many columns.
MAX_COLUMNS, MAX_CELLS = 2_000, 3_000_000
#: Most cells per filled cell, in a table of more than MAX_SPARSE_CELLS.
MAX_CELLS_PER_FILLED, MAX_SPARSE_CELLS = 20, 50_000
#: Characters of a column's name, which is the path of its values.
MAX_NAME_CHARACTERS = 10_000


class Size(NamedTuple):
    """How much a format may repeat: the sums of the depths of all values and of their paths' lengths."""

    n_levels: int
    n_path_characters: int


def size_of(data: Data) -> Size:
    """Return the size of data.

    >>> size_of({"a": {"b": [1, 2]}})
    Size(n_levels=9, n_path_characters=12)
    """
    n_levels = n_characters = 0
    stack: list[tuple[Data, int, int]] = [(data, 0, 0)]
    while stack:
        value, depth, length = stack.pop()
        depth += 1
        if isinstance(value, dict):
            for key, child in value.items():
                name_length = length + 1 + (len(key) if type(key) is str else len(key_text(key)))
                if isinstance(child, (dict, list)) and child:
                    stack.append((child, depth, name_length))
                else:
                    n_characters += name_length
            n_levels += depth * len(value)
        elif isinstance(value, list):
            digits = len(str(len(value)))
            for child in value:
                if isinstance(child, (dict, list)) and child:
                    stack.append((child, depth, length + 1 + digits))
                else:
                    n_characters += length + 1 + digits
            n_levels += depth * len(value)
    return Size(n_levels, n_characters)


def check_size(size: Size, grows_by: Iterable[str], options: WriteOptions) -> None:
    """Raise CannotHoldError if indentation or paths alone exceed MAX_TEXT_CHARACTERS."""
    repeated = {"indent": size.n_levels * options.indent, "path": size.n_path_characters}
    names = {"indent": "indentation", "path": "paths"}
    for what in grows_by:
        if repeated[what] > MAX_TEXT_CHARACTERS:
            raise CannotHoldError(
                f"its {names[what]} alone would take {repeated[what]:,} characters; "
                f"at most {MAX_TEXT_CHARACTERS:,} are written"
            )


def check_n_characters(n_characters: int) -> None:
    """Raise CannotHoldError for a text of more than MAX_TEXT_CHARACTERS."""
    if n_characters > MAX_TEXT_CHARACTERS:
        raise CannotHoldError(f"it has {n_characters:,} characters; at most {MAX_TEXT_CHARACTERS:,} are kept")


def check_table(n_rows: int, n_columns: int, n_filled: int) -> None:
    """Raise CannotHoldError for a table that is too wide, too large, or nearly empty.

    >>> check_table(3_000, 3_000, 9_000_000)
    Traceback (most recent call last):
    ...
    playground.core.errors.CannotHoldError: a table of this data has 3,000 columns; at most 2,000 are written
    """
    if n_columns > MAX_COLUMNS:
        raise CannotHoldError(
            f"a table of this data has {n_columns:,} columns; at most {MAX_COLUMNS:,} are written"
        )
    n_cells = n_rows * n_columns
    if n_cells > MAX_CELLS or (n_cells > MAX_SPARSE_CELLS and n_cells > MAX_CELLS_PER_FILLED * n_filled):
        raise CannotHoldError(
            f"a table of this data has {n_rows:,} rows and {n_columns:,} columns, and fills {n_filled:,} of "
            f"its {n_cells:,} cells; at most {MAX_CELLS:,} are written, and {MAX_CELLS_PER_FILLED} for one "
            "that is filled"
        )
