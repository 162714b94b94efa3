"""Read values that people paste: JSON, Python or JavaScript literals, JSON Lines, code, and curl commands.

Nothing is run. Comments, trailing commas, single quotes, names without quotes and calls with keyword
arguments, such as `dict(role="user")`, are read as data.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import regex

from playground.core.errors import DataSyntaxError, InvalidInputError

#: Limit on lists and objects inside one another.
MAX_DEPTH = 100


@dataclass(frozen=True, slots=True)
class Variable:
    """A name or an expression in pasted code whose value is not known."""

    source: str


@dataclass(frozen=True, slots=True)
class Pasted:
    """The values of a pasted text in order, and what the text was, such as "a curl command"."""

    values: tuple[Any, ...]
    what: str


def read_pasted(text: str, assigned: frozenset[str]) -> Pasted:
    """Read a pasted text. Where it is code, the names in `assigned` and their values become one object.

    >>> read_pasted("{'a': True, }", frozenset())
    Pasted(values=({'a': True},), what='a Python value')
    >>> read_pasted('answer = client.create(n=3, messages=["a"])', frozenset({"messages"}))
    Pasted(values=({'messages': ['a']},), what='code')

    Raises DataSyntaxError, which names the line and column.
    """
    text = _without_fence(text)
    try:
        return Pasted((json.loads(text),), "JSON")
    except (ValueError, RecursionError):
        pass
    body = _curl_body(text)
    if body is not None:
        try:
            return Pasted(read_pasted(body, assigned).values, "a curl command")
        except DataSyntaxError as error:
            raise InvalidInputError(f"in the data of the curl command, {error}") from None
    values, what, problem = _read_all(text)
    is_code = problem is not None or any(isinstance(value, Variable) for value in values)
    if is_code and (code := _read_assigned(text, assigned)):
        return Pasted((code,), "code")
    if problem is not None:
        raise problem
    return Pasted(values, what)


def _without_fence(text: str) -> str:
    """Return the content of a Markdown code block, with line feeds before it so that lines count the same."""
    found = _FENCE.search(text) if "```" in text else None
    return "\n" * text[: found.start(1)].count("\n") + found[1] if found else text


def _read_all(text: str) -> tuple[tuple[Any, ...], str, DataSyntaxError | None]:
    """Return the values that fill the whole text, their notation, and why they don't."""
    reader = _Reader(text)
    values: list[Any] = []
    try:
        reader.skip_space()
        while not reader.is_at_end or not values:
            values.append(reader.value())
            reader.skip_space()
            if reader.take(",") or reader.take(";"):  # rows of a list, or a statement
                reader.skip_space()
            if not reader.is_at_end and not reader.is_at_bracket:
                reader.fail(f"{reader.shown()} after the end of the value")
    except DataSyntaxError as error:
        return tuple(values), "", error
    return tuple(values), "JSON Lines" if len(values) > 1 else reader.notation, None


def _read_assigned(text: str, names: frozenset[str]) -> dict[str, Any]:
    """Return the values that are given to these names anywhere in code: `name = …`, `name: …`, `"name": …`.

    Raises DataSyntaxError if a list or an object cannot be read.
    """
    reader, found = _Reader(text), dict[str, Any]()
    while True:
        reader.skip_space()
        if reader.is_at_end:
            return found
        if name := reader.taken_name():
            if name in names and name not in found and reader.takes_assignment():
                is_data = reader.is_at_bracket
                try:
                    value = reader.value()
                except DataSyntaxError:
                    if is_data:
                        raise
                    continue
                if not isinstance(value, Variable):
                    found[name] = value
        else:
            reader.place += 1


