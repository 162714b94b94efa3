"""Tables of words or characters learned from a text: the tokenizer, and the file that holds a table.

Words are cut as in the lecture's companion book: at white space, at punctuation marks, and at "--".
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Literal, get_args

import numpy as np

from playground.bpe.special_tokens import encode_around_special
from playground.core.building import Given, Pretoken
from playground.core.encoding import Encoding
from playground.core.errors import VocabularyFileError
from playground.core.text_units import Positions, byte_of_characters
from playground.core.tokenizer import NO_SPECIAL, PythonProgram, replace_lone_surrogates
from playground.core.vocabulary import Ids, TableVocabulary
from playground.core.wording import counted
from playground.files.checks import check_count, read_json, read_text, shown
from playground.files.limits import MAX_ENTRIES, MAX_TOKEN_BYTES, MAX_TOTAL_BYTES
from playground.files.tokenizer_config import TokenizerConfig

Unit = Literal["words", "characters"]
#: The ending of a table's file name.
ENDING = ".table.json"
#: Special rows after all others: the end of a text, and any word without a row.
END, UNKNOWN = "<|endoftext|>", "<|unk|>"
_EXPRESSIONS: dict[Unit, str] = {
    "words": r"""--|[,.:;?_!"()']|(?:(?!--)[^\s,.:;?_!"()'])+""",
    "characters": r"(?s:.)",
}
_KEYS = {"unit", "has_unknown", "rows"}


@dataclass(frozen=True, slots=True)
class WordTable:
    """A row for each distinct word or character, in sorted order.

    With `has_unknown` two special rows follow, and a word without a row becomes the last of them.
    """

    unit: Unit
    rows: tuple[str, ...]
    has_unknown: bool = False

    @property
    def special_rows(self) -> tuple[str, ...]:
        """The special rows, or an empty tuple."""
        return (END, UNKNOWN) if self.has_unknown else ()


@cache
def pattern_of(unit: Unit) -> re.Pattern[str]:
    """Return the expression that finds the words or characters; white space between words is skipped.

    >>> pattern_of("words").findall("to be--or")
    ['to', 'be', '--', 'or']
    """
    return re.compile(_EXPRESSIONS[unit])


def learn_table(texts: Iterable[str], unit: Unit, *, has_unknown: bool = False) -> WordTable:
    """Return the table of all words or characters in texts. Raises VocabularyFileError over a limit.

    >>> learn_table(["b, a b"], "words").rows
    (',', 'a', 'b')
    >>> learn_table(["b, a b"], "characters").rows
    (' ', ',', 'a', 'b')
    """
    found = {row for text in texts for row in pattern_of(unit).findall(text)} - {END, UNKNOWN}
    return _checked(WordTable(unit, tuple(sorted(found)), has_unknown), "the table")


