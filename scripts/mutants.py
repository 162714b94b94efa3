"""Change one line of the code at a time, run the tests about it, and list the changes that no test sees.

Run `python -m scripts.mutants`, or `make mutants`, for the lines that differ from the last commit before them
(`--since`), or name files and folders: `make mutants ARGS='playground/shell --n 40'`. Each change is made in
a copy of the checkout. The tests are those that name the module, then all of its room, or for browser code
all unit tests of the browser code.
"""

import argparse
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
SECONDS = 300
#: What is left alone: text and comments of Python and JavaScript, decorators, imports, types.
_LEFT = r'''[rfb]*"""(?:.|\n)*?"""|`[^`]*`|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|/\*(?:.|\n)*?\*/|//.*|\#.*|
    ^\s*@.*|^(?:from|import|export)\b.*|->.*:$'''
_CHANGES = {
    "===": "!==", "!==": "===", "==": "!=", "!=": "==", "<=": "<", ">=": ">", "<": "<=", ">": ">=",
    "&&": "||", "||": "&&", "and": "or", "or": "and", "not": "", "+": "-", "-": "+", "*": "+", "//": "*",
    "True": "False", "False": "True", "true": "false", "false": "true", "min": "max", "max": "min",
    "continue": "break", "break": "continue", "+=": "-=", "-=": "+=", "if not": "if",
}  # fmt: skip
_WORDS = "|".join(word for word in _CHANGES if word.isalpha())
_TOKEN = re.compile(
    rf"""(?P<left>{_LEFT})|(?P<change>(?<![\w.])(?:{_WORDS})(?![\w(=])|(?<![\w.])(?:min|max)(?=\()
    |===|!==|==|!=|<=|>=|&&|\|\||\+=|-=|(?<=\s)(?:<|>|\+|-|\*|//)(?=\s)|(?<![\w.\[])\d[\d_]*(?![\w.\]]))
    |(?P<statement>^[ ]{{4,}}(?:[\w.]+\([^\n]*\);?|[\w.\[\]]+[ ]=[ ][^\n(\[{{]+|raise[ ][^\n]*\))$)""",
    re.M | re.X,
)


class Mutant(NamedTuple):
    """A file with one change: the line's number, and the line before and after."""

    path: Path
    line: int
    before: str
    after: str
    source: str


def _another_number(number: int) -> str:
    return str(number + 1 if number < 10 else 2 * number)


def mutants_of(path: Path, lines: Sequence[range] | None) -> Iterator[Mutant]:
    """Yield each change of a file, or of some of its lines."""
    source = path.read_text(encoding="utf-8")
    for found in _TOKEN.finditer(source):
        if found["left"] is not None:
            continue
        number = source.count("\n", 0, found.start()) + 1
        if lines is not None and not any(number in some for some in lines):
            continue
        if old := found["change"]:
            new = _CHANGES.get(old) if not old[0].isdigit() else _another_number(int(old.replace("_", "")))
        else:
            old = found["statement"]
            indent = old[: len(old) - len(old.lstrip())]
            new = indent + (";" if path.suffix == ".js" else "pass")
        changed = source[: found.start()] + str(new) + source[found.start() + len(old) :]
        before, after = (text.splitlines()[number - 1].strip() for text in (source, changed))
        yield Mutant(path, number, before, after, changed)


def changed_lines(since: str) -> dict[Path, list[range]]:
    """Return the lines of each file of the code that differ from a commit."""
    command = ["git", "diff", "-U0", "--diff-filter=d", since, "--", "playground", "pages"]
    found: dict[Path, list[range]] = {}
    lines: list[range] = []
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for line in shown.splitlines():
        if line.startswith("+++ b/"):
            lines = found.setdefault(ROOT / line[6:], [])
        elif match := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line):
            lines.append(range(int(match[1]), int(match[1]) + int(match[2] or 1)))
    return found


