"""Read pasted ids in any common notation, and look up their bytes."""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain

import regex

from playground.core.errors import InvalidInputError, TextTooLongError, UnknownTokenError
from playground.core.tokenizer import Tokenizer

MAX_IDS = 1_000_000
MAX_DECODED_BYTES = 1_000_000
#: More than any id has; int() of a huge number would take quadratic time.
_MAX_DIGITS = 12
_SEPARATORS = regex.compile(r"[\s,;\[\](){}]+")


@dataclass(frozen=True, slots=True)
class DecodedIds:
    """Ids and their bytes; `lengths` has the bytes of each id, and `raw` need not be valid UTF-8."""

    ids: tuple[int, ...]
    lengths: tuple[int, ...]
    raw: bytes


def parse_ids(text: str, *, max_ids: int | None = MAX_IDS) -> list[int]:
    """Read ids in any notation that libraries print; no limit if `max_ids` is None.

    Lists with or without brackets and commas, `tensor(…)` and `array(…)`, objects with a list "input_ids",
    "ids", "token_ids" or "tokens", and tables with such a column are read.

    >>> parse_ids("[15496, 995]"), parse_ids("tensor([[15496, 995]], device='cuda:0')"), parse_ids(" ")
    ([15496, 995], [15496, 995], [])
    >>> parse_ids("{'input_ids': [15496, 995], 'attention_mask': [1, 1]}")
    [15496, 995]
    >>> parse_ids("      id  token\\n0  15496  Hello\\n1    995  world")
    [15496, 995]

    Raises InvalidInputError, which names the first thing that is not an id with its line and column, and
    TextTooLongError for more than `max_ids`.
    """
    ids: list[int] = []
    for start, word in _iter_id_words(text):
        if not (word.isascii() and word.isdigit() and len(word) <= _MAX_DIGITS):
            raise _not_an_id(text, start, word)
        if len(ids) == max_ids:
            raise TextTooLongError(f"too many ids; the limit is {max_ids:,}")
        ids.append(int(word))
    return ids


def _not_an_id(text: str, start: int, word: str) -> InvalidInputError:
    line, column = text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start)
    if word in ("...", "..", "…"):
        problem = "stands for ids that were not printed; print all of them"
    else:
        problem = "is not an id; ids are whole numbers from 0, such as 15496, 995 or [15496, 995]"
    shown = word if len(word) <= 20 else f"{word[:20]}…"
    return InvalidInputError(f"“{shown}” (line {line:,}, column {column:,}) {problem}")


def _iter_id_words(text: str) -> Iterator[tuple[int, str]]:
    """Yield the words that should be ids, each with its position."""
    span = _named_list(text) or _printed_list(text)
    if span:
        yield from _iter_words(text, *span)
        return
    records = [*_RECORD.finditer(text)] if any(mark in text for mark in "{(") else []
    if records:  # rows as objects
        yield from ((found.start(1), found[1]) for found in records)
        return
    table = _table_words(text)
    yield from table if table is not None else _iter_words(text, 0, len(text))


_NAMES = ("input_ids", "ids", "token_ids", "tokens")
_NAMED = regex.compile(
    r"""(?<![\w"'])["']?(?P<name>input_ids|token_ids|ids|tokens)["']?\s*[:=]\s*(?=[\[(]|\w*[tT]ensor\(|\w*\.?array\()"""
)
_RECORD = regex.compile(r"""(?<![\w"'])["']?(?:token_?)?id["']?\s*[:=]\s*([^\s,})]+)""")
_PRINTED = regex.compile(r"(?:\b|\.)(?:[tT]ensor|array)\(\s*(?=\[)")
#: A number of NumPy in a list, such as np.int64(995).
_NUMPY = regex.compile(r"\b(?:np|numpy)\.u?int\d+\((\d+)\)")
_STRING = regex.compile(r'"(?:[^"\\\n]|\\.)*+"|\'(?:[^\'\\\n]|\\.)*+\'')


def _named_list(text: str) -> tuple[int, int] | None:
    """Return the span of the list called "input_ids" or the like, in JSON, Python or a printed object."""
    if not any(name in text for name in _NAMES):
        return None
    strings = [found.span() for found in _STRING.finditer(text)]
    starts = [start for start, _ in strings]
    found_of: dict[str, int] = {}
    for found in _NAMED.finditer(text):
        before = bisect_left(starts, found.start()) - 1
        if before < 0 or strings[before][1] <= found.start():  # not within a text in quotes
            found_of.setdefault(found["name"], found.end())
    for name in _NAMES:
        if name in found_of:
            return _bracket_span(text, found_of[name])
    return None


def _printed_list(text: str) -> tuple[int, int] | None:
    found = _PRINTED.search(text)
    return _bracket_span(text, found.end()) if found else None


