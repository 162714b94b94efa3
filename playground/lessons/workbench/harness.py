"""Runs a student's code: in the browser's Python, for `tessera verify` in a process of its own, and in tests.

Needs nothing but the standard library. The student's code, the tests and the fresh cases each have their own
namespace. Expected values of cases are not passed here: the caller compares, so no code here can reach them.
"""

import ast
import builtins
import contextlib
import hashlib
import io
import json
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, TextIO

#: The file names under which code is compiled, as they appear in tracebacks.
YOURS, TESTS = "<your code>", "<tests>"
_MAX_PRINTED, _MAX_SHOWN, _MAX_TOKENS, _MAX_TOKEN_CHARS = 10_000, 600, 1_500, 300
#: A larger value is described by its size.
_MAX_ITEMS = 200_000

Namespace = dict[str, Any]


def call(asked: str, begin: Callable[[str], object]) -> str:
    """Run a step or a list of steps; or advise on a case that failed, or digest a text. Answers with JSON."""
    read = json.loads(asked)
    if isinstance(read, list):
        mine: Namespace = {}
        return json.dumps([run(each, begin, mine) for each in read])
    if "digest" in read:
        return json.dumps(hashlib.sha256(read["digest"].encode()).hexdigest())
    if "advise" in read:
        return json.dumps(_advised(read["advise"]))
    return json.dumps(run(read, begin))


def run(
    asked: Mapping[str, Any], begin: Callable[[str], object] = lambda _: None, mine: Namespace | None = None
) -> dict[str, Any]:
    """Run the student's code, the tests, the cases and the figure.

    `asked` has `code`, which is None if it has run in `mine` already; `before`, the earlier steps with
    `given` and `code` each; `given`, `tests` and `figure` of the step; `names`, what tests and cases may use
    of the student's code; `setup` and `cases`, expressions to evaluate; and the student's `text`. `begin` is
    called with the name of each test, of the cases and of the figure. The result has `error` of the code
    itself, `tests`, `cases` (see `_evaluate`), `figure`, `is_out_of_memory`, and `printed`: what the code and
    the tests printed, up to the first failure.

    >>> step = {"code": "def f():\\n    return 1", "names": ["f"], "cases": ["f()"]}
    >>> run({**step, "tests": "def test_one():\\n    assert f() == 1"})["tests"]
    [{'name': 'one', 'is_right': True}]
    >>> run(step)["cases"]
    [{'value': '1', 'shown': '1'}]
    """
    answer: dict[str, Any] = {"error": None, "tests": [], "cases": [], "figure": []}
    with _redirected(printed := io.StringIO()):
        try:
            mine = {} if mine is None else mine
            mine.setdefault("__name__", "build")
            for number, earlier in enumerate(asked.get("before", ()), start=1):
                _run(earlier.get("given", ""), "<given>", mine)
                _run(earlier["code"], f"<step {number}>", mine)
            _run(asked.get("given", ""), "<given>", mine)
            if asked["code"] is not None:
                _run(asked["code"], YOURS, mine)
        except BaseException as error:
            answer["error"] = _about(error)
        else:
            offered = {name: mine[name] for name in asked.get("names", ()) if name in mine}
            answer["tests"] = _run_tests(asked.get("tests", ""), offered, begin)
            begin("the fresh examples")
            with _redirected(io.StringIO()):
                answer["cases"] = _evaluate(asked.get("setup", ""), asked.get("cases", ()), offered)
    with _redirected(io.StringIO()), contextlib.suppress(BaseException):
        if not answer["error"]:
            begin("the figure of your text")
            answer["figure"] = _figure(asked, mine or {})
    failures = [answer["error"], *(part.get("error") for part in [*answer["tests"], *answer["cases"]])]
    answer["is_out_of_memory"] = any(
        error and error["message"].startswith("MemoryError") for error in failures
    )
    said = printed.getvalue()
    answer["printed"] = (
        said if len(said) <= _MAX_PRINTED else said[:_MAX_PRINTED] + "\n… (the rest is not shown)"
    )
    return answer


