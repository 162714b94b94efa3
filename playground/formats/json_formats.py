"""Write and read JSON in several layouts, JSON Lines, JSON5 and Python literals."""

import ast
import datetime
import json
import math
import re
from typing import Any

import json5
import pyjson5

from playground.core.errors import DataSyntaxError
from playground.formats.limits import (
    MAX_DEPTH,
    MAX_DIGITS,
    find_too_deep,
    iter_values,
    line_and_column,
    too_deep,
    too_many_digits,
)
from playground.formats.roles import roles_by
from playground.formats.rounding import rounded_in_javascript
from playground.formats.rows import find_rows
from playground.formats.values import Data, WriteOptions, key_text

_DOUBLE = r'"(?P<{}>(?:[^"\\]|\\.)*+)"'
_SINGLE = r"'(?P<{}>(?:[^'\\]|\\.)*+)'"

iter_json_roles = roles_by(
    _DOUBLE.format("keys") + r"(?=\s*:)|" + _DOUBLE.format("values") + r"|(?P<values_2>[-+.\w]+)"
)
#: A key may be bare (JSON5), in either kind of quotes, or a number (Python).
iter_literal_roles = roles_by(
    "|".join(
        [
            _DOUBLE.format("keys") + r"(?=\s*:)",
            _SINGLE.format("keys_2") + r"(?=\s*:)",
            r"(?P<keys_3>[-+.$\w\u200c\u200d]+)(?=\s*:)",
            _DOUBLE.format("values"),
            _SINGLE.format("values_2"),
            r"(?P<values_3>[-+.\w]+)",
        ]
    )
)


def write_json(data: Data, options: WriteOptions, *, indent: int | None = None) -> str:
    """Return JSON; NaN and infinities become null, dates and keys that are not text become text.

    >>> write_json({"a": [1, float("nan")]}, WriteOptions())
    '{"a":[1,null]}'
    """
    separators = (",", ":") if indent is None else (",", ": ")
    return _dump_json(data, ensure_ascii=options.is_ascii, indent=indent, separators=separators)


def write_default_json(data: Data, options: WriteOptions) -> str:  # noqa: ARG001
    """Return what `json.dumps(data)` writes: a space after each comma and colon, and escapes beyond ASCII.

    >>> write_default_json({"a": ["é", None]}, WriteOptions())
    '{"a": ["\\\\u00e9", null]}'
    """
    return _dump_json(data)


def write_json_lines(data: Data, options: WriteOptions) -> str:
    """Return one compact JSON value per line. Raises CannotHoldError for data without a list.

    >>> write_json_lines([{"a": 1}, {"a": 2}], WriteOptions())
    '{"a":1}\\n{"a":2}'
    """
    _, rows = find_rows(data)
    # One encoder for all rows: `json.dumps` makes one for each, which takes longer than a short row.
    encode = json.JSONEncoder(
        ensure_ascii=options.is_ascii, allow_nan=False, separators=(",", ":"), default=_iso_format
    ).encode
    try:
        return "\n".join(map(encode, rows))
    except (TypeError, ValueError):  # a row has a date for a key, or NaN
        return "\n".join(write_json(row, options) for row in rows)


def read_json_lines(text: str) -> Data:
    r"""Return the values of the lines that are not blank.

    >>> read_json_lines('{"a":1}\n{"a":2}\n')
    [{'a': 1}, {'a': 2}]
    """
    return [json.loads(line) for line in text.split("\n") if line.strip()]


def write_json5(data: Data, options: WriteOptions) -> str:
    """Return compact JSON5 with bare keys.

    >>> write_json5({"a": "b", "c d": None}, WriteOptions())
    '{a:"b","c d":null}'
    """
    text = json5.dumps(
        json_ready(data, keep_not_finite=True),
        ensure_ascii=options.is_ascii,
        separators=(",", ":"),
        trailing_commas=False,
    )
    if "\\0" in text or _BEYOND_16_BITS.search(text):
        text = _STRING_OR_NAME.sub(_mend_json5, text)
    # The library leaves bare keys as they are; an escape may stand in a name too.
    return escape_beyond_ascii(text) if options.is_ascii else text


_BEYOND_16_BITS = re.compile("[\U00010000-\U0010ffff]")
_STRING_OR_NAME = re.compile(r'"(?:[^"\\]|\\.)*+"|[^\W\d][\w$]*', re.DOTALL)
_ESCAPE = re.compile(r"\\(?:0(?=[0-9])|(.))", re.DOTALL)


def _mend_json5(match: re.Match[str]) -> str:
    """Correct invalid JSON5: `\\0` before a digit, and bare names with characters beyond 16 bits."""
    found = match[0]
    if found[0] == '"':
        return _ESCAPE.sub(lambda escape: escape[0] if escape[1] else r"\x00", found)
    return f'"{found}"' if _BEYOND_16_BITS.search(found) else found


def read_json5(text: str) -> Data:
    """Return the data of a JSON5 text.

    >>> read_json5("{a: .5, b: Infinity}")
    {'a': 0.5, 'b': inf}
    """
    return pyjson5.decode(text, maxdepth=MAX_DEPTH + 2)


