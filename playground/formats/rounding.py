"""Notes on numbers that a double cannot hold, and so are read as others."""

import ast
import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from math import isinf

#: Numbers with at most so many characters are exact as doubles, which keep 15 digits.
_EXACT_CHARACTERS = 15
_MAX_NOTES, _MAX_SHOWN = 5, 40
#: A text without a match has no number that is rounded.
_MAY_ROUND = re.compile(r"[\d.]{16}|\d[eE]\+?\d{3}")
_STRINGS_AND_NUMBERS = re.compile(
    r""" "(?:[^"\\]|\\.)*+" | '(?:[^'\\]|\\.)*+' | //[^\n\r\u2028\u2029]*+ | /\*.*?\*/
    | (?<![\w$.]) (?P<number> (?:\d+\.?\d*|\.\d+) (?:[eE][-+]?\d+)? ) """,
    re.DOTALL | re.VERBOSE,
)


class RoundedNumbers:
    """Reads floats, and keeps a note on each of the first that are rounded or become infinite.

    >>> rounded = RoundedNumbers()
    >>> rounded.read("0.1"), rounded.read("1e400"), rounded.read("0.12345678901234567890")
    (0.1, inf, 0.12345678901234568)
    >>> print(*rounded.notes, sep="\\n")
    The number 1e400 is larger than the largest that is kept, 1.8e308: it is read as infinity.
    The number 0.12345678901234567890 has more digits than are kept: it is read as 0.12345678901234568.
    """

    def __init__(self) -> None:
        self.notes: list[str] = []

    def read(self, digits: str) -> float:
        """Return the double that is nearest to a number. Raises ValueError."""
        value = float(digits)
        self.check(digits, value)
        return value

    def check(self, digits: str, value: float) -> None:
        """Note a number that was read as this value, if it is another."""
        if len(self.notes) >= _MAX_NOTES:
            return
        shown = digits if len(digits) <= _MAX_SHOWN else f"{digits[: _MAX_SHOWN - 1]}…"
        if isinf(value):
            if any(character.isdigit() for character in digits):
                self.notes.append(
                    f"The number {shown} is larger than the largest that is kept, 1.8e308: it is read as "
                    "infinity."
                )
        elif len(digits) > _EXACT_CHARACTERS and _differs(digits, value):
            self.notes.append(f"The number {shown} has more digits than are kept: it is read as {value!r}.")


def _differs(digits: str, value: float) -> bool:
    try:
        return Decimal(digits.replace("_", "")) != Decimal(repr(value))
    except InvalidOperation:  # a number in base 60, or a word
        return False


def rounded_in_javascript(text: str) -> list[str]:
    """Return notes on the numbers of a JSON5 text.

    >>> rounded_in_javascript("{a: '1e400', b: 1e400}")
    ['The number 1e400 is larger than the largest that is kept, 1.8e308: it is read as infinity.']
    """
    found = _STRINGS_AND_NUMBERS.finditer(text) if _MAY_ROUND.search(text) else ()
    return _notes(match["number"] for match in found if match["number"])


def rounded_in_python(text: str, tree: ast.expr) -> list[str]:
    """Return notes on the numbers of a Python literal and its syntax tree.

    >>> text = "{'a': '1e400', 'b': 1e400}"
    >>> rounded_in_python(text, ast.parse(text, mode="eval").body)
    ['The number 1e400 is larger than the largest that is kept, 1.8e308: it is read as infinity.']
    """
    if not _MAY_ROUND.search(text):
        return []
    # `ast.get_source_segment` would split the whole text for each number. Columns of a tree are bytes.
    lines = [line.encode() for line in re.split("\r\n?|\n", text)]
    places = sorted(
        (node.lineno, node.col_offset, node.end_col_offset)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, float)
    )
    return _notes(lines[line - 1][start:end].decode() for line, start, end in places)


def _notes(numbers: Iterator[str]) -> list[str]:
    rounded = RoundedNumbers()
    for digits in numbers:
        if "." in digits or "e" in digits.lower():  # an integer is kept whole
            rounded.read(digits)
    return rounded.notes
