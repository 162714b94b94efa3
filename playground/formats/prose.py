"""Tell prose that happens to be valid YAML from data, by its form.

The rules have no list of words, so they work in any language that puts spaces between words.
"""

import re
from collections.abc import Iterator
from itertools import islice

from playground.formats.values import Data

_MIN_WORDS, _MIN_SMALL_WORDS = 4, 3
_N_ENTRIES_SEEN = 200
#: A word: letters of any script, without the digits, slashes, dots and underscores of code.
_WORD = re.compile(
    r"""["'(*`]*+[A-Za-z\x80-\U0010ffff]++(?:['-][A-Za-z\x80-\U0010ffff]++)*+["')*`.,;:!?]*+""", re.ASCII
)
#: In a key of one word: signs of an identifier, which the name of a person does not have.
_CODE_IN_NAME = re.compile(r"^\W|_|[a-z][A-Z]")
#: The start of a line of YAML: an item, a document, a comment, or a short name with a colon (not * and >).
_YAML_MARK = re.compile(r"\s*(?:- \S|---|#|[\w.\"'-]+:(?:\s|$)|[\[{&!|])")
#: A document marker, or a value that is quoted, a block or in brackets.
_EXPLICIT = re.compile(r"\A---|(?:\A|^- |: )[ \t]*[\"'|>\[{&!]", re.MULTILINE)
#: A comma directly before a character, which is common in tables and rare in sentences.
_COMMA_IN_WORDS = re.compile(r",\S")


def is_prose(text: str, data: Data | None = None) -> bool:
    """Whether a text that was detected as YAML is prose.

    `data` is what the text reads as, None if it is not valid YAML. Prose is a single plain text; or a flat
    list or object most of whose entries are sentences, where no key is an identifier and no value is quoted,
    a number or nested. Only the first entries are examined; a text that is not valid YAML is judged by its
    lines.

    >>> is_prose("Dear Ada: I hope you are well.", {"Dear Ada": "I hope you are well."})
    True
    >>> is_prose("greeting: I hope you are well.", {"greeting": "I hope you are well."})
    False
    >>> is_prose("Dear all,\\nnote: it is at noon.\\nYours"), is_prose("at: noon\\nwho: [all\\nof you")
    (True, False)
    """
    if len(text.split(maxsplit=_MIN_WORDS)) < _MIN_WORDS:
        return False
    if data is None:
        return _is_prose_of_lines([line for line in text.splitlines() if line.strip()])
    if _EXPLICIT.search(text):
        return False
    if isinstance(data, str):
        return True
    if not isinstance(data, (dict, list)):
        return False
    entries = [*islice(_iter_entries(data), _N_ENTRIES_SEEN)]
    if any(not isinstance(part, str) for entry in entries for part in entry):
        return False
    if any(_is_identifier(key) for key, *values in entries if values):
        return False
    return 2 * sum(_is_sentence(": ".join(entry)) for entry in entries) > len(entries)


def are_sentences(lines: list[str]) -> bool:
    """Whether lines, each with a comma, are sentences and not rows of a table.

    In sentences a comma precedes white space or the end of a line, the first line names no columns, and most
    lines are sentences.

    >>> are_sentences(["Dear Ada,", "I hope you are well, and so are we.", "Come soon, for it is warm here."])
    True
    >>> are_sentences(["name, remark", "Ada, I hope she is well"]), are_sentences(["a,", "1,"])
    (False, False)
    """
    if any(map(_COMMA_IN_WORDS.search, lines)):
        return False
    is_begun_as_prose = lines[0].rstrip().endswith(",") or _is_sentence(lines[0])
    return is_begun_as_prose and 2 * sum(map(_is_sentence, lines)) > len(lines)


def _iter_entries(data: dict[Data, Data] | list[Data]) -> Iterator[tuple[Data, ...]]:
    """Yield a key with its value ("" for null), or an item; an object of one key in a list is a pair.

    >>> [*_iter_entries(["a", {"b": "c"}, {"d": None}])]
    [('a',), ('b', 'c'), ('d', '')]
    """
    for item in [data] if isinstance(data, dict) else data:
        if isinstance(item, dict) and (item is data or len(item) == 1):
            yield from ((key, "" if value is None else value) for key, value in item.items())
        else:
            yield (item,)


def _is_identifier(key: str) -> bool:
    """Whether a key looks like an identifier of a program.

    >>> [_is_identifier(key) for key in ("title", "DB_HOST", "WebPage", "/a")]
    [True, True, True, True]
    >>> [_is_identifier(key) for key in ("Ada", "PS", "Jean-Luc", "dear Ada", "10:30 Ada")]
    [False, False, False, False, False]
    """
    return len(key.split()) == 1 and (key[0].islower() or _CODE_IN_NAME.search(key) is not None)


def _is_sentence(text: str) -> bool:
    """Whether a text is mostly words: at least four, at least three of them not capitalized.

    >>> _is_sentence("buy milk on the way"), _is_sentence("New York, United States")
    (True, False)
    >>> _is_sentence("pip install -r requirements.txt")
    False
    """
    parts = text.split()
    words = [part for part in parts if _WORD.fullmatch(part)]
    n_small = sum(1 for word in words if not word[0].isupper())
    return len(words) >= _MIN_WORDS and n_small >= _MIN_SMALL_WORDS and 2 * len(words) > len(parts)


def _is_prose_of_lines(lines: list[str]) -> bool:
    """Whether fewer than half of the lines, and not the first, look like data that is not a sentence.

    >>> _is_prose_of_lines(["Dear all,", "note: it is late.", "Yours"])
    True
    >>> _is_prose_of_lines(["at: [noon", "or then", "or later"])
    False
    """
    first = next((line for line in lines if not line.lstrip().startswith("#")), "")
    if _YAML_MARK.match(first) and not _is_sentence(first):
        return False
    return 2 * sum(map(_is_data_line, lines)) < len(lines)


def _is_data_line(line: str) -> bool:
    """Whether a line looks like data, and not like a sentence after a bullet or a person's name.

    >>> _is_data_line("- name: He said: it is late"), _is_data_line("Ada: He said: it is late")
    (True, False)
    """
    if not _YAML_MARK.match(line):
        return False
    entry = line.strip().removeprefix("- ")
    key, colon, _ = entry.partition(":")
    return entry.startswith("#") or bool(colon and _is_identifier(key)) or not _is_sentence(entry)
