"""Words or characters of a table that was learned from a text: looked up whole, with nothing inside.

The file of a table is `files.word_table`'s business.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from playground.bpe.special_tokens import encode_around_special
from playground.core.building import Given, Pretoken
from playground.core.encoding import Encoding
from playground.core.text_units import Positions, byte_of_characters
from playground.core.tokenizer import NO_SPECIAL, PythonProgram, replace_lone_surrogates
from playground.core.vocabulary import Ids, TableVocabulary
from playground.core.wording import counted
from playground.files.tokenizer_config import TokenizerConfig
from playground.files.word_table import ENDING, UNKNOWN, WordTable, pattern_of

#: A decoder puts a space between words, and none before these marks.
_BEFORE_MARK = r'\s+([,.:;?!"()\'])'
_WHY = {
    "words": "A word is looked up in the table as a whole.",
    "characters": "A character is looked up in the table.",
}
_NO_ROW = "It has no row: the text from which the table was learned does not have it."


@dataclass(frozen=True)
class WordTableTokenizer:
    """A learned table. Of words the white space is lost; what has no row is lost too, or becomes `<|unk|>`.

    >>> from playground.files.word_table import learn_table
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
        """The rows behind the words, where there are any."""
        first = len(self.model.rows)
        return {row: first + n for n, row in enumerate(self.model.special_rows)}

    @cached_property
    def vocabulary(self) -> TableVocabulary:
        """Its rows; the id is the number of the row."""
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
        """Its unit, its number of rows, and what becomes of others."""
        unit = self.model.unit.capitalize()
        others = f"others become {UNKNOWN}" if self.model.has_unknown else "others are lost"
        return f"{unit} of a text · {counted(len(self.vocabulary), 'token')} · {others}"

    @cached_property
    def n_bytes_held(self) -> int:
        """About how many bytes of memory it takes once every page has used it."""
        return sum(600 + 4 * len(row) for row in self.model.rows)

    def encode(self, text: str, *, allowed_special: frozenset[str] = NO_SPECIAL) -> Encoding:
        """The rows of a text; bytes that have none are covered by no token."""
        return encode_around_special(self, text, allowed_special, self._encode)

    def iter_pretokens(self, text: str) -> Iterator[Pretoken]:
        """Yield what is looked up."""
        for match in pattern_of(self.model.unit).finditer(replace_lone_surrogates(text)):
            yield Pretoken(match.group(), *match.span())

    def lost(self, text: str) -> list[str]:
        """What of a text is no token, in order; nothing where it becomes `<|unk|>`.

        >>> from playground.files.word_table import learn_table
        >>> WordTableTokenizer("mine", learn_table(["the cat"], "words")).lost("the dog and the cat")
        ['dog', 'and']
        """
        if self.model.has_unknown:
            return []
        return [found.text for found in self.iter_pretokens(text) if found.text not in self._row_of]

    def build(self, pretoken: Pretoken) -> Given:
        """A row, which has nothing inside; or none."""
        row = self._row_of.get(pretoken.text)
        if row is not None:
            return Given((row,), _WHY[self.model.unit])
        unknown = self.special_tokens.get(UNKNOWN)
        return Given((), _NO_ROW) if unknown is None else Given((unknown,), f"{_NO_ROW} So it is {UNKNOWN}.")

    def decode(self, ids: Iterable[int]) -> str:
        """Words with a space between them and none before a mark, or characters. Raises UnknownTokenError."""
        rows = [self.vocabulary.raw_of(token_id).decode() for token_id in ids]
        return (
            "".join(rows) if self.model.unit == "characters" else re.sub(_BEFORE_MARK, r"\1", " ".join(rows))
        )

    def python_program(self) -> PythonProgram:
        """The table's file in plain Python."""
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
