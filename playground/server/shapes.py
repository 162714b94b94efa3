"""Shapes: the fields and types of JSON from outside, declared once for each action and share link.

A check takes a value and returns it, or raises `MisfitError`.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from playground.core.errors import InvalidInputError
from playground.core.tokenizer import replace_lone_surrogates
from playground.core.wording import quoted

Check = Callable[[object], Any]


class MisfitError(InvalidInputError):
    """A value that a shape does not allow; `path` is its place in the JSON."""

    def __init__(self, problem: str, path: str = "") -> None:
        super().__init__(f"{path or 'the value'} {problem}")
        self.problem, self.path = problem, path

    def inside(self, step: str) -> "MisfitError":
        """Return the same error with a path that begins one level further out."""
        joint = "" if not self.path or self.path.startswith("[") else "."
        return MisfitError(self.problem, f"{step}{joint}{self.path}")


def misfit(rule: str, value: object) -> MisfitError:
    """Return the error for a value that breaks a rule."""
    return MisfitError(f"must be {rule}, and is {shown_json(value)}")


class Optional(NamedTuple):
    """A field that may be missing, and its default value."""

    check: Check
    default: object = None


@dataclass(frozen=True, slots=True)
class Shape:
    """The fields of a JSON object, which may have no others.

    >>> Shape({"text": string(), "step": Optional(integer(0, 9), 0)}).check({"text": "a"})
    {'text': 'a', 'step': 0}
    """

    fields: Mapping[str, Check | Optional]

    def read(self, body: bytes) -> dict[str, Any]:
        r"""Return the fields of a JSON object in UTF-8. Raises InvalidInputError.

        >>> Shape({"text": string()}).read(b'{"text": "h\\u00e9"}')
        {'text': 'hé'}
        """
        return self.check(parse_json(body))

    def check(self, value: object) -> dict[str, Any]:
        """Return the fields of an object, missing ones with their defaults. Raises InvalidInputError."""
        names = ", ".join(self.fields) or "no fields"
        if not isinstance(value, dict):
            raise misfit(f"an object with {names}", value)
        unknown = next((name for name in value if name not in self.fields), None)
        if unknown is not None:
            raise InvalidInputError(f"unknown field {shown_json(unknown)}; the fields are {names}")
        return {name: _checked_field(name, field, value) for name, field in self.fields.items()}


def _checked_field(name: str, field: Check | Optional, value: Mapping[str, object]) -> Any:
    if isinstance(field, Optional):
        if name not in value:
            return field.default
        field = field.check
    elif name not in value:
        raise MisfitError("is missing", name)
    try:
        return field(value[name])
    except MisfitError as error:
        raise error.inside(name) from None


def parse_json(body: bytes) -> object:
    """Parse standard JSON, without NaN and Infinity. Raises InvalidInputError."""
    try:
        return json.loads(body.decode(), parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise InvalidInputError(f"the JSON is not UTF-8: byte {error.start} cannot be read") from None
    except RecursionError:
        raise InvalidInputError("the JSON is not usable: it is nested too deeply") from None
    except ValueError as error:
        # For a number of over 4,300 digits Python adds which of its settings to change.
        reason = str(error).partition("; use sys.")[0]
        raise InvalidInputError(f"this is not valid JSON: {reason}") from None


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number in JSON")


def whole_text(value: object) -> str:
    r"""Check a string and replace lone surrogates by U+FFFD.

    >>> whole_text("a\ud83d")
    'a�'
    """
    return replace_lone_surrogates(string()(value))


def string(*, max_chars: int | None = None) -> Check:
    """Return a check for strings of at most `max_chars` characters."""

    def check(value: object) -> str:
        if not isinstance(value, str):
            raise misfit("a string", value)
        if max_chars is not None and len(value) > max_chars:
            raise misfit(f"a string of at most {max_chars:,} characters", value)
        return value

    return check


def web_address(*, max_chars: int) -> Check:
    """Return a check for addresses of web pages, such as "https://class.example/t"."""
    text = string(max_chars=max_chars)

    def check(value: object) -> str:
        address: str = text(value)
        try:
            address.encode()
            parts = urlsplit(address)
            is_valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:
            is_valid = False
        if not is_valid:
            raise misfit("the address of a web page", value)
        return address

    return check


def integer(minimum: int | None = None, maximum: int | None = None) -> Check:
    """Return a check for integers in a closed range; true and 1.0 do not pass."""
    rule = (
        "an integer" if minimum is None or maximum is None else f"an integer from {minimum:,} to {maximum:,}"
    )

    def check(value: object) -> int:
        if type(value) is not int:
            raise misfit(rule, value)
        if (minimum is not None and value < minimum) or (maximum is not None and value > maximum):
            raise misfit(rule, value)
        return value

    return check


def boolean(value: object) -> bool:
    """Check that a value is true or false."""
    if not isinstance(value, bool):
        raise misfit("true or false", value)
    return value


def json_object(value: object) -> dict[str, Any]:
    """Check that a value is an object, with any fields."""
    if not isinstance(value, dict):
        raise misfit("an object", value)
    return value


def one_of(*choices: str) -> Check:
    """Return a check for one of these strings."""

    def check(value: object) -> str:
        if not isinstance(value, str) or value not in choices:
            raise misfit(f"one of {', '.join(choices)}", value)
        return value

    return check


def array(item: Check, *, max_items: int | None = None) -> Check:
    """Return a check for lists whose items pass a check."""

    def check(value: object) -> list[Any]:
        if not isinstance(value, list):
            raise misfit("a list", value)
        if max_items is not None and len(value) > max_items:
            raise misfit(f"a list of at most {max_items:,}", value)
        checked = []
        for element in value:
            try:
                checked.append(item(element))
            except MisfitError as error:
                raise error.inside(f"[{len(checked)}]") from None
        return checked

    return check


def or_null(check: Check) -> Check:
    """Return a check that null passes too."""
    return lambda value: None if value is None else check(value)


def shown_json(value: object) -> str:
    """Return a value as error messages show it: short strings and numbers as they are, others by JSON type.

    >>> shown_json(True), shown_json("x" * 99), shown_json([1, 2])
    ('true', "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'…", 'a list of 2')
    """
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, list):
        return f"a list of {len(value):,}"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, str):
        return quoted(value, n_shown=60)
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:60]}…"
