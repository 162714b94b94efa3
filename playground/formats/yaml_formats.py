"""Write and read YAML in block and flow style, with PyYAML's libyaml emitter.

Text that a YAML 1.1 or 1.2 reader would not read as text is quoted. Dates are plain scalars, as in 1.1.
"""

import datetime
import re
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import yaml
from yaml.representer import SafeRepresenter

from playground.formats.limits import iter_values
from playground.formats.values import Data, Role, WriteOptions
from playground.formats.yaml_reading import resolve_plain

_NO_FOLDING = 2**30  # columns; a folded line would add tokens that the data does not have


_STR = "tag:yaml.org,2002:str"
#: Line breaks in YAML 1.1 but not in 1.2; libyaml escapes them in double quotes.
_ODD_BREAKS = re.compile("[\x85\u2028\u2029]")
#: What some reader does not read as text: the types of YAML 1.1 (with `y` and `n`, which PyYAML reads as
#: text), the core schema of YAML 1.2, and both readings of numbers such as 08, 1e5, 0o7, 1_000 and 12:30:45.
_NOT_TEXT = re.compile(
    r"""~|=|<<|null|true|false|yes|no|on|off|y|n|[-+]?\.(?:inf|nan)
    |[-+]?(?:0x[0-9a-f_]+|0o[0-7_]+|0b[01_]+)
    |[-+]?(?=[_.]*[0-9])(?:[0-9_]+(?:\.[0-9_]*)?|\.[0-9_]+)(?:e[-+]?[0-9]+)?|[-+]_+|[-+]?\._+
    |[-+]?[0-9][0-9_]*(?::[0-9]{1,2})+(?:\.[0-9_]*)?
    |[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:
     (?:t|[ \t]+)[0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(?:\.[0-9]*)?(?:[ \t]*(?:z|[-+][0-9]{1,2}(?::?[0-9]{2})?))?
     )?""",
    re.IGNORECASE | re.VERBOSE | re.ASCII,
)
_NO_TAG = (True, False)
_END_LIST, _END_OBJECT = yaml.SequenceEndEvent(), yaml.MappingEndEvent()
_REPRESENTER = SafeRepresenter()


def write_yaml(data: Data, options: WriteOptions, *, is_flow: bool = False) -> str:
    """Return YAML 1.1 with keys in the order of the data; lines are never folded.

    >>> write_yaml({"a": [1, "no"]}, WriteOptions())
    "a:\\n- 1\\n- 'no'"
    """
    text = _emit(data, is_flow, options, {})
    if "\\U" in text and not options.is_ascii:
        stand_ins = _find_stand_ins(data)
        text = _emit(data, is_flow, options, stand_ins)
        text = text.translate({ord(stand_in): chr(code) for code, stand_in in stand_ins.items()})
    last = _last_leaf(data)
    ends_in_block = isinstance(last, str) and last.endswith("\n")
    # The end of a document that is one plain scalar, and at times of one with a block before its last scalar.
    if text.endswith("\n...\n") and not (ends_in_block and isinstance(data, (dict, list))):
        text = text.removesuffix("...\n")
    return text if ends_in_block else text.removesuffix("\n")


def iter_yaml_roles(text: str) -> Iterator[tuple[int, int, Role]]:
    """Yield keys and values from libyaml's events, without quotes, indicators and indentation."""
    is_key: list[bool | None] = []  # for each open object: does a key come next? None for a list
    for event in yaml.parse(text, Loader=yaml.CSafeLoader):
        kind = type(event)
        if kind is yaml.ScalarEvent:
            role: Role = "keys" if is_key and is_key[-1] else "values"
            yield from _scalar_roles(text, event, role)
        elif kind is yaml.MappingStartEvent:
            is_key.append(True)
            continue
        elif kind is yaml.SequenceStartEvent:
            is_key.append(None)
            continue
        elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
            is_key.pop()
        else:
            continue
        if is_key and is_key[-1] is not None:
            is_key[-1] = not is_key[-1]


def _emit(data: Data, is_flow: bool, options: WriteOptions, stand_ins: dict[int, str]) -> str:
    text: str = yaml.emit(
        _iter_events(data, is_flow, stand_ins),
        Dumper=yaml.CSafeDumper,
        allow_unicode=not options.is_ascii,
        indent=options.indent,
        width=_NO_FOLDING,
    )
    return text


