"""Read values that people paste: JSON, JSON Lines, the data of a curl command, and literals in Python code.

Nothing is run: `json` and `ast` read the values. A literal inside other code, such as a call in JavaScript,
is found by its brackets.
"""

import ast
import json
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import regex

from playground.core.errors import InvalidInputError

#: Limit on the bracketed values that are tried inside other code.
_MAX_TRIED = 50


@dataclass(frozen=True, slots=True)
class Pasted:
    """The values of a pasted text in order, and what the text was, such as "a curl command".

    `address` is the URL of a curl command. `unread` are names in code that are given something else than a
    literal.
    """

    values: tuple[Any, ...]
    what: str
    address: str = ""
    unread: tuple[str, ...] = ()


def read_pasted(text: str, names: frozenset[str]) -> Pasted:
    """Read a pasted text. In code, the values given to these names become one object.

    >>> read_pasted("{'a': True, }", frozenset()).values
    ({'a': True},)
    >>> read_pasted('answer = client.create(n=3, messages=["a"])', frozenset({"messages"})).values
    ({'messages': ['a']},)

    Raises InvalidInputError, which names the line and column where it can.
    """
    text = _without_fence(text)
    if _CURL.search(text[:2_000]):
        body, address = _curl_data(text)
        try:
            return Pasted(read_pasted(body, names).values, "a curl command", address)
        except InvalidInputError as error:
            raise InvalidInputError(f"in the data of the curl command: {error}") from None
    values, problem, rest = _json_values(text)
    if problem is None:
        return Pasted(values, "JSON Lines" if len(values) > 1 else "JSON")
    if len(values) > 1 or (values and rest.startswith("{")):  # JSON Lines of which a line is broken
        raise problem
    if (value := _python_value(text)) is not _NOTHING:
        return Pasted((value,), "a Python value")
    found, unread = _assigned(text, names)
    if found.keys() - {"model"}:
        return Pasted((found,), "code", unread=tuple(unread))
    if (value := _bracketed_object(text, names)) is not None:
        return Pasted((value,), "code")
    for name, source in unread.items():
        raise InvalidInputError(f"{name} contains code, {source[:60]!r}; paste the value that it gives")
    raise problem


def _without_fence(text: str) -> str:
    """Return the content of a Markdown code block, with line feeds before it so that lines count the same."""
    found = _FENCE.search(text) if "```" in text else None
    return "\n" * text[: found.start(1)].count("\n") + found[1] if found else text


_FENCE = regex.compile(r"^```[\w-]*[ \t]*\n(.*?)^```", regex.S | regex.M)
_BETWEEN = regex.compile(r"[\s,\ufeff]*")


def _json_values(text: str) -> tuple[tuple[Any, ...], InvalidInputError | None, str]:
    """Return the JSON values that fill a text, what is wrong with the text, and its rest from there."""
    decoder = json.JSONDecoder(strict=False)
    values: list[Any] = []
    place = _after_space(text, 0)
    try:
        while place < len(text):
            value, place = decoder.raw_decode(text, place)
            values.append(value)
            place = _after_space(text, place)
    except json.JSONDecodeError as error:
        where = f"(line {error.lineno}, column {error.colno})"
        if values and isinstance(values[0], str) and text[error.pos : error.pos + 1] == ":":
            try:  # the inside of an object
                return (json.loads("{" + text.strip().rstrip(",") + "}"),), None, ""
            except ValueError:
                pass
        return tuple(values), InvalidInputError(f"{error.msg} {where}"), text[place:]
    except RecursionError:
        return (), InvalidInputError("the lists and objects are nested too deeply"), text
    return tuple(values), None, ""


def _after_space(text: str, place: int) -> int:
    found = _BETWEEN.match(text, place)
    return found.end() if found else place


_NOTHING = object()
_CONSTANTS = {"true": True, "false": False, "null": None, "undefined": None}
#: The key under which the object of a call has the name of what is called, such as "HumanMessage".
CALLED = "__called__"


class _NotALiteralError(Exception):
    """Code that is not a literal; `source` is the code."""

    def __init__(self, node: ast.AST | None) -> None:
        self.source = ast.unparse(node) if node else "**"
        super().__init__(self.source)


def _parse(text: str, mode: str) -> ast.AST | None:
    try:
        return ast.parse(text, mode=mode)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _python_value(text: str) -> Any:
    tree = _parse(text.strip(), "eval")
    try:
        return _value_of(tree.body, {}) if isinstance(tree, ast.Expression) else _NOTHING
    except (_NotALiteralError, RecursionError):
        return _NOTHING


