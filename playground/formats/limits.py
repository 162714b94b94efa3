"""How much data the page takes, and the iterative walks that hold it to that."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from playground.core.errors import DataSyntaxError, TextTooLongError
from playground.core.tokenizer import replace_lone_surrogates
from playground.core.wording import quoted
from playground.formats.values import Data

#: UTF-8 bytes of input, and the same in megabytes of 2^20. 1 MB goes through every format in
#: seconds, so this is the edge of patience.
MAX_INPUT_MB = 5
MAX_INPUT_BYTES = MAX_INPUT_MB << 20
#: Levels of lists and objects. Python's own literal parser stops near 200, PyYAML's writer near 300.
MAX_DEPTH = 100
#: Characters of all text plus one a value, with every YAML alias written out: what a writer would write.
MAX_EXPANDED = 10_000_000
#: Beyond this a double cannot tell neighbours apart: JavaScript and many JSON parsers round.
MAX_EXACT_INTEGER = 2**53 - 1


#: Decimal digits of an integer: Python's own limit, for more take quadratic time. Hexadecimal and base 60,
#: which TOML and YAML have, get around it when they are read.
MAX_DIGITS = 4_300
_MAX_BITS = int(MAX_DIGITS * math.log2(10))


@dataclass(frozen=True, slots=True)
class Traits:
    """What in the data needs a word; each field counts values."""

    n_big_integers: int = 0
    n_not_finite: int = 0
    n_dates: int = 0
    n_other_keys: int = 0
    n_lone_surrogates: int = 0


def check_n_bytes(n_bytes: int) -> None:
    """Raise TextTooLongError over MAX_INPUT_BYTES.

    >>> check_n_bytes(50_000_000)
    Traceback (most recent call last):
    ...
    playground.core.errors.TextTooLongError: the input has 50,000,000 bytes; at most 5,242,880 are read
    """
    if n_bytes > MAX_INPUT_BYTES:
        raise TextTooLongError(f"the input has {n_bytes:,} bytes; at most {MAX_INPUT_BYTES:,} are read")


def too_deep(line: int | None = None, column: int | None = None) -> DataSyntaxError:
    """The error for data nested too deep."""
    return DataSyntaxError(
        f"the data is nested more than {MAX_DEPTH} levels deep; flatten it to {MAX_DEPTH} or fewer",
        line=line,
        column=column,
    )


def too_many_digits(line: int | None = None, column: int | None = None) -> DataSyntaxError:
    """The error for an integer that Python will not write in decimal."""
    return DataSyntaxError(f"an integer has more than {MAX_DIGITS:,} digits", line=line, column=column)


def shortened(key: Data) -> str:
    """A key for a sentence, in quotes, and cut where it is long.

    >>> shortened("a"), shortened("b" * 1_000_000)
    ("'a'", "'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb'…")
    """
    if isinstance(key, str):
        return quoted(key, n_shown=40)
    text = repr(key)
    return text if len(text) <= 42 else f"{text[:40]}…"


_BRACKETS_AND_STRINGS = re.compile(r'"(?:[^"\\]|\\.)*+"|[\[{]|[\]}]', re.DOTALL)


def find_too_deep(text: str) -> tuple[int, int] | None:
    """Line and column, from 1, of the bracket that goes below MAX_DEPTH; strings are skipped.

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
    """Line and column of a character, both from 1.

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
    """Count what needs a word. Raises DataSyntaxError for data nested too deep, or a number too long.

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
    """The data with each lone surrogate replaced by U+FFFD, as the tokenizers read it."""
    if isinstance(data, str):
        return replace_lone_surrogates(data)
    if isinstance(data, list):
        return [without_lone_surrogates(value) for value in data]
    if isinstance(data, dict):
        return {without_lone_surrogates(k): without_lone_surrogates(v) for k, v in data.items()}
    return data