_FENCE = regex.compile(r"^```[\w-]*[ \t]*\n(.*?)^```", regex.S | regex.M)
_SPACE = regex.compile(r"(?:[\s\ufeff]++|\#[^\n]*+|//[^\n]*+|/\*.*?\*/|\\\n)*+", regex.S)
_NUMBER = regex.compile(
    r"[-+]?(?:0[xX][\da-fA-F_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][-+]?\d+)?|Infinity\b|NaN\b|inf\b|nan\b)"
)
_NAME = regex.compile(r"[\p{L}_$][\p{L}\p{N}_$]*(?:\.[\p{L}_$][\p{L}\p{N}_$]*)*")
_STRING = regex.compile(r"(?i:([rubf]{0,2}))(\"\"\"|'''|[\"'`])")
#: The text up to the closing quotes or a backslash.
_PLAIN = {
    quote: regex.compile(rf"(?:[^\\{quote[0]}]|{quote[0]}(?!{quote[1:]}))++")
    for quote in ('"', "'", "`", '"""', "'''")
}
_ESCAPE = regex.compile(
    r"\\(?:u\{([\da-fA-F]{1,6})\}|u([\da-fA-F]{4})|U([\da-fA-F]{8})|x([\da-fA-F]{2})|([0-7]{1,3})|(\r?\n)|(.))",
    regex.S,
)
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "a": "\a"}
_CONSTANTS: Mapping[str, tuple[Any, str]] = {
    "true": (True, "JSON"), "false": (False, "JSON"), "null": (None, "JSON"),
    "undefined": (None, "JavaScript"),
    "True": (True, "Python"), "False": (False, "Python"), "None": (None, "Python"),
}  # fmt: skip
_CLOSING = {"[": "]", "(": ")", "{": "}"}


