"""YAML in block and flow style, written by PyYAML's libyaml emitter."""

import datetime
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import yaml

from playground.analysis.formats.values import Data, Role, WriteOptions

_NO_FOLDING = 2**30  # columns; a folded line would add tokens that the data does not have


class _Dumper(yaml.CSafeDumper):
    """PyYAML's safe dumper: text of several lines as a literal block, and no aliases."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        return True


def _represent_text(dumper: Any, value: str) -> Any:
    style = "|" if "\n" in value and "\r" not in value else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


_Dumper.add_representer(str, _represent_text)
_Dumper.add_representer(datetime.time, lambda dumper, value: _represent_text(dumper, value.isoformat()))


def write_yaml(data: Data, options: WriteOptions, *, is_flow: bool = False) -> str:
    """YAML 1.1, keys in the order of the data, lines never folded.

    >>> write_yaml({"a": [1, "no"]}, WriteOptions())
    "a:\\n- 1\\n- 'no'"
    """
    text: str = yaml.dump(
        data,
        Dumper=_Dumper,
        allow_unicode=not options.is_ascii,
        default_flow_style=is_flow,
        indent=options.indent,
        sort_keys=False,
        width=_NO_FOLDING,
    )
    text = text.removesuffix("...\n")  # the end of a document that is one plain scalar
    last = _last_leaf(data)
    ends_in_block = isinstance(last, str) and last.endswith("\n")
    return text if ends_in_block else text.removesuffix("\n")


def iter_yaml_roles(text: str) -> Iterator[tuple[int, int, Role]]:
    """Keys and values, by libyaml's own events; quotes, indicators and indentation are left out."""
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