@contextlib.contextmanager
def _redirected(to: TextIO) -> Iterator[None]:
    """Write what is printed to `to`."""
    with contextlib.redirect_stdout(to), contextlib.redirect_stderr(to):
        yield


def _run(source: str, name: str, namespace: Namespace) -> None:
    exec(compile(source, name, "exec"), namespace)


def _run_tests(source: str, offered: Namespace, begin: Callable[[str], object]) -> list[dict[str, Any]]:
    """Run each function `test_…` of `source` and say what failed."""
    scope = dict(offered)
    _run(source, TESTS, scope)
    results: list[dict[str, Any]] = []
    for node in ast.parse(source).body:
        if not (isinstance(node, ast.FunctionDef) and node.name.startswith("test_")):
            continue
        title = node.name.removeprefix("test_").replace("_", " ")
        begin(f"the test “{title[:1].upper()}{title[1:]}”")
        result: dict[str, Any] = {"name": title, "is_right": True}
        shown = sys.stdout if all(earlier["is_right"] for earlier in results) else io.StringIO()
        try:
            with _redirected(shown):
                scope[node.name]()
        except AssertionError as error:
            with _redirected(io.StringIO()):
                result |= {"is_right": False, **_comparison(error, source, scope)}
        except BaseException as error:
            result |= {"is_right": False, "error": _about(error)}
        results.append(result)
    return results


def _evaluate(setup: str, cases: Sequence[str], offered: Namespace) -> list[dict[str, Any]]:
    """Return the `value` of each expression, to compare, as it is `shown`, or the `error` that it raised."""
    scope = dict(offered)
    try:
        _run(setup, TESTS, scope)
    except BaseException as error:
        return [{"error": _about(error)} for _ in cases]
    found: list[dict[str, Any]] = []
    for expression in cases:
        try:
            value = eval(compile(expression, TESTS, "eval"), {**scope, "__builtins__": vars(builtins)})
            found.append({"value": canonical(value), "shown": _short(value)})
        except BaseException as error:
            found.append({"error": _about(error)})
    return found


def canonical(value: object) -> str:
    """Return a value as Python source in ASCII, so that values can be compared as texts.

    >>> canonical({(1, 2): "é"}), canonical(True)
    ("{(1, 2): '\\\\xe9'}", '1')
    """
    return ascii(_plain(value))


def _plain(value: object) -> object:
    """Return a value built from Python's own types; an object that equals anything does not pass for one."""
    if isinstance(value, int):
        return int.__index__(value)
    if isinstance(value, dict):
        return {_plain(key): _plain(item) for key, item in dict.items(value)}
    for kind in (list, tuple):
        if isinstance(value, kind):
            return kind(map(_plain, kind.__iter__(value)))  # type: ignore[arg-type]
    if type(value) in (str, bytes, type(None)):
        return value
    return f"a value of type {type(value).__name__}"


def _comparison(error: AssertionError, source: str, scope: Namespace) -> dict[str, str]:
    """Return the expression of a failed `assert left == right`, and both values."""
    here: TracebackType | None = error.__traceback__
    frames = []
    while here is not None:
        frames.append(here)
        here = here.tb_next
    failed = next((frame for frame in reversed(frames) if frame.tb_frame.f_code.co_filename == TESTS), None)
    if failed is None:
        return {}
    local = {**scope, **failed.tb_frame.f_locals}
    for node in ast.walk(ast.parse(source)):
        if (
            isinstance(node, ast.Assert)
            and node.lineno == failed.tb_lineno
            and isinstance(node.test, ast.Compare)
        ):
            sides = (node.test.left, node.test.comparators[0])
            got, wanted = (eval(compile(ast.Expression(side), TESTS, "eval"), local) for side in sides)
            return {"call": ast.unparse(sides[0]), "got": _short(got), "wanted": _short(wanted)}
    return {}