class _Reader:
    """Reads values from `text`, beginning at `place`."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.place = 0
        self.depth = 0
        self.is_python = False

    @property
    def notation(self) -> str:
        """What the text was written as."""
        return "a Python value" if self.is_python else "JSON with comments, other quotes or extra commas"

    @property
    def is_at_end(self) -> bool:
        """Whether nothing is left."""
        return self.place >= len(self.text)

    @property
    def is_at_bracket(self) -> bool:
        """Whether a list or an object begins here."""
        return self.text[self.place : self.place + 1] in _CLOSING

    def skip_space(self) -> None:
        """Move past white space and comments."""
        found = _SPACE.match(self.text, self.place)
        self.place = found.end() if found else self.place

    def take(self, mark: str) -> bool:
        """Move past a mark if it stands here."""
        if not self.text.startswith(mark, self.place):
            return False
        self.place += len(mark)
        return True

    def taken_name(self) -> str:
        """Move past a name, or a short text in quotes, and return it; "" if there is none."""
        if found := _NAME.match(self.text, self.place):
            self.place = found.end()
            return found[0]
        quote = self.text[self.place]
        end = self.text.find(quote, self.place + 1, self.place + 60) if quote in "\"'" else -1
        if end == -1 or "\n" in self.text[self.place : end]:
            return ""
        name = self.text[self.place + 1 : end]
        self.place = end + 1
        return name

    def takes_assignment(self) -> bool:
        """Move past `=` or `:` and the space after it, if a value is given here."""
        start = self.place
        self.skip_space()
        is_given = not self.text.startswith("==", self.place) and (self.take("=") or self.take(":"))
        self.skip_space()
        if not is_given or self.is_at_end:
            self.place = start
            return False
        return True

    def value(self) -> Any:
        """Read one value. Raises DataSyntaxError."""
        self.skip_space()
        if self.is_at_end:
            self.fail("the text ends where a value is expected")
        mark = self.text[self.place]
        if mark in _CLOSING:
            return self._inside(mark)
        if _STRING.match(self.text, self.place):
            return self._strings()
        if found := _NUMBER.match(self.text, self.place):
            self.place = found.end()
            return _number(found[0])
        if (found := _NAME.match(self.text, self.place)) is None:
            self.fail(f"{self.shown()} is not the beginning of a value")
        return self._named(found)

    def _inside(self, mark: str) -> Any:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.fail(f"more than {MAX_DEPTH} lists and objects are inside one another")
        opened = self.place
        self.place += 1
        made: Any = self._object(opened) if mark == "{" else self._list(mark, opened)
        self.depth -= 1
        return made

    def _list(self, mark: str, opened: int) -> Any:
        """Read a list or a tuple; a value in parentheses alone is that value."""
        values: list[Any] = []
        has_comma = False
        while not self._closes(_CLOSING[mark], opened, after_value=bool(values) and not has_comma):
            values.append(self.value())
            has_comma = self._comma()
        if mark == "(":
            self.is_python = True
            if len(values) == 1 and not has_comma:
                return values[0]
        return values

    def _object(self, opened: int) -> dict[str, Any]:
        values: dict[str, Any] = {}
        has_comma = True
        while not self._closes("}", opened, after_value=not has_comma):
            start = self.place
            key = self.value()
            name = key.source if isinstance(key, Variable) else key
            self.skip_space()
            if not self.take(":"):
                if self.is_at_end:
                    self.fail_at(opened, "the “{” is never closed")
                self.fail(f"{self.shown()} is where “:” is expected, after the key {_short(name)}")
            if not isinstance(name, str | int | float):
                self.fail_at(start, "a key is neither a text nor a number")
            values[str(name)] = self.value()
            has_comma = self._comma()
        return values

    def _comma(self) -> bool:
        self.skip_space()
        return self.take(",")

    def _closes(self, mark: str, opened: int, *, after_value: bool) -> bool:
        self.skip_space()
        if self.is_at_end:
            self.fail_at(opened, f"the “{self.text[opened]}” is never closed")
        if self.take(mark):
            return True
        if after_value:
            self.fail(f"{self.shown()} is where “,” or “{mark}” is expected")
        return False

    def _strings(self) -> Any:
        """Read a text; Python joins texts that follow each other, with or without `+`."""
        texts = [self._string()]
        while True:
            end = self.place
            self.skip_space()
            is_sum = self.take("+")
            self.skip_space()
            if not self.is_at_end and _STRING.match(self.text, self.place):
                start = self.place
                texts.append(self._string())
                self.skip_space()
                if not is_sum and self.text.startswith(":", self.place):
                    self.fail_at(start, "“,” is missing before this text")
                continue
            if is_sum:
                self.fail("a text is joined with something that is not a text in quotes; paste its value")
            self.place = end
            break
        if self.text.startswith(".", end) and (called := _NAME.match(self.text, end + 1)):
            self.fail_at(end, f"“.{called[0]}” is code, which is not run; paste the value that it gives")
        return "".join(texts)

    def _string(self) -> str:
        found = _STRING.match(self.text, self.place)
        assert found is not None
        prefix, quote = found[1].lower(), found[2]
        if prefix or len(quote) == 3 or quote == "'":
            self.is_python = True
        opened, self.place = self.place, found.end()
        parts: list[str] = []
        plain = _PLAIN[quote]
        while True:
            if run := plain.match(self.text, self.place):
                parts.append(run[0])
                self.place = run.end()
            if self.is_at_end:
                self.fail_at(opened, "the text in quotes that begins here is never closed")
            if self.take(quote):  # JSON writes a character beyond 16 bits as two escapes
                return (
                    "".join(parts).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
                )
            escape = _ESCAPE.match(self.text, self.place)
            if escape is None:  # a single backslash at the very end
                self.fail_at(opened, "the text in quotes that begins here is never closed")
            parts.append(escape[0] if "r" in prefix else _unescaped(escape))
            self.place = escape.end()

    def _named(self, found: regex.Match[str]) -> Any:
        """Read a constant, a call as the object of its keyword arguments, or a variable."""
        name, start = found[0], self.place
        self.place = found.end()
        if name in _CONSTANTS:
            value, notation = _CONSTANTS[name]
            self.is_python = self.is_python or notation == "Python"
            return value
        end = self.place
        self.skip_space()
        if not self.text.startswith("(", self.place):
            self.place = end
            return Variable(name)
        self.is_python = True
        return self._call(name, start)

    def _call(self, name: str, start: int) -> Any:
        opened = self.place
        self.place += 1
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.fail(f"more than {MAX_DEPTH} lists and objects are inside one another")
        positional: list[Any] = []
        named: dict[str, Any] = {}
        has_comma = True
        while not self._closes(")", opened, after_value=not has_comma):
            key = _NAME.match(self.text, self.place)
            before = self.place
            if key:
                self.place = key.end()
                self.skip_space()
            if key and not self.text.startswith("==", self.place) and self.take("="):
                named[key[0]] = self.value()
            else:
                self.place = before
                positional.append(self.value())
            has_comma = self._comma()
        self.depth -= 1
        short = name.rsplit(".", 1)[-1]
        if short == "dict" or (named and not positional):
            return {**named} if short == "dict" else {CALLED: short, **named}
        if short == "stringify" and positional:  # JSON.stringify of JavaScript
            return positional[0]
        if len(positional) == 1 and isinstance(positional[0], str):
            return {CALLED: short, "content": positional[0], **named}
        return Variable(" ".join(self.text[start : self.place].split()))

    def shown(self) -> str:
        """Return the character at this place in quotes, or the end of the text."""
        return f"“{self.text[self.place]}”" if not self.is_at_end else "the end of the text"

    def fail(self, message: str) -> NoReturn:
        """Raise DataSyntaxError at the present place."""
        self.fail_at(self.place, message)

    def fail_at(self, place: int, message: str) -> NoReturn:
        """Raise DataSyntaxError at a place."""
        line = self.text.count("\n", 0, place) + 1
        column = place - self.text.rfind("\n", 0, place)
        raise DataSyntaxError(message, line=line, column=column)


#: The key under which the object of a call has the name of what is called, such as "HumanMessage".
CALLED = "__called__"


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 40 else f"{shown[:40]}…"


def _number(source: str) -> int | float:
    digits = source.replace("_", "")
    try:
        return (
            int(digits, 0)
            if not digits.lstrip("+-").startswith("0") or "x" in digits.lower()
            else int(digits)
        )
    except ValueError:
        try:
            return float(digits.replace("Infinity", "inf"))
        except ValueError:
            return 0


def _unescaped(escape: regex.Match[str]) -> str:
    braced, four, eight, two, octal, line_end, letter = escape.groups()
    if digits := braced or four or eight or two:
        code = int(digits, 16)
        return chr(code) if code <= 0x10FFFF else "\ufffd"
    if octal:
        return chr(int(octal, 8))
    return "" if line_end else _LETTERS.get(letter, letter)


_CURL = regex.compile(r"^\s*(?:[$%>]\s*)?curl(?:\.exe)?\s", regex.M)
_WORD = regex.compile(
    r"(?:'(?P<plain>[^']*)'|\$'(?P<ansi>(?:[^'\\]|\\.)*)'|\"(?P<double>(?:[^\"\\]|\\.)*)\"|\\(?P<escaped>.)|(?P<bare>[^\s'\"\\]+))",
    regex.S,
)
_DATA_OPTION = regex.compile(r"(?:--data(?:-raw|-binary|-ascii|-urlencode)?|--json|-[a-zA-Z]*d)")
_HEREDOC = regex.compile(r"<<-?\s*(['\"]?)(\w+)\1[^\n]*\n(.*?)\n[ \t]*\2\s*$", regex.S | regex.M)


def _curl_body(text: str) -> str | None:
    """Return the data that a curl command sends; None if the text is not a curl command.

    Raises InvalidInputError if the data is not in the command.
    """
    start = _CURL.search(text[:2_000])
    if start is None:
        return None
    heredoc = _HEREDOC.search(text, start.end())
    if heredoc:
        return heredoc[3]
    words = _iter_shell_words(text[start.end() :])
    for word in words:
        option, equals, given = word.partition("=")
        if not _DATA_OPTION.fullmatch(option):
            if not word.startswith("-d") or word.startswith("--"):
                continue
            equals, given = "=", word[2:]
        body = given if equals else next(words, "")
        if body.startswith("@"):
            raise InvalidInputError(
                f"the curl command sends the file {body[1:]!r}, which is not in the command; "
                "paste the content of that file"
            )
        return body
    raise InvalidInputError("the curl command has no data: -d, --data or --json with a body is needed")


def _iter_shell_words(command: str) -> Iterator[str]:
    """Yield the words of a POSIX shell command without their quotes; stops at a quote that is not closed."""
    parts: list[str] | None = None
    place = 0
    while place < len(command):
        found = _WORD.match(command, place)
        if found is None:
            if command[place] in "'\"\\":
                raise InvalidInputError(f"a {command[place]} in the curl command is never closed")
            if parts is not None:
                yield "".join(parts)
            parts = None
            place += 1
            continue
        place = found.end()
        kind, value = found.lastgroup, found[found.lastgroup or 0]
        if kind == "escaped" and value == "\n":
            continue
        if kind == "double":
            value = regex.sub(r"\\([\\\"$`\n])", lambda m: "" if m[1] == "\n" else m[1], value)
        elif kind == "ansi":
            value = _ESCAPE.sub(_unescaped, value)
        parts = [*(parts or []), value]
    if parts is not None:
        yield "".join(parts)
