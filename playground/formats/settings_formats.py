"""Write and read formats made for settings and prompts: TOML, Java properties and TOON."""

import re
import tomllib

import tomli_w
import toon_format

from playground.core.errors import CannotHoldError, DataSyntaxError
from playground.formats.json_formats import escape_beyond_ascii, json_ready
from playground.formats.roles import roles_by
from playground.formats.rows import kind_name
from playground.formats.values import Data, WriteOptions, key_text, scalar_text

#: The name of a list at the root, in formats whose root is an object.
ROWS_KEY = "rows"

_TOML_STRING = r'"(?P<{}>(?:[^"\\\n]|\\.)*+)"'
iter_toml_roles = roles_by(
    "|".join(
        [
            r"^\[\[?(?P<keys>[^\n]*[^\]\n])\]\]?$",
            _TOML_STRING.format("keys_2") + r"(?= = )",
            r"(?P<keys_3>[\w-]+)(?= = )",
            _TOML_STRING.format("values"),
            r"(?P<values_2>[-+.:\w]+)",
        ]
    ),
    flags=re.MULTILINE,
)
iter_properties_roles = roles_by(
    r"^(?P<keys>(?:[^\\=:\n ]|\\.)++)|=[ ]?(?P<values>[^\n]+)", flags=re.MULTILINE
)
_TOON_STRING = r'"(?P<{}>(?:[^"\\\n]|\\.)*+)"'
_TOON_AHEAD = r"(?=(?:\[[^\]\n]*\])?(?:\{[^\n]*\})?:)"
iter_toon_roles = roles_by(
    "|".join(
        [
            r"(?P<punctuation>\[\d+[^\]\n]?\]:?)",  # the length of a list, which a reader is told
            r"(?<=\{)(?P<keys>[^\n]*)(?=\}:)",
            _TOON_STRING.format("keys_2") + _TOON_AHEAD,
            r"(?P<keys_3>[^\s\":\[\]{},]+)" + _TOON_AHEAD,
            _TOON_STRING.format("values"),
            r"(?P<punctuation_2>(?<=\s)- |^- )",
            r"(?P<values_2>[^\s\",:\[\]{}](?:[^\n\",:\[\]{}]*[^\s\",:\[\]{}])?)",
        ]
    ),
    flags=re.MULTILINE,
)


def write_toml(data: Data, options: WriteOptions) -> str:
    """Return TOML without null values; a list at the root gets a name. Raises CannotHoldError.

    >>> write_toml({"a": 1, "b": None}, WriteOptions())
    'a = 1'
    """
    if isinstance(data, list):
        data = {ROWS_KEY: data}
    if not isinstance(data, dict):
        raise CannotHoldError(f"a TOML document is an object, and the data is {kind_name(data)}")
    text = tomli_w.dumps(_toml_ready(data, "the root"), indent=options.indent)
    return (escape_beyond_ascii(text, has_long_escapes=True) if options.is_ascii else text).removesuffix("\n")


def read_toml(text: str) -> Data:
    """Return the data of a TOML text.

    >>> read_toml("a = 1")
    {'a': 1}
    """
    return tomllib.loads(text)


def write_properties(data: Data, options: WriteOptions) -> str:
    """Return Java properties: one line per value, with its path as the key. Raises CannotHoldError.

    >>> write_properties({"server": {"port": 80, "hosts": ["a"]}}, WriteOptions())
    'server.port = 80\\nserver.hosts.0 = a'
    """
    if not isinstance(data, (dict, list)):
        raise CannotHoldError(f"properties are named, and the data is {kind_name(data)}")
    equals = "=" if options.is_minified else " = "
    lines: list[str] = []
    _add_properties("", data, equals, lines)
    text = "\n".join(lines)
    return escape_beyond_ascii(text) if options.is_ascii else text


def read_properties(text: str) -> Data:
    """Return the properties; all values are text.

    >>> read_properties("server.port = 80")
    {'server.port': '80'}
    """
    return dict(_properties(text))


def read_properties_with_notes(text: str) -> tuple[Data, list[str]]:
    r"""Return the properties, and a note on repeated names.

    >>> read_properties_with_notes("# comment\na: 1\na = 2, \\\n  3")
    ({'a': '2, 3'}, ['Repeated names (1): the last value is used.'])
    """
    pairs = _properties(text)
    found = dict(pairs)
    n_twice = len(pairs) - len(found)
    return found, [f"Repeated names ({n_twice:,}): the last value is used."] if n_twice else []