def _short(value: object) -> str:
    n = len(value) if isinstance(value, list | tuple | dict | set | str | bytes | bytearray) else 0
    if n > _MAX_ITEMS:
        return f"a {type(value).__name__} of {n:,} items"
    written = repr(value)
    return (
        written if len(written) <= _MAX_SHOWN else f"{written[:_MAX_SHOWN]} … ({len(written):,} characters)"
    )


def _about(error: BaseException) -> dict[str, Any]:
    """Return an error's message, the line of the student's code and, in an earlier step, that step."""
    line, where = 0, YOURS
    if isinstance(error, SyntaxError) and error.filename == YOURS:
        line = error.lineno or 0
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename == YOURS or frame.filename.startswith("<step"):
            line, where = frame.lineno or 0, frame.filename
    if isinstance(error, MemoryError):
        message = (
            "MemoryError: there is no memory for this; is a list or a text far larger than it should be?"
        )
    elif isinstance(error, RecursionError):
        message = "RecursionError: the function calls itself without an end"
    else:
        message = "".join(traceback.format_exception_only(error)[-1:]).strip()
    return {
        "message": message[:_MAX_SHOWN],
        "line": line,
        "where": "" if where == YOURS else where.strip("<>"),
    }


def _advised(asked: Mapping[str, Any]) -> str:
    try:
        if "error" in asked:
            return advice_on_error(asked["error"], is_in_code=bool(asked["line"]))
        got, wanted = ast.literal_eval(asked["got"]), ast.literal_eval(asked["wanted"])
    except (ValueError, SyntaxError):  # a shortened value
        return ""
    return advice(got, wanted, asked["code"], asked["expression"])


def advice_on_error(message: str, *, is_in_code: bool = True) -> str:
    """Return what an error means that the student's code raised, or that using its result raised; or "".

    >>> advice_on_error("KeyError: (1, 2)")
    'The dict has no key (1, 2). `dict.get(key, default)` returns the default for a missing key.'
    """
    kind, _, said = message.partition(": ")
    if not is_in_code:
        if kind == "NameError":
            return f"The tests call `{said.split(chr(39))[1]}`: give your function this name."
        return f"The result has no key {said}." if kind == "KeyError" else ""
    if kind == "KeyError":
        return f"The dict has no key {said}. `dict.get(key, default)` returns the default for a missing key."
    if kind == "IndexError":
        return "An index is past the end of the list. The last index is `len(…) - 1`."
    if kind == "UnicodeDecodeError":
        return 'These bytes are not valid UTF-8. `errors="replace"` puts � where they can\'t be decoded.'
    if "unhashable type: 'list'" in said:
        return "A list can't be a key of a dict. A tuple can: `tuple(…)` or `(a, b)`."
    if said.startswith(("max()", "min()")) and "empty" in said:
        return f"`{said[:5]}` got nothing to choose from. Check for that first."
    if r"bad escape \p" in said:
        return r"Python's `re` has no `\p{L}`. The module `regex` has it."
    if said.startswith("not enough values to unpack"):
        return "There are too few parts. Is the last line empty? `splitlines()` leaves that one out."
    return ""


def advice(got: object, wanted: object, code: str, expression: str) -> str:
    """Return what is certainly wrong with a value, from the code and the value; "" if no rule is sure.

    >>> advice([1, 2], [1, 2, 3], "", "f()")
    'The end is missing: 1 item too few.'
    >>> advice([1, 2], [5, 7], "", "f()")
    ''
    """
    return (got is not None and _about_code(code, expression)) or _about_value(got, wanted, code, expression)