def commands_for(path: Path, *, only_near: bool) -> Iterator[list[str]]:
    """Yield commands that test a file: the narrowest first."""
    relative = path.relative_to(ROOT)
    if path.suffix == ".js":
        yield ["tests/web/test_browser_units.py"]
        return
    module = ".".join(relative.with_suffix("").parts)
    package, _, name = module.rpartition(".")
    names = re.compile(rf"{re.escape(module)}\b|from {re.escape(package)} import [^\n]*\b{name}\b")
    tests = [*(ROOT / "tests").rglob("test_*.py")]
    tests = [test for test in tests if "e2e" not in test.parts]
    near = [test for test in tests if names.search(test.read_text(encoding="utf-8"))]
    yield [str(relative), *(str(test.relative_to(ROOT)) for test in near)]
    if only_near:
        return
    room = Path("tests", *relative.parts[1:-1])
    while not (ROOT / room).is_dir():
        room = room.parent
    if room != Path("tests"):
        yield [str(room)]


@cache
def passes_as_it_is(tests: tuple[str, ...], copy: Path) -> bool:
    """Return whether tests pass without a change."""
    return passes(tests, copy)


def passes(tests: Sequence[str], copy: Path) -> bool:
    """Return whether tests pass; a file without tests does, and tests that do not end do not."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    with subprocess.Popen(
        command, cwd=copy, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:  # fmt: skip
        try:
            return process.wait(SECONDS) in (0, 5)
        except subprocess.TimeoutExpired:
            return False
        finally:
            with suppress(ProcessLookupError):  # the processes that the tests started, too
                os.killpg(process.pid, signal.SIGKILL)


def is_seen(mutant: Mutant, copy: Path, *, only_near: bool) -> bool:
    """Return whether a test fails because of a change."""
    place = copy / mutant.path.relative_to(ROOT)
    for tests in commands_for(mutant.path, only_near=only_near):
        if not passes_as_it_is(tuple(tests), copy):
            print(f"These tests fail without a change, and are left out: {' '.join(tests)}", flush=True)
            continue
        source = place.read_text(encoding="utf-8")
        place.write_text(mutant.source, encoding="utf-8")
        try:
            if not passes(tests, copy):
                return True
        finally:
            place.write_text(source, encoding="utf-8")
    return False


def main() -> int:
    """Run the command; the exit status is 1 if a change was not seen."""
    parser = argparse.ArgumentParser(prog="python -m scripts.mutants", description=__doc__)
    parser.add_argument("paths", nargs="*", type=Path, help="files and folders of the code")
    parser.add_argument("--since", default="HEAD~1", help="without paths: a commit to compare with")
    parser.add_argument("--n", type=int, default=50, help="at most so many changes, at random")
    parser.add_argument("--near", action="store_true", help="run only the tests that name the module")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    places: dict[Path, list[range] | None] = {}
    for path in given.paths:
        files = path.resolve().rglob("*.*") if path.is_dir() else [path.resolve()]
        places |= dict.fromkeys(sorted(files))
    if not given.paths:
        places |= changed_lines(given.since)
    mutants = [
        mutant
        for path, lines in places.items()
        if path.suffix in (".py", ".js") and not path.name.endswith(".test.js")
        for mutant in mutants_of(path, lines)
    ]
    if len(mutants) > given.n:
        mutants = sorted(random.Random(given.seed).sample(mutants, given.n))
    n_unseen = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "checkout")
        left_out = shutil.ignore_patterns(".venv", ".git", ".*_cache", "__pycache__", "test-results")
        shutil.copytree(ROOT, copy, symlinks=True, ignore=left_out)
        for mutant in mutants:
            if not is_seen(mutant, copy, only_near=given.near):
                n_unseen += 1
                place = f"{mutant.path.relative_to(ROOT)}:{mutant.line}"
                print(f"{place}\n  - {mutant.before}\n  + {mutant.after}", flush=True)
    print(f"{len(mutants)} changes, {n_unseen} not seen by a test")
    return 1 if n_unseen else 0


if __name__ == "__main__":
    sys.exit(main())