def _value_of(node: ast.AST, known: Mapping[str, Any]) -> Any:
    """Return the value of a literal, in which the names in `known` have those values.

    A call becomes the object of its arguments. Raises _NotALiteralError.
    """
    match node:
        case ast.Dict(keys, values):
            return {_key_of(key): _value_of(value, known) for key, value in zip(keys, values, strict=True)}
        case ast.List(items) | ast.Tuple(items):
            return [_value_of(item, known) for item in items]
        case ast.Name(name) if name in _CONSTANTS:
            return _CONSTANTS[name]
        case ast.Name(name) if name in known:
            return known[name]
        case ast.JoinedStr(parts):
            texts = [_value_of(part, known) for part in parts]
            if all(isinstance(text, str) for text in texts):
                return "".join(texts)
        case ast.FormattedValue(value, -1, None):
            return _value_of(value, known)
        case ast.Call(called, arguments, keywords) if arguments or keywords:
            return _object_of(ast.unparse(called).rsplit(".", 1)[-1], arguments, keywords, known)
        case ast.BinOp(left, ast.Add(), right):
            first, second = _value_of(left, known), _value_of(right, known)
            if isinstance(first, str) and isinstance(second, str):
                return first + second
    try:
        value = ast.literal_eval(node)
        json.dumps(value)
    except (ValueError, TypeError, RecursionError, MemoryError):
        raise _NotALiteralError(node) from None
    return value


def _key_of(key: ast.AST | None) -> str:
    match key:
        case ast.Name(name):  # as in JavaScript
            return name
        case ast.Constant(str() | int() | float() as value):
            return str(value)
    raise _NotALiteralError(key)


def _object_of(
    name: str, arguments: list[ast.expr], keywords: list[ast.keyword], known: Mapping[str, Any]
) -> Any:
    """Return the object that a call makes: `dict(…)`, or a message such as `HumanMessage("Hi")`."""
    named = {keyword.arg: _value_of(keyword.value, known) for keyword in keywords if keyword.arg}
    if name == "dict" and not arguments:
        return named
    if name == "stringify" and arguments:  # JSON.stringify of JavaScript
        return _value_of(arguments[0], known)
    if arguments:
        named = {"content": _value_of(arguments[0], known), **named}
    return {CALLED: name, **named}


def _assigned(text: str, names: frozenset[str]) -> tuple[dict[str, Any], dict[str, str]]:
    """Return what these names are given in Python code: the literals, and the source of what is none.

    A name is given a value by `name = …`, `f(name=…)` or `"name": …`.
    """
    found: dict[str, Any] = {}
    unread: dict[str, str] = {}
    tree = _parse(text, "exec") or ast.Module([], [])
    known = _constants(tree)
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop(0)
        taken = set()
        for name, value in _pairs_of(node):
            if name in names and name not in found:
                taken.add(value)
                try:
                    found[name] = _value_of(value, known)
                except _NotALiteralError as error:
                    unread.setdefault(name, error.source)
        for child in ast.iter_child_nodes(node):
            inner = child.value if isinstance(child, ast.keyword) else child
            if inner not in taken:
                waiting.append(inner)
    return found, {name: source for name, source in unread.items() if name not in found}


def _constants(tree: ast.AST) -> dict[str, str]:
    """Return the names that code binds once, to a text, as `SYSTEM = "…"` at its beginning does."""
    n_bound: Counter[str] = Counter()
    for node in ast.walk(tree):
        match node:
            case ast.Name(name, ast.Store()) | ast.arg(name) | ast.alias(_, str() as name) | ast.alias(name):
                n_bound[name] += 1
    known: dict[str, str] = {}
    for node in tree.body if isinstance(tree, ast.Module) else ():
        match node:
            case ast.Assign([ast.Name(name)], value) if n_bound[name] == 1:
                try:
                    text = _value_of(value, known)
                except _NotALiteralError:
                    continue
                if isinstance(text, str):
                    known[name] = text
    return known


def _pairs_of(node: ast.AST) -> list[tuple[str | None, ast.AST]]:
    match node:
        case ast.Assign([ast.Name(name)], value) | ast.AnnAssign(ast.Name(name), _, ast.expr() as value):
            return [(name, value)]
        case ast.Call(_, _, keywords):
            return [(keyword.arg, keyword.value) for keyword in keywords]
        case ast.Dict(keys, values):
            return [
                (key.value, value)
                for key, value in zip(keys, values, strict=True)
                if isinstance(key, ast.Constant) and isinstance(key.value, str)
            ]
    return []