def _about_code(code: str, expression: str) -> str:
    """Return a mistake that is seen in the called functions, whatever they return."""
    for function in _called(code, expression):
        nodes = list(ast.walk(function))
        read = {node.id for node in nodes if isinstance(node, ast.Name)}
        for argument in function.args.args:
            if argument.arg not in read:
                return f"`{function.name}` never uses `{argument.arg}`."
        if said := next(filter(None, map(_about_node, nodes)), ""):
            return said
        names = {node.attr for node in nodes if isinstance(node, ast.Attribute)} | read
        if function.name == "encode" and "max" in names:
            return "The pair that was learned first has the lowest number: `min`, not `max`."
        if function.name == "encode_special" and "split" in names and "escape" not in names:
            return "In a pattern, `|` means “or”. `regex.escape` makes it an ordinary character."
    return ""


def _about_node(node: ast.AST) -> str:
    """Return a mistake that is seen in one part of a function."""
    match node:
        case ast.Expr(ast.Call(ast.Name(name))) if name in _MADE:
            return f"`{name}(…)` returns something new, which is lost here: assign it to a name."
        case ast.Compare(left, _, others) if {*map(_kind_of_side, (left, *others))} >= {"slice", "pair"}:
            return "A slice of a list is a list, and no list equals a tuple. Compare `tuple(…)` of it."
        case ast.Call(ast.Name("max"), [_], []):
            return "`max` of a dict chooses the largest key; `max(d, key=d.get)` chooses by value."
        case ast.GeneratorExp() | ast.ListComp() | ast.For() if any(
            isinstance(part, ast.Attribute) and part.attr == "decode" for part in ast.walk(node)
        ):
            return "A character can span several tokens: first join all bytes, then decode once."
    return ""


def _kind_of_side(side: ast.expr) -> str:
    match side:
        case ast.Subscript(_, ast.Slice()):
            return "slice"
        case ast.Name("pair"):
            return "pair"
    return ""


#: Functions of the steps that change nothing, so that a call alone has no effect.
_MADE = ("get_stats", "merge", "encode", "encode_text")