def _bracket_span(text: str, start: int) -> tuple[int, int] | None:
    """Return the span of the first list in brackets from a place on; None if it is never closed."""
    opened = min((place for mark in "[(" if (place := text.find(mark, start)) != -1), default=-1)
    if opened == -1:
        return None
    if text[opened] == "(" and "[" in text[opened : opened + 3]:
        opened = text.index("[", opened)
    depth = 0
    for found in regex.finditer(r"[\[\]()]", text, pos=opened):
        depth += 1 if found[0] in "[(" else -1
        if depth == 0:
            return opened, found.end()
    return None


def _iter_words(text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    """Yield the words between separators; `np.int64(995)` counts as 995."""
    part = text[start:end]
    if "np." in part or "numpy." in part:
        part = _NUMPY.sub(lambda found: found[1].rjust(len(found[0])), part)
    place = 0
    for separator in chain(_SEPARATORS.finditer(part), [None]):
        stop = len(part) if separator is None else separator.start()
        if stop > place:
            yield start + place, part[place:stop]
        place = len(part) if separator is None else separator.end()


_HEADER = regex.compile(r"(?i)(?<!\w)(?:token[ _]?ids?|input_?ids?|ids?)(?!\w)")
#: Lines of a table without ids: rules, types of columns, and what pandas prints below.
_NO_ROW = regex.compile(
    r"[\s|+\-=:─│┼═╪╞╡┌┐└┘├┤┬┴╌┆]*|\[\d+ rows x \d+ columns\]|Name: .*|.*\bdtype: \w+|shape: \(.*\)"
    r"|[\s│┆|]*(?:(?:[iu]\d+|str)[\s│┆|]*)+"
)


def _table_words(text: str) -> Iterator[tuple[int, str]] | None:
    """Return the words in the column of ids of a printed table, Markdown, CSV or a pandas Series."""
    lines = text.splitlines(keepends=True)
    if len(lines) < 2:
        return None
    if regex.search(r"\bdtype: u?int\d+\s*$", text) and not _HEADER.search(lines[0]):
        return _iter_cells(lines, 0, _last_word)
    for index, line in enumerate(lines[:5]):
        header = _HEADER.search(line)
        if header is None or any(mark in line for mark in "[{:="):
            continue
        mark = next((mark for mark in "|│┆\t,;" if mark in line), None)
        if mark is None:
            find = partial(_word_below, start=header.start(), end=header.end())
        else:
            marks = "│┆" if mark in "│┆" else mark
            n_before = sum(line.count(each, 0, header.start()) for each in marks)
            find = partial(_cell, marks=marks, n_before=n_before)
        return _iter_cells(lines, index + 1, find)
    return None


def _iter_cells(
    lines: Sequence[str], first: int, find: Callable[[str], tuple[int, str]]
) -> Iterator[tuple[int, str]]:
    start = sum(map(len, lines[:first]))
    for line in lines[first:]:
        if not _NO_ROW.fullmatch(line.rstrip()):
            place, word = find(line)
            yield start + place, word
        start += len(line)


def _last_word(line: str) -> tuple[int, str]:
    word = line.split()[-1]
    return line.rindex(word), word


def _word_below(row: str, start: int, end: int) -> tuple[int, str]:
    """Return the word that stands below a header, which pandas aligns at its right."""
    words = [(found.start(), found[0]) for found in regex.finditer(r"\S+", row)]
    below = [(place, word) for place, word in words if place < end and place + len(word) > start]
    return below[-1] if below else (0, row.strip()[:20])


def _cell(row: str, marks: str, n_before: int) -> tuple[int, str]:
    bounds = [0, *(place + 1 for place, mark in enumerate(row) if mark in marks), len(row) + 1]
    if n_before + 1 >= len(bounds):
        return 0, row.strip()[:20]
    cell = row[bounds[n_before] : bounds[n_before + 1] - 1]
    word = cell.strip().strip("\"'")
    return bounds[n_before] + (cell.find(word) if word else 0), word


def decode_ids(tokenizer: Tokenizer, ids: Sequence[int]) -> DecodedIds:
    """Look up the bytes of ids.

    >>> from playground.catalog.registry import get_tokenizer
    >>> decode_ids(get_tokenizer("gpt2"), [15496, 995])
    DecodedIds(ids=(15496, 995), lengths=(5, 6), raw=b'Hello world')

    Raises UnknownTokenError, which names the id, its place and what is valid, and TextTooLongError for more
    than MAX_DECODED_BYTES.
    """
    raw_of: dict[int, bytes] = {}
    for place, token_id in enumerate(ids, start=1):
        if token_id not in raw_of:
            try:
                raw_of[token_id] = tokenizer.vocabulary.raw_of(token_id)
            except UnknownTokenError as error:
                raise UnknownTokenError(f"{error} (number {place:,} in your list)") from None
    raws = [raw_of[token_id] for token_id in ids]
    lengths = tuple(map(len, raws))
    if sum(lengths) > MAX_DECODED_BYTES:
        raise TextTooLongError(f"these ids have {sum(lengths):,} bytes; the limit is {MAX_DECODED_BYTES:,}")
    return DecodedIds(tuple(ids), lengths, b"".join(raws))