def read_json5_with_notes(text: str) -> tuple[Data, list[str]]:
    """Return the data of a JSON5 text, and notes. Raises DataSyntaxError.

    >>> read_json5_with_notes("{a: 1, a: 2} // twice")
    ({'a': 2}, ['Repeated keys in an object (1): the last value is used.'])
    """
    try:
        data = read_json5(text)
    except pyjson5.Json5NestingTooDeep:
        raise too_deep(*(find_too_deep(text) or (None, None))) from None
    except pyjson5.Json5DecoderException as error:
        digits = re.search(rf"\d{{{MAX_DIGITS + 1}}}", text)
        if digits:
            raise too_many_digits(*line_and_column(text, digits.start())) from None
        message = str(error.args[0])
        place = re.search(r" (?:starting )?near (\d+)", message)
        reason = re.sub(r"b'(\w+)'", r"\1", message.replace(place[0] if place else "", ""))
        line, column = line_and_column(text, int(place[1]) - 1) if place else (None, None)
        raise DataSyntaxError(f"not valid JSON5: {reason[:200]}", line=line, column=column) from None
    n_keys = sum(1 for _, _, is_key in iter_values(data) if is_key)
    n_twice = sum(1 for match in _COLON_OUTSIDE.finditer(text) if match[0] == ":") - n_keys
    twice = [f"Repeated keys in an object ({n_twice:,}): the last value is used."] if n_twice else []
    return data, [*twice, *rounded_in_javascript(text)]


#: Strings, comments and colons: outside of strings and comments, a colon follows each key.
_COLON_OUTSIDE = re.compile(
    r""" "(?:[^"\\]|\\.)*+" | '(?:[^'\\]|\\.)*+' | //[^\n\r\u2028\u2029]*+ | /\*.*?\*/ | : """,
    re.DOTALL | re.VERBOSE,
)


def write_literal(data: Data, options: WriteOptions) -> str:
    """Return what `repr` prints; dates become text, and infinities 1e999, which Python reads as infinity.

    >>> write_literal({"a": True, 1: None}, WriteOptions())
    "{'a': True, 1: None}"
    """
    ready = _replace(data, _literal_scalar, _literal_scalar) if _has_other(data) else data
    return ascii(ready) if options.is_ascii else repr(ready)


def read_literal(text: str) -> Data:
    """Return the value of a Python literal; nothing is evaluated.

    >>> read_literal("{'a': True, 1: None}")
    {'a': True, 1: None}
    """
    return ast.literal_eval(text)


def json_ready(data: Data, *, keep_not_finite: bool = False) -> Data:
    """Return the data with only what JSON has: text keys, and no dates, NaN or infinities."""
    if not _has_other(data, finite=not keep_not_finite):
        return data

    def scalar(value: Data) -> Data:
        if isinstance(value, float) and not math.isfinite(value) and not keep_not_finite:
            return None
        return value.isoformat() if isinstance(value, (datetime.date, datetime.time)) else value

    return _replace(data, key_text, scalar)


def _dump_json(data: Data, **how: Any) -> str:
    try:
        return json.dumps(data, allow_nan=False, default=_iso_format, **how)
    except (TypeError, ValueError):  # a date for a key, or NaN
        return json.dumps(json_ready(data), allow_nan=False, **how)


def _iso_format(value: Data) -> str:
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} is not data")


def escape_beyond_ascii(text: str, *, has_long_escapes: bool = False) -> str:
    r"""Escape characters beyond ASCII as `\uXXXX`; beyond 16 bits as `\UXXXXXXXX` or a surrogate pair.

    >>> print(escape_beyond_ascii("é😀"), escape_beyond_ascii("😀", has_long_escapes=True))
    \u00e9\ud83d\ude00 \U0001f600
    """

    def escape(match: re.Match[str]) -> str:
        code = ord(match[0])
        if code < 0x10000:
            return f"\\u{code:04x}"
        if has_long_escapes:
            return f"\\U{code:08x}"
        code -= 0x10000
        return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"

    return re.sub(r"[^\x00-\x7f]", escape, text)


class _Inf(float):
    def __repr__(self) -> str:
        return "1e999" if self > 0 else "-1e999"


def _literal_scalar(value: Data) -> Data:
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else _Inf(value)
    return value.isoformat() if isinstance(value, (datetime.date, datetime.time)) else value


def _replace(data: Data, new_key: Any, new_scalar: Any) -> Data:
    if isinstance(data, dict):
        return {new_key(k): _replace(v, new_key, new_scalar) for k, v in data.items()}
    if isinstance(data, list):
        return [_replace(value, new_key, new_scalar) for value in data]
    return new_scalar(data)


def _has_other(data: Data, *, finite: bool = True) -> bool:
    """Whether the data has anything that JSON cannot express."""
    try:
        json.dumps(data, allow_nan=not finite)
    except (TypeError, ValueError):
        return True
    return _has_other_keys(data)


def _has_other_keys(data: Data) -> bool:
    if isinstance(data, dict):
        return any(type(key) is not str for key in data) or any(map(_has_other_keys, data.values()))
    return isinstance(data, list) and any(map(_has_other_keys, data))