def _find_stand_ins(data: Data) -> dict[int, str]:
    """Map each character beyond 16 bits to a private-use character that the data does not have.

    libyaml escapes such characters (😀 as "\\U0001F600"), which YAML does not require and PyYAML's slow
    emitter does not do. They are replaced while libyaml writes.
    """
    used: set[str] = set()
    for value, _, _ in iter_values(data):
        if isinstance(value, str) and not value.isascii():
            used.update(value)
    beyond = sorted(character for character in used if character > "\uffff")
    free = (chr(code) for code in range(0xE000, 0xF900) if chr(code) not in used)
    return {ord(character): stand_in for character, stand_in in zip(beyond, free, strict=False)}


def _iter_events(data: Data, is_flow: bool, stand_ins: dict[int, str]) -> Iterator[yaml.Event]:
    """Yield the events that PyYAML's safe dumper would emit, without building its tree of nodes.

    Events of equal scalars are shared, because data repeats keys and many values.
    """
    scalars: dict[tuple[type, Data], yaml.ScalarEvent] = {}

    def walk(value: Data) -> Iterator[yaml.Event]:
        if isinstance(value, dict):
            yield yaml.MappingStartEvent(None, None, True, flow_style=is_flow or not value)
            for key, item in value.items():
                yield scalar(key)
                yield from walk(item) if isinstance(item, (dict, list)) else (scalar(item),)
            yield _END_OBJECT
        elif isinstance(value, list):
            yield yaml.SequenceStartEvent(None, None, True, flow_style=is_flow or not value)
            for item in value:
                yield from walk(item) if isinstance(item, (dict, list)) else (scalar(item),)
            yield _END_LIST
        else:
            yield scalar(value)

    def scalar(value: Data) -> yaml.ScalarEvent:
        if isinstance(value, int) and abs(value) > sys.hash_info.modulus:
            return _scalar_event(value)  # any number of them may have the same hash
        key = type(value), value
        if key not in scalars or value != value or value == 0:  # NaN; and −0.0 is equal to 0.0
            scalars[key] = _scalar_event(value.translate(stand_ins) if isinstance(value, str) else value)
        return scalars[key]

    yield yaml.StreamStartEvent()
    yield yaml.DocumentStartEvent(explicit=False)
    yield from walk(data)
    yield yaml.DocumentEndEvent(explicit=False)
    yield yaml.StreamEndEvent()


def _scalar_event(value: Data) -> yaml.ScalarEvent:
    if isinstance(value, datetime.time):
        value = value.isoformat()  # YAML has no time of day
    if isinstance(value, str):
        style = '"' if _ODD_BREAKS.search(value) else "|" if "\n" in value and "\r" not in value else None
        return yaml.ScalarEvent(None, None, (_is_text(value), True), value, style=style)
    return yaml.ScalarEvent(None, None, _NO_TAG, _REPRESENTER.represent_data(value).value)


def _is_text(value: str) -> bool:
    """Whether every reader reads the plain value as text."""
    return resolve_plain(value) == _STR and not _NOT_TEXT.fullmatch(value)


def _scalar_roles(text: str, event: Any, role: Role) -> Iterator[tuple[int, int, Role]]:
    start, end = event.start_mark.index, event.end_mark.index
    if event.style in ("'", '"'):
        yield start + 1, end - 1, role
    elif event.style in ("|", ">"):
        position = text.find("\n", start, end) + 1  # past the indicator
        while 0 < position < end:
            line_end = text.find("\n", position, end)
            line_end = end if line_end < 0 else line_end
            line = text[position:line_end]
            yield position + len(line) - len(line.lstrip(" ")), line_end, role
            position = line_end + 1
    elif start < end:
        yield start, end, role


def _last_leaf(data: Data) -> Data:
    while isinstance(data, (list, dict)) and data:
        data = data[-1] if isinstance(data, list) else list(data.values())[-1]
    return data


write_yaml_flow: Callable[[Data, WriteOptions], str] = partial(write_yaml, is_flow=True)
