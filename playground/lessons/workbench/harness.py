"""Runs a student's code for a step: in the browser's Python, in tests, and nowhere on the server.

Needs nothing but the standard library. `call` takes and returns JSON.
"""

import ast
import contextlib
import io
import json
import re
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import FunctionType, TracebackType
from typing import Any, TextIO

#: The file names under which code is compiled, as they appear in tracebacks.
YOURS, TESTS = "<your code>", "<tests>"
_MAX_PRINTED, _MAX_SHOWN, _MAX_TOKENS, _MAX_TOKEN_CHARS = 10_000, 600, 1_500, 300
#: A larger value is described by its size.
_MAX_ITEMS = 200_000

Namespace = dict[str, Any]


def call(asked: str, begin: Callable[[str], object]) -> str:
    """Run a step: `before`, `code` and the step's other parts; see `run`."""
    return json.dumps(run(json.loads(asked), begin))


def run(asked: Mapping[str, Any], begin: Callable[[str], object] = lambda _: None) -> dict[str, Any]:
    """Run the student's code, the tests, the hint and the figure.

    `asked` has `code`, the `solution`, `given`, `tests`, `probes`, `mistakes` and `figure` of the step, in
    `before` code and solution of each earlier step, the student's `text`, and in `tiktoken` pairs of a text
    and its ids. `begin` is called with the name of each test, and of the figure. The result has `error` of
    the code itself, `tests`, `hint`, `figure`, `is_out_of_memory`, and `printed`: what the code and the tests
    printed, up to the first test that fails.

    >>> step = {"code": "def f():\\n    return 1", "tests": "def test_one():\\n    assert f() == 1"}
    >>> run(step)["tests"]
    [{'name': 'one', 'is_right': True}]
    """
    answer: dict[str, Any] = {"error": None, "tests": [], "hint": "", "figure": []}
    with _redirected(printed := io.StringIO()):
        try:
            mine = _namespace(asked)
            for number, earlier in enumerate(asked.get("before", ()), start=1):
                _run(earlier.get("given", ""), "<given>", mine)
                _run(earlier["code"], f"<step {number}>", mine)
            _run(asked.get("given", ""), "<given>", mine)
            _run(asked["code"], YOURS, mine)
        except BaseException as error:
            answer["error"], failed = _about(error), [_kind(error)]
        else:
            answer["tests"] = _run_tests(asked["tests"], mine, begin)
    said = printed.getvalue()
    with _redirected(io.StringIO()), contextlib.suppress(BaseException):
        if answer["error"]:
            answer["hint"] = _hint(asked, failed)
        elif not all(test["is_right"] for test in answer["tests"]):
            answer["hint"] = _hint(asked, _outcomes(asked.get("probes", ""), dict(mine)))
    with _redirected(io.StringIO()), contextlib.suppress(BaseException):
        if not answer["error"]:
            begin("the figure of your text")
            answer["figure"] = _figure(asked, mine)
    failures = [answer["error"], *(test.get("error") for test in answer["tests"])]
    answer["is_out_of_memory"] = any(
        error and error["message"].startswith("MemoryError") for error in failures
    )
    answer["printed"] = (
        said if len(said) <= _MAX_PRINTED else said[:_MAX_PRINTED] + "\n… (the rest is not shown)"
    )
    return answer


@contextlib.contextmanager
def _redirected(to: TextIO) -> Iterator[None]:
    """Write what is printed to `to`."""
    with contextlib.redirect_stdout(to), contextlib.redirect_stderr(to):
        yield


def _namespace(asked: Mapping[str, Any]) -> Namespace:
    known = dict(asked.get("tiktoken", ()))

    def tiktoken_encode(text: str) -> list[int]:
        return list(known[text])

    return {"__name__": "build", "TEXT": asked.get("text", ""), "tiktoken_encode": tiktoken_encode}


def _run(source: str, name: str, namespace: Namespace) -> None:
    exec(compile(source, name, "exec"), namespace)


def _run_tests(source: str, mine: Namespace, begin: Callable[[str], object]) -> list[dict[str, Any]]:
    """Run each function `test_…` and say what failed."""
    scope = dict(mine)
    _run(source, TESTS, scope)
    results: list[dict[str, Any]] = []
    for name, test in scope.items():
        if not name.startswith("test_") or name in mine:
            continue
        title = name.removeprefix("test_").replace("_", " ")
        begin(f"the test “{title[:1].upper()}{title[1:]}”")
        result: dict[str, Any] = {"name": title, "is_right": True}
        shown = sys.stdout if all(earlier["is_right"] for earlier in results) else io.StringIO()
        try:
            with _redirected(shown):
                test()
        except AssertionError as error:
            with _redirected(io.StringIO()):
                result |= {"is_right": False, **_comparison(error, source, scope)}
        except BaseException as error:
            result |= {"is_right": False, "error": _about(error)}
        results.append(result)
    return results


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


def _kind(error: BaseException) -> str:
    """Return an error's type and message without its numbers and names, to compare errors.

    >>> _kind(KeyError((105, 33))), _kind(NameError("name 'idz' is not defined"))
    ('KeyError: (0, 0)', "NameError: name '' is not defined")
    """
    message = re.sub(r"'[^']*'", "''", str(error))
    return f"{type(error).__name__}: {re.sub('[0-9]+', '0', message)}"


def _outcomes(probes: str, namespace: Namespace) -> list[str]:
    """Return the result of each probe as text, or the kind of the error that it raises."""
    found = []
    for line in ast.parse(probes).body:
        try:
            value = eval(ast.unparse(line), namespace)
            found.append(_short(dict(value) if isinstance(value, dict) else value))
        except BaseException as error:
            found.append(_kind(error))
    return found


def _hint(asked: Mapping[str, Any], seen: Sequence[str]) -> str:
    """Return the advice of the known mistake that explains the most of `seen`, the outcomes of the probes.

    Each mistake is our solution with some functions replaced by wrong ones. It must have the first wrong
    outcome of `seen`. It gains a point for each of its wrong outcomes that `seen` has too, and loses one for
    each other, so code with two mistakes gets the advice of one, and code with an unknown mistake gets none.
    """
    probes = asked.get("probes", "")
    ours = _namespace(asked)
    for step in [*asked.get("before", ()), asked]:
        _run(step.get("given", ""), "<given>", ours)
        _run(step["solution"], "<solution>", ours)
    right = _outcomes(probes, dict(ours))
    first = next((i for i, (s, true) in enumerate(zip(seen, right, strict=False)) if s != true), None)
    if first is None:
        return ""
    best, found = 0, "A function returns None. Is a `return` missing?" if "None" in seen else ""
    for advice, source in asked.get("mistakes", ()):
        wrong = _rebound(ours)
        try:
            _run(source, "<mistake>", wrong)
            outcomes = _outcomes(probes, wrong)
        except Exception as error:
            outcomes = [_kind(error)]
        if outcomes == seen:
            return str(advice)
        if len(outcomes) != len(seen) or outcomes[first] != seen[first]:
            continue
        agree = [o == s for o, s, true in zip(outcomes, seen, right, strict=True) if o != true]
        if (points := 2 * sum(agree) - len(agree)) > best:
            best, found = points, str(advice)
    return found


def _rebound(namespace: Namespace) -> Namespace:
    """Return a copy of a namespace whose functions call what is in the copy."""
    copy = dict(namespace)
    for name, value in namespace.items():
        if isinstance(value, FunctionType) and value.__globals__ is namespace:
            copy[name] = FunctionType(value.__code__, copy, name, value.__defaults__, value.__closure__)
    return copy


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