def _name(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else ""


def _called(code: str, expression: str) -> list[ast.FunctionDef]:
    """Return the functions of the code that an expression calls; none if it is no valid code."""
    called = {_name(node) for node in ast.walk(ast.parse(expression)) if isinstance(node, ast.Call)}
    try:
        body = ast.parse(code).body
    except SyntaxError:
        return []
    return [node for node in body if isinstance(node, ast.FunctionDef) and node.name in called]


def _about_value(got: object, wanted: object, code: str, expression: str) -> str:
    if got is None:
        return (
            _about_return(code, expression) or "The function gave None: no `return` with a value was reached."
        )
    if isinstance(got, str) and got.startswith("a value of type "):
        return f"The result is {got.removeprefix('a value ')}; expected {_kind(wanted)}."
    if type(got) is not type(wanted):
        return f"The result is {_kind(got)}; expected {_kind(wanted)}."
    if isinstance(got, dict) and isinstance(wanted, dict):
        if not got:
            return "The dict is empty."
        if list(got.items()) != list(wanted.items()) and got == wanted:
            return "The items are right, but in another order."
        if all(isinstance(value, tuple) for value in got.values()) and wanted == {
            v: k for k, v in got.items()
        }:
            return "Keys and values are swapped."
        if got.keys() == wanted.keys():
            return _shifted(list(got.values()), list(wanted.values()))
        return _about_return(code, expression) if len(got) < len(wanted) else ""
    if isinstance(got, list) and isinstance(wanted, list):
        if any(isinstance(item, list) for item in got) and not any(isinstance(i, list) for i in wanted):
            return "The list has lists in it. `extend` adds the items of a list, `append` the list itself."
        if sorted(map(repr, got)) == sorted(map(repr, wanted)):
            return "The items are right, but in another order."
    if isinstance(got, list | str | bytes) and isinstance(wanted, type(got)):
        n = abs(len(got) - len(wanted))
        if not got:
            return f"The result is empty. {_about_return(code, expression)}".strip()
        if got == wanted[: len(got)]:
            return f"The end is missing: {_items(n, got)} too few.{_after(_about_return(code, expression))}"
        if got == wanted[-len(got) :]:
            return f"The beginning is missing: {_items(n, got)} too few."
        if wanted and wanted == got[: len(wanted)]:
            return f"There {'is' if n == 1 else 'are'} {_items(n, got)} too many at the end."
    if isinstance(got, list) and isinstance(wanted, list):
        return _shifted(got, wanted)
    return ""


def _after(sentence: str) -> str:
    return f" {sentence}" if sentence else ""


def _items(n: int, value: object) -> str:
    nouns: dict[type, str] = {str: "character", bytes: "byte"}
    noun = nouns.get(type(value), "item")
    return f"{n} {noun}{'' if n == 1 else 's'}"


def _kind(value: object) -> str:
    known: dict[str, str] = {"str": "text (str)", "int": "a number (int)", "bytes": "bytes"}
    return known.get(type(value).__name__, f"a {type(value).__name__}")


def _shifted(got: Sequence[object], wanted: Sequence[object]) -> str:
    """Say that each number differs from the expected one by the same amount."""
    if len(got) != len(wanted) or not got:
        return ""
    apart = {a - b for a, b in zip(got, wanted, strict=True) if isinstance(a, int) and isinstance(b, int)}
    if len(apart) != 1 or not all(isinstance(item, int) for item in [*got, *wanted]):
        return ""
    (n,) = apart
    return f"Each number is {abs(n)} too {'high' if n > 0 else 'low'}." if n else ""


def _about_return(code: str, expression: str) -> str:
    """Say that the called function has no `return`, or that its only one ends a loop in its first round."""
    for function in _called(code, expression):
        returns = [node for node in ast.walk(function) if isinstance(node, ast.Return)]
        if not any(node.value for node in returns):
            return f"`{function.name}` has no `return` with a value."
        loops = [node for node in ast.walk(function) if isinstance(node, ast.For | ast.While)]
        if any(statement in loop.body for loop in loops for statement in returns):
            return "The `return` is in the loop, so the loop ends in its first round. Indent it less."
    return ""


def _figure(asked: Mapping[str, Any], mine: Namespace) -> list[dict[str, Any]]:
    """Run the step's `figure(text)` with the student's functions."""
    scope = {**mine, "tokens": _tokens, "bars": _bars}
    _run(asked.get("figure", "def figure(text): return []"), "<figure>", scope)
    draw: Callable[[str], list[dict[str, Any]]] = scope["figure"]
    return draw(asked.get("text", ""))


def _written(token: bytes | str) -> str:
    """Return a token as text; bytes that are no character are hexadecimal."""
    text = token if isinstance(token, str) else _of_bytes(token)
    return text if len(text) <= _MAX_TOKEN_CHARS else f"{text[:_MAX_TOKEN_CHARS]}…"


def _of_bytes(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return "".join(chr(b) if 32 <= b < 127 else f"⟨{b:02X}⟩" for b in raw[:_MAX_TOKEN_CHARS])


def _tokens(label: str, parts: Sequence[bytes | str], lit: bytes | None = None) -> dict[str, Any]:
    """Return a row of tokens, some of them highlighted."""
    shown = [{"text": _written(part), "lit": lit is not None and part == lit} for part in parts[:_MAX_TOKENS]]
    return {"kind": "tokens", "label": label, "tokens": shown}


def _bars(label: str, rows: Sequence[tuple[Sequence[bytes | str], int]]) -> dict[str, Any]:
    """Return bars: tokens and their count each."""
    bars = [{"tokens": [_written(part) for part in parts], "n": int(n)} for parts, n in rows]
    return {"kind": "bars", "label": label, "bars": bars}


if __name__ == "__main__":
    sys.stdout.write(call(sys.stdin.read(), lambda _: None))
