"""Read YAML safely from libyaml's events, within limits.

PyYAML's own composer is recursive and does not limit aliases. Its resolver gives scalars their types (YAML
1.1).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml
from yaml.constructor import SafeConstructor
from yaml.resolver import Resolver

from playground.core.errors import DataSyntaxError
from playground.core.wording import quoted
from playground.formats.limits import (
    MAX_DEPTH,
    MAX_DIGITS,
    MAX_EXPANDED,
    line_and_column,
    shortened,
    too_deep,
    too_many_digits,
)
from playground.formats.rounding import RoundedNumbers
from playground.formats.values import Data

_PREFIX = "tag:yaml.org,2002:"
_TAGS = ("str", "int", "float", "bool", "null", "timestamp", "seq", "map")
_UNFINISHED = object()
_MERGE = object()
_NO_KEY = object()
_MAX_NOTES = 5
#: Keys of an object with the same hash, including merged keys: each is compared with all others. 1,100 such
#: keys, merged 380 times, are 26 KB of input and take 3 s.
MAX_KEYS_OF_A_HASH = 50
#: No integer within MAX_DIGITS is longer in base 10, 16 or 60 (in base 2 it may have 14,284 digits).
_MAX_INTEGER_CHARACTERS = 3 * MAX_DIGITS + 1_500


@dataclass(slots=True)
class _Frame:
    """A list or object being filled."""

    values: list[Data] | None  # None for an object
    pairs: list[tuple[Data, Data]]
    anchor: str | None
    mark: Any
    weight: int = 1
    key: Data = _NO_KEY


@dataclass(slots=True)
class _Reader:
    """Builds the data of one document after another from events."""

    documents: list[Data] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    frames: list[_Frame] = field(default_factory=list)
    anchors: dict[str, tuple[Data, int]] = field(default_factory=dict)
    weight: int = 0
    plain: dict[str, Data] = field(default_factory=dict)
    odd_booleans: list[str] = field(default_factory=list)
    octals: list[str] = field(default_factory=list)
    numbers_of_1_2: list[str] = field(default_factory=list)
    n_base_60: int = 0
    rounded: RoundedNumbers = field(default_factory=RoundedNumbers)

    def read(self, text: str) -> None:
        event: Any
        may_differ = _READ_OTHERWISE.search(text) is not None
        for event in yaml.parse(text, Loader=yaml.CSafeLoader):
            kind = type(event)
            if may_differ:
                _check_place(text, event)
            if kind is yaml.ScalarEvent:
                value = self.scalar(event)
                self.add(value, 1 + len(event.value), event.anchor, event.start_mark)
            elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
                self.open(event, is_list=kind is yaml.SequenceStartEvent)
            elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
                self.close()
            elif kind is yaml.AliasEvent:
                self.alias(event)
            elif kind is yaml.DocumentStartEvent:
                self.anchors.clear()

    def open(self, event: Any, *, is_list: bool) -> None:
        tag = event.tag
        if tag not in (None, "!", _PREFIX + ("seq" if is_list else "map")):
            raise _bad_tag(tag, event.start_mark)
        if len(self.frames) >= MAX_DEPTH:
            raise too_deep(*_place(event.start_mark))
        if event.anchor:
            self.anchors[event.anchor] = (_UNFINISHED, 0)
        self.frames.append(_Frame([] if is_list else None, [], event.anchor, event.start_mark))

    def close(self) -> None:
        frame = self.frames.pop()
        value = frame.values if frame.values is not None else self.mapping(frame)
        self.add(value, frame.weight, frame.anchor, frame.mark, is_counted=True)

    def alias(self, event: Any) -> None:
        name, mark = event.anchor, event.start_mark
        if name not in self.anchors:
            raise _error(f"the alias *{name} has no anchor &{name} before it", mark)
        value, weight = self.anchors[name]
        if value is _UNFINISHED:
            raise _error(f"the anchor &{name} contains itself: *{name} is inside it", mark)
        self.add(value, weight, None, mark)

    def add(
        self, value: Data, weight: int, anchor: str | None, mark: Any, *, is_counted: bool = False
    ) -> None:
        """Add a finished value to the open list or object; its weight counts again for each alias."""
        if not is_counted:
            self.weight += weight
            if self.weight > MAX_EXPANDED:
                raise _error(
                    f"with its aliases written out the data has more than {MAX_EXPANDED:,} characters", mark
                )
        if anchor:
            self.anchors[anchor] = (value, weight)
        if not self.frames:
            self.documents.append("<<" if value is _MERGE else value)
            return
        frame = self.frames[-1]
        frame.weight += weight
        if value is _MERGE and (frame.values is not None or frame.key is not _NO_KEY):
            value = "<<"  # it merges only as a key
        if frame.values is not None:
            frame.values.append(value)
        elif frame.key is _NO_KEY:
            if isinstance(value, (dict, list)):
                raise _error("a list or an object is a key here; only scalars can be keys", mark)
            frame.key = value
        else:
            frame.pairs.append((frame.key, value))
            frame.key = _NO_KEY

    def mapping(self, frame: _Frame) -> dict[Data, Data]:
        """Return an object: later keys replace earlier ones, and own keys replace merged ones."""
        own: dict[Data, Data] = {}
        merged: dict[Data, Data] = {}
        n_of_hash: dict[int, int] = {}
        for key, value in frame.pairs:
            if key is _MERGE:
                for source in value if isinstance(value, list) else [value]:
                    if not isinstance(source, dict):
                        raise _error("`<<` merges an object or a list of objects", frame.mark)
                    for name, item in source.items():
                        if name not in merged:
                            _count_hash(name, n_of_hash, frame.mark)
                            merged[name] = item
            else:
                if key not in own:
                    _count_hash(key, n_of_hash, frame.mark)
                elif len(self.notes) < _MAX_NOTES:
                    where = f"the object at line {frame.mark.line + 1:,}"
                    self.notes.append(
                        f"The key {shortened(key)} is repeated in {where}; the last value is used."
                    )
                own[key] = value
        return {**{k: v for k, v in merged.items() if k not in own}, **own} if merged else own

    def scalar(self, event: Any) -> Data:
        value, tag = event.value, event.tag
        if tag is None and not event.implicit[0]:
            return value  # quoted, or a block
        if tag is None:
            if value not in self.plain:
                tag = resolve_plain(value)
                self.plain[value] = self.construct(tag, value, event.start_mark)
                if tag == _PREFIX + "str" and _NUMBER_OF_1_2.fullmatch(value):
                    self.numbers_of_1_2.append(value)
            return self.plain[value]
        if tag == "!":
            return value
        if not tag.startswith(_PREFIX) or tag.removeprefix(_PREFIX) not in _TAGS[:6]:
            raise _bad_tag(tag, event.start_mark)
        return self.construct(tag, value, event.start_mark)

    def construct(self, tag: str, value: str, mark: Any) -> Data:
        kind = tag.removeprefix(_PREFIX)
        if kind == "int" and len(value) > _MAX_INTEGER_CHARACTERS:
            raise too_many_digits(*_place(mark))
        try:
            match kind:
                case "null":
                    return None
                case "merge":
                    return _MERGE
                case "bool":
                    if value.lower() not in ("true", "false"):
                        self.odd_booleans.append(value)
                    return SafeConstructor.bool_values[value.lower()]
                case "int" | "float" | "timestamp":
                    self.n_base_60 += kind != "timestamp" and ":" in value
                    if kind == "int" and _OCTAL.fullmatch(value):
                        self.octals.append(value)
                    build = getattr(_CONSTRUCTOR, f"construct_yaml_{kind}")
                    found = build(yaml.ScalarNode(tag, value))
                    if kind == "float":
                        self.rounded.check(value, found)
                    return found
        except (ValueError, KeyError, IndexError, OverflowError, AttributeError) as error:
            if "4300" in str(error):
                raise too_many_digits(*_place(mark)) from None
            raise _error(f"{quoted(value, n_shown=40)} is not a valid {kind}", mark) from None
        return value


def _check_place(text: str, event: Any) -> None:
    """Raise DataSyntaxError for an event that libyaml reads differently from YAML 1.2.

    `?` before a name in brackets is text in YAML 1.2, but marks a key in libyaml. The name of an anchor ends
    at white space in YAML 1.2, but at a colon in libyaml.
    """
    start = event.start_mark.index
    anchor = getattr(event, "anchor", None)
    if anchor:
        sign = "*" if type(event) is yaml.AliasEvent else "&"
        end = text.find(f"{sign}{anchor}", start) + 1 + len(anchor)
        if not _ENDS_NAME.match(text, end):
            name = re.match(r"[^\s,\[\]{}]*", text[end:])
            assert name is not None
            raise _error(
                f"YAML readers disagree where the name {sign}{anchor}{name[0]} ends; use letters and digits",
                event.start_mark,
            )
    kind = type(event)
    before = start if kind is yaml.MappingStartEvent else start - 1 if kind is yaml.ScalarEvent else -1
    if before >= 0 and text[before : before + 1] == "?" and not text[before + 1 : before + 2].isspace():
        raise _error(
            "YAML readers disagree on a ? directly before a name in brackets; put the name in quotes",
            event.start_mark,
        )


#: Where `_check_place` may find something: a question mark in brackets, and names with a colon.
_READ_OTHERWISE = re.compile(r"[\[{,\s]\?[^\s?]|[&*][\w-]+[^\s\w,\]}-]")
_ENDS_NAME = re.compile(r"\s|[,\]}]|\Z")


def _count_hash(key: Data, n_of_hash: dict[int, int], mark: Any) -> None:
    """Count a new number key by its hash. Raises DataSyntaxError for too many; hashes of text are random."""
    if type(key) is int or type(key) is float:
        n_of_hash[hash(key)] = n_of_hash.get(hash(key), 0) + 1
        if n_of_hash[hash(key)] > MAX_KEYS_OF_A_HASH:
            raise _error(
                f"an object has more than {MAX_KEYS_OF_A_HASH} numbers for keys with the same remainder "
                "when they are divided by 2^61 − 1; Python takes quadratic time for them",
                mark,
            )


_OCTAL = re.compile(r"[-+]?0[0-7_]+")
#: Numbers of YAML 1.2, of which those that YAML 1.1 reads as text are noted.
_NUMBER_OF_1_2 = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|0o[0-7]+")
_CONSTRUCTOR = SafeConstructor()
_ANY_FIRST: list[tuple[str, Any]] = Resolver.yaml_implicit_resolvers.get(None, [])


def resolve_plain(value: str) -> str:
    """Return the tag of a plain scalar, as PyYAML's resolver finds it.

    >>> resolve_plain("no")
    'tag:yaml.org,2002:bool'
    """
    for tag, pattern in Resolver.yaml_implicit_resolvers.get(value[:1], []) + _ANY_FIRST:
        if pattern.match(value):
            return str(tag)
    return _PREFIX + "str"


def read_yaml(text: str) -> Data:
    """Return the data of a YAML text; several documents become a list. Raises DataSyntaxError.

    >>> read_yaml("- &a {x: 1}\\n- *a")
    [{'x': 1}, {'x': 1}]
    """
    return read_yaml_with_notes(text)[0]


def read_yaml_with_notes(text: str) -> tuple[Data, list[str]]:
    """Return the data, and notes on what a person may not expect. Raises DataSyntaxError."""
    reader = _Reader()
    try:
        reader.read(text)
    except yaml.MarkedYAMLError as error:
        mark: Any = error.problem_mark or error.context_mark
        problem = " ".join(filter(None, [error.context, error.problem])).removesuffix(",")
        raise DataSyntaxError(
            f"not valid YAML: {problem or error}",
            line=mark and mark.line + 1,
            column=mark and mark.column + 1,
        ) from None
    except yaml.reader.ReaderError as error:
        position = len(text.encode()[: error.position].decode(errors="ignore"))
        line, column = line_and_column(text, position)
        raise DataSyntaxError(f"not valid YAML: {error.reason}", line=line, column=column) from None
    notes = [*reader.notes, *reader.rounded.notes]
    if reader.odd_booleans:
        notes.append(
            f"YAML 1.1 reads yes, no, on and off as true or false: here {_some(reader.odd_booleans)}."
        )
    if reader.octals:
        notes.append(
            f"YAML 1.1 reads a number that begins with 0 in base 8: here {_some(reader.octals)}. "
            "In quotes it stays text."
        )
    if reader.numbers_of_1_2:
        notes.append(
            f"YAML 1.1 reads {_some(reader.numbers_of_1_2)} as text, YAML 1.2 as numbers: here as text. "
            "1.0e+3 is a number in both."
        )
    if reader.n_base_60:
        notes.append(f"YAML 1.1 reads {reader.n_base_60:,} values such as 12:30 as numbers in base 60.")
    if len(reader.documents) == 1:
        return reader.documents[0], notes
    if not reader.documents:
        return None, notes
    notes.append(f"The {len(reader.documents):,} YAML documents became a list.")
    return reader.documents, notes


def _some(values: Sequence[str]) -> str:
    """Return the first of some values, and the number of further ones, as words."""
    more = f" and {len(values) - 1:,} more" if len(values) > 1 else ""
    return f"{quoted(values[0], n_shown=40)}{more}"


def _place(mark: Any) -> tuple[int, int]:
    return mark.line + 1, mark.column + 1


def _error(message: str, mark: Any) -> DataSyntaxError:
    line, column = _place(mark)
    return DataSyntaxError(message, line=line, column=column)


def _bad_tag(tag: str, mark: Any) -> DataSyntaxError:
    name = tag.replace(_PREFIX, "!!")
    return _error(f"the tag {name} is not read; these are: {', '.join('!!' + t for t in _TAGS)}", mark)