def _bracketed_object(text: str, names: frozenset[str]) -> Any:
    """Return the first bracketed object in code of any language that has one of the names, else None."""
    tried = 0
    for opened in regex.finditer(r"[{\[]", text):
        if (tried := tried + 1) > _MAX_TRIED:
            break
        inside = _bracketed(text, opened.start())
        if not inside:
            continue
        values, problem, _ = _json_values(inside)
        if problem is not None:
            inside = _QUOTED_OR_COMMENT.sub(lambda found: found[1] or "", inside)
        value = values[0] if problem is None and values else _python_value(inside.replace("`", '"""'))
        if isinstance(value, dict) and names & value.keys() - {"model"}:
            return value
        if (
            isinstance(value, list)
            and value
            and isinstance(value[0], dict)
            and value[0].keys() & {"role", "parts"}
        ):
            return value
    return None


def _bracketed(text: str, start: int) -> str:
    """Return the text from a bracket to the one that closes it, "" if there is none; quotes are respected."""
    depth = 0
    for found in _QUOTED_OR_BRACKET.finditer(text, start):
        depth += {"[": 1, "{": 1, "(": 1, "]": -1, "}": -1, ")": -1}.get(found[0], 0)
        if depth == 0:
            return text[start : found.end()]
    return ""


_QUOTED_OR_BRACKET = regex.compile(
    r'"(?:[^"\\]|\\.)*+"|\'(?:[^\'\\]|\\.)*+\'|`(?:[^`\\]|\\.)*+`|[\[\](){}]', regex.S
)
_QUOTED_OR_COMMENT = regex.compile(
    r'("(?:[^"\\\n]|\\.)*+"|\'(?:[^\'\\\n]|\\.)*+\'|`(?:[^`\\]|\\.)*+`)|//[^\n]*+|/\*.*?\*/', regex.S
)
_CURL = regex.compile(r"^\s*(?:[$%>]\s*)?curl(?:\.exe)?\s", regex.M)
_DATA_OPTION = regex.compile(r"--data(?:-raw|-binary|-ascii|-urlencode)?|--json|-d")
_HEREDOC = regex.compile(r"<<-?\s*(['\"]?)(\w+)\1[^\n]*\n(.*?)\n[ \t]*\2\s*$", regex.S | regex.M)
_ANSI = regex.compile(r"\$'((?:[^'\\]|\\.)*+)'", regex.S)


def _curl_data(text: str) -> tuple[str, str]:
    """Return the data and the URL of a curl command. Raises InvalidInputError."""
    start = _CURL.search(text)
    command = text[start.end() if start else 0 :]
    heredoc = _HEREDOC.search(command)
    # Bash's $'…' has escapes, which shlex doesn't know.
    command = _ANSI.sub(
        lambda found: shlex.quote(_unescaped(found[1])), command[: heredoc and heredoc.start()]
    )
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise InvalidInputError(f"the curl command cannot be read: {error}") from None
    address = next((word for word in words if "://" in word), "")
    body = heredoc[3] if heredoc else next(_iter_data(words), None)
    if body is None:
        raise InvalidInputError("the curl command has no data: -d, --data or --json with a body is needed")
    if body.startswith("@"):
        raise InvalidInputError(
            f"the curl command sends the file {body[1:]!r}, which is not in the command; "
            "paste the content of that file"
        )
    return body, address


def _iter_data(words: list[str]) -> Iterator[str]:
    for word, following in zip(words, [*words[1:], ""], strict=True):
        option, equals, given = word.partition("=")
        if _DATA_OPTION.fullmatch(word):
            yield following
        elif equals and option.startswith("--") and _DATA_OPTION.fullmatch(option):
            yield given
        elif word.startswith("-d") and not word.startswith("--"):
            yield word[2:]


def _unescaped(text: str) -> str:
    """Return the text of `$'…'`; JSON's own escapes stand behind a second backslash."""
    pairs = {"n": "\n", "t": "\t", "r": "\r"}

    def one(found: regex.Match[str]) -> str:
        if found[1]:
            return chr(int(found[1][1:], 16))
        return pairs.get(found[2], found[2])

    return regex.sub(r"\\(?:(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2})|(.))", one, text, flags=regex.S)
