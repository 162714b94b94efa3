"""Tables of words or characters that were learned from a text, and the file in which one keeps them.

Words are cut as the lecture's companion book does: at white space, at marks of punctuation, and at "--".
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Literal, get_args

from playground.core.errors import VocabularyFileError
from playground.files.checks import check_count, read_json, read_text, shown
from playground.files.limits import MAX_ENTRIES, MAX_TOKEN_BYTES, MAX_TOTAL_BYTES

Unit = Literal["words", "characters"]
#: What a file of a table ends in.
ENDING = ".table.json"
#: The special rows behind all others: the end of a text, and any word without a row.
END, UNKNOWN = "<|endoftext|>", "<|unk|>"
_EXPRESSIONS: dict[Unit, str] = {
    "words": r"""--|[,.:;?_!"()']|(?:(?!--)[^\s,.:;?_!"()'])+""",
    "characters": r"(?s:.)",
}
_KEYS = {"unit", "has_unknown", "rows"}


@dataclass(frozen=True, slots=True)
class WordTable:
    """A row for each distinct word or character, in sorted order.

    With `has_unknown` two special rows stand behind them, and a word without a row becomes the last.
    """

    unit: Unit
    rows: tuple[str, ...]
    has_unknown: bool = False

    @property
    def special_rows(self) -> tuple[str, ...]:
        """The special rows, if any."""
        return (END, UNKNOWN) if self.has_unknown else ()


@cache
def pattern_of(unit: Unit) -> re.Pattern[str]:
    """What is looked up, by unit; white space between words is nothing.

    >>> pattern_of("words").findall("to be--or")
    ['to', 'be', '--', 'or']
    """
    return re.compile(_EXPRESSIONS[unit])


def learn_table(texts: Iterable[str], unit: Unit, *, has_unknown: bool = False) -> WordTable:
    """The table of all that some texts hold. Raises VocabularyFileError over a limit.

    >>> learn_table(["b, a b"], "words").rows
    (',', 'a', 'b')
    >>> learn_table(["b, a b"], "characters").rows
    (' ', ',', 'a', 'b')
    """
    found = {row for text in texts for row in pattern_of(unit).findall(text)} - {END, UNKNOWN}
    return _checked(WordTable(unit, tuple(sorted(found)), has_unknown), "the table")


def write_table(table: WordTable) -> str:
    """A file that `read_table` reads, one that people can read too.

    >>> print(write_table(WordTable("characters", ("a", "b"))))
    {"unit": "characters", "has_unknown": false, "rows": [
    "a",
    "b"
    ]}
    """
    rows = ",\n".join(json.dumps(row, ensure_ascii=False) for row in table.rows)
    has_unknown = json.dumps(table.has_unknown)
    return f'{{"unit": "{table.unit}", "has_unknown": {has_unknown}, "rows": [\n{rows}\n]}}'


def read_table(raw: bytes, file_name: str) -> WordTable:
    """The table of a file. Raises VocabularyFileError."""
    document = read_json(read_text(raw, file_name), file_name)
    if set(document) != _KEYS or document["unit"] not in get_args(Unit):
        raise VocabularyFileError(
            f"{file_name} is no table of words: it needs unit, has_unknown and rows, and unit is words or "
            "characters"
        )
    rows, has_unknown = document["rows"], document["has_unknown"]
    if not isinstance(rows, list) or not isinstance(has_unknown, bool):
        raise VocabularyFileError(f"{file_name}: rows are a list, and has_unknown is true or false")
    check_count(len(rows), "rows", MAX_ENTRIES, file_name)
    unit: Unit = document["unit"]
    for number, row in enumerate(rows):
        if not isinstance(row, str) or not pattern_of(unit).fullmatch(row) or row in (END, UNKNOWN):
            raise VocabularyFileError(f"{file_name}, row {number:,}: {shown(row)} is none of the {unit}")
    if rows != sorted(set(rows)):
        raise VocabularyFileError(f"{file_name}: its rows are not in sorted order, each once")
    return _checked(WordTable(unit, tuple(rows), has_unknown), file_name)


def _checked(table: WordTable, place: str) -> WordTable:
    check_count(len(table.rows), "rows", MAX_ENTRIES, place)
    n_bytes = [len(row.encode(errors="replace")) for row in table.rows]
    check_count(max(n_bytes, default=0), "bytes in a word", MAX_TOKEN_BYTES, place)
    check_count(sum(n_bytes), "bytes in all rows", MAX_TOTAL_BYTES, place)
    if not table.rows:
        raise VocabularyFileError(f"{place} has no row; learn it from a text with {table.unit}")
    return table