def write_table(table: WordTable) -> str:
    """Return the file of a table, which `read_table` and people can read.

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
    """Read the file of a table. Raises VocabularyFileError."""
    document = read_json(read_text(raw, file_name), file_name)
    if set(document) != _KEYS or document["unit"] not in get_args(Unit):
        raise VocabularyFileError(
            f"{file_name} is not a table of words: it needs unit, has_unknown and rows, and unit is words or "
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


#: Decoding puts a space between words, but not before these marks.
_BEFORE_MARK = r'\s+([,.:;?!"()\'])'
_WHY = {
    "words": "A word is looked up in the table as a whole.",
    "characters": "A character is looked up in the table.",
}
_NO_ROW = "It has no row, because it is not in the text that the table was learned from."


@dataclass(frozen=True)
class WordTableTokenizer:
    """A learned table. White space between words is lost, and so is text without a row, or becomes `<|unk|>`.

    >>> from playground.catalog.word_table import learn_table
    >>> WordTableTokenizer("mine", learn_table(["the cat, the mat"], "words")).encode("the dog, the cat")
    [3, 0, 3, 1]
    >>> WordTableTokenizer("mine", learn_table(["ab"], "words", has_unknown=True)).encode("ab ba")
    [0, 2]
    """

    name: str
    model: WordTable
    config: TokenizerConfig | None = None
    split_pattern: None = None
    merges: None = None
    safe_cut: None = None
    rest: None = None

    @cached_property
    def special_tokens(self) -> Mapping[str, int]:
        """The special rows after the words, if any."""
        first = len(self.model.rows)
        return {row: first + n for n, row in enumerate(self.model.special_rows)}

    @cached_property
    def vocabulary(self) -> TableVocabulary:
        """The rows; an id is the number of the row."""
        rows, unknown = self.model.rows, self.special_tokens.get(UNKNOWN)
        return TableVocabulary(
            self.name,
            range(len(rows)),
            [row.encode() for row in rows],
            kinds={} if unknown is None else {unknown: "unknown"},
            special_tokens=self.special_tokens,
        )

    @property
    def about(self) -> str:
        """The unit, the number of rows, and what happens to text without a row."""
        unit = self.model.unit.capitalize()
        others = f"others become {UNKNOWN}" if self.model.has_unknown else "others are lost"
        return f"{unit} of a text · {counted(len(self.vocabulary), 'token')} · {others}"

    @cached_property
    def n_bytes_held(self) -> int:
        """The approximate number of bytes of memory it takes once every page has used it."""
        return sum(600 + 4 * len(row) for row in self.model.rows)

    def encode(self, text: str, *, allowed_special: frozenset[str] = NO_SPECIAL) -> Encoding:
        """Return the rows of a text; no token covers bytes without a row."""
        return encode_around_special(self, text, allowed_special, self._encode)

    def iter_pretokens(self, text: str) -> Iterator[Pretoken]:
        """Yield the words or characters."""
        for match in pattern_of(self.model.unit).finditer(replace_lone_surrogates(text)):
            yield Pretoken(match.group(), *match.span())

    def lost(self, text: str) -> list[str]:
        """Return the words without a token, in order; empty if they become `<|unk|>`.

        >>> from playground.catalog.word_table import learn_table
        >>> WordTableTokenizer("mine", learn_table(["the cat"], "words")).lost("the dog and the cat")
        ['dog', 'and']
        """
        if self.model.has_unknown:
            return []
        return [found.text for found in self.iter_pretokens(text) if found.text not in self._row_of]

    def build(self, pretoken: Pretoken) -> Given:
        """Return the row of a word, which has no inner structure, or no token."""
        row = self._row_of.get(pretoken.text)
        if row is not None:
            return Given((row,), _WHY[self.model.unit])
        unknown = self.special_tokens.get(UNKNOWN)
        return Given((), _NO_ROW) if unknown is None else Given((unknown,), f"{_NO_ROW} So it is {UNKNOWN}.")

    def decode(self, ids: Iterable[int]) -> str:
        """Return words joined by spaces (none before a mark), or characters. Raises UnknownTokenError."""
        rows = [self.vocabulary.raw_of(token_id).decode() for token_id in ids]
        return (
            "".join(rows) if self.model.unit == "characters" else re.sub(_BEFORE_MARK, r"\1", " ".join(rows))
        )

    def python_program(self) -> PythonProgram:
        """Return plain Python that reads the table's file."""
        pattern = pattern_of(self.model.unit).pattern
        setup = (
            "# Its table is the file that was learned.\nimport json\nimport re\n\n"
            f'with open("{self.name}{ENDING}", encoding="utf-8") as file:\n'
            f'    words = json.load(file)["rows"] + {list(self.model.special_rows)!r}\n'
            "rows = {word: row for row, word in enumerate(words)}\n"
            f"pattern = re.compile({pattern!r})\n"
        )
        found = "pattern.findall(text)"
        unknown = self.special_tokens.get(UNKNOWN)
        if unknown is None:
            encode = f"[rows[word] for word in {found} if word in rows]"
        else:
            encode = f"[rows.get(word, {unknown}) for word in {found}]"
        joined = "[words[row] for row in ids]"
        if self.model.unit == "characters":
            return PythonProgram(setup, encode, f'"".join({joined})')
        return PythonProgram(setup, encode, f're.sub({_BEFORE_MARK!r}, r"\\1", " ".join({joined}))')

    def _encode(self, text: str) -> Encoding:
        unknown = self.special_tokens.get(UNKNOWN, -1)
        matches = [*pattern_of(self.model.unit).finditer(text)]
        ids = np.array([self._row_of.get(match.group(), unknown) for match in matches], np.int64)
        spans = np.array([match.span() for match in matches], np.int64).reshape(-1, 2)
        has_row = ids >= 0
        found, spans = ids[has_row].astype(np.uint32), spans[has_row]
        source = text.encode()
        if b"".join(self.vocabulary.raws_of(found)) == source:
            return Encoding.tiling(text, found, self._n_bytes_of)
        if len(source) != len(text):
            spans = byte_of_characters(text)[spans]
        return Encoding(text, found, spans[:, 0], spans[:, 1])

    @cached_property
    def _row_of(self) -> dict[str, int]:
        return {word: row for row, word in enumerate(self.model.rows)}

    def _n_bytes_of(self, ids: Ids) -> Positions:
        return self.vocabulary.n_bytes_of(ids)