def _properties(text: str) -> list[tuple[str, str]]:
    text = text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
    found = [match for match in _PROPERTY.finditer(text) if match[1] is not None]
    if "\\" not in text:
        return [(match[1], match[2]) for match in found]
    return [
        (_unescape_property(match[1]), _unescape_property(match[2]))
        for match in found
        if _CONTINUED.sub("", match[0]).strip(" \t\f")
    ]


def write_toon(data: Data, options: WriteOptions) -> str:  # noqa: ARG001
    """Return TOON: indented like YAML, with uniform rows as a table that has its keys once.

    The indentation is always 2 spaces, because readers refuse others by default.

    >>> write_toon([{"a": 1, "b": "x"}, {"a": 2, "b": "y"}], WriteOptions())
    '[2]{a,b}:\\n  1,x\\n  2,y'
    """
    return toon_format.dumps(json_ready(data))


def read_toon(text: str) -> Data:
    """Return the data of a TOON text.

    >>> read_toon("a[2]: 1,x")
    {'a': [1, 'x']}
    """
    return toon_format.loads(text)


def _toml_ready(data: Data, place: str) -> Data:
    if isinstance(data, dict):
        return {key_text(k): _toml_ready(v, str(k)) for k, v in data.items() if v is not None}
    if isinstance(data, list):
        if any(value is None for value in data):
            raise CannotHoldError(f"TOML has no null, and the list under {place} holds one")
        return [_toml_ready(value, place) for value in data]
    if type(data) is int and not -(2**63) <= data < 2**63:
        raise CannotHoldError(
            f"TOML's integers have 64 bits, and {place} holds a number of {data.bit_length()}"
        )
    return data


#: A line of comment; or a name and a value by Java's rules: =, : or white space is between them, and a
#: backslash at the end of a line continues it, without the white space at the start of the next line.
_PROPERTY = re.compile(
    r"^[ \t\f]*+(?:[#!].*+|(?!\n|\Z)(?:\\\n[ \t\f]*+)*+((?:[^\\=: \t\f\n]|\\\n[ \t\f]*+|\\[\s\S])*+)"
    r"(?:[ \t\f]|\\\n)*+[=:]?(?:[ \t\f]|\\\n)*+((?:[^\\\n]|\\[\s\S])*+))",
    re.MULTILINE,
)
_PROPERTY_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\f": "\\f"}
_KEY_ESCAPES = {**_PROPERTY_ESCAPES, " ": "\\ ", "=": "\\=", ":": "\\:", "#": "\\#", "!": "\\!"}
_TO_PROPERTY, _TO_KEY = str.maketrans(_PROPERTY_ESCAPES), str.maketrans(_KEY_ESCAPES)


def _add_properties(path: str, data: Data, equals: str, lines: list[str]) -> None:
    if isinstance(data, (dict, list)) and data:
        pairs = data.items() if isinstance(data, dict) else enumerate(data)
        for key, value in pairs:
            _add_properties(f"{path}.{key_text(key)}" if path else key_text(key), value, equals, lines)
        return
    text = data if isinstance(data, str) else "" if data is None or data in ([], {}) else scalar_text(data)
    escaped = text.translate(_TO_PROPERTY)
    if escaped.startswith(" "):
        escaped = "\\" + escaped
    lines.append(path.translate(_TO_KEY) + equals + escaped)


_CONTINUED = re.compile(r"\\\n")
_BACKSLASH = re.compile(r"\\(?:u([0-9a-fA-F]{4})|\n[ \t\f]*|(.))", re.DOTALL)
_NAMED = {"n": "\n", "r": "\r", "t": "\t", "f": "\f"}


def _unescape_property(text: str) -> str:
    if "\\" not in text:
        return text
    plain = _BACKSLASH.sub(_unescaped, text)
    return plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _unescaped(match: re.Match[str]) -> str:
    if match[1]:
        return chr(int(match[1], 16))
    if match[2] == "u":
        raise DataSyntaxError("not valid properties: \\u is not followed by four hexadecimal digits")
    return _NAMED.get(match[2], match[2]) if match[2] else ""  # nothing for a continued line
