"""A certificate of Build, and its check: the student's code runs again, on the tests and on fresh cases.

A certificate is a text: a head with name, date and the SHA-256 of the code, a line `--- tokenizer.py ---`,
and the code. `web/build/certificate.js` writes it.
"""

import hashlib
import json
import os
import re
import secrets
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playground.core.errors import InvalidInputError
from playground.lessons.workbench import harness
from playground.lessons.workbench.browser_modules import gpt2_files
from playground.lessons.workbench.cases import SETUP, Case, draw
from playground.lessons.workbench.notebooks import TEXT
from playground.lessons.workbench.steps import MILESTONES, Step, steps

HEAD, CODE_LINE = "Tessera certificate", "--- tokenizer.py ---"
MAX_SECONDS = 60.0
#: The heading of each step's code, as `exportCode` of `web/build/progress.js` writes it.
_HEADING = re.compile(r"^# (\d+) · .*?( \(Tessera's solution\))?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Certificate:
    """A certificate as it was read; `is_whole` says that the code is the one that was signed."""

    name: str
    date: str
    code: str
    is_whole: bool


@dataclass(frozen=True, slots=True)
class Checked:
    """What a certificate's code gets right; `failures` are sentences, `ours` are steps with our solution."""

    n_milestones: int
    n_tests: int
    n_cases: int
    failures: tuple[str, ...]
    ours: tuple[int, ...]


def read_certificate(text: str) -> Certificate:
    """Read a certificate. Raises InvalidInputError.

    >>> read_certificate("Tessera certificate\\nName: Ada\\n--- tokenizer.py ---\\nx = 1\\n").name
    'Ada'
    """
    head, found, code = text.replace("\r\n", "\n").partition(f"\n{CODE_LINE}\n")
    first, *lines = head.splitlines() or [""]
    if not found or first.strip("\ufeff ") != HEAD:
        raise InvalidInputError(f"this is not a certificate; it begins with “{HEAD}” and has the code below")
    fields = dict(line.split(": ", 1) for line in lines if ": " in line)
    digest = hashlib.sha256(code.encode()).hexdigest()
    return Certificate(fields.get("Name", ""), fields.get("Date", ""), code, fields.get("SHA-256") == digest)


def check(code: str) -> Checked:
    """Run a whole `tokenizer.py` in a process of its own. Raises InvalidInputError if it does not answer."""
    missing = {int(number) for number, is_ours in _HEADING.findall(code) if is_ours}
    drawn = {step.slug: draw(step.slug, secrets.randbits(64), TEXT) for step in steps()}
    asked = [_asked(number, step, code, drawn[step.slug]) for number, step in enumerate(steps(), start=1)]
    answers = dict(zip((step.slug for step in steps()), _run_apart(asked), strict=True))
    reached: set[str] = set()
    failures, n_tests, n_cases = [], 0, 0
    for number, step in enumerate(steps(), start=1):
        answer, cases = answers[step.slug], drawn[step.slug]
        rights = [
            given.get("value") == case.value for given, case in zip(answer["cases"], cases, strict=False)
        ]
        n_tests += sum(test["is_right"] for test in answer["tests"])
        n_cases += sum(rights)
        failure = _failure(answer, cases, rights)
        if failure:
            failures.append(f"step {number}, {step.title}: {failure}")
        elif number not in missing:
            reached.add(step.slug)
    n_milestones = sum(reached >= set(slugs) for slugs in MILESTONES.values())
    return Checked(n_milestones, n_tests, n_cases, tuple(failures), _same_as_ours(code))


def _asked(number: int, step: Step, code: str, cases: list[Case]) -> dict[str, Any]:
    return {
        "code": code if number == 1 else None,
        "names": [name for each in steps()[:number] for name in each.names],
        "tests": step.tests,
        "setup": SETUP.get(step.slug, ""),
        "cases": [case.expression for case in cases],
        "figure": "def figure(text): return []",
    }


def _run_apart(asked: list[dict[str, Any]]) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        for name, text in gpt2_files().items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
        kept = {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
        try:
            ended = subprocess.run(
                [sys.executable, "-I", "-X", "utf8", harness.__file__],
                input=json.dumps(asked).encode(),
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=folder,
                env=kept,
                timeout=MAX_SECONDS,
                check=False,
            )
            answers: list[dict[str, Any]] = json.loads(ended.stdout)
        except subprocess.TimeoutExpired:
            raise InvalidInputError(f"the code ran for more than {MAX_SECONDS:g} s and was stopped") from None
        except ValueError:
            raise InvalidInputError("the code ended Python, so nothing could be checked") from None
    return answers


def _failure(answer: dict[str, Any], cases: list[Case], rights: list[bool]) -> str:
    """Return what is wrong with a step as a sentence, or ""."""
    if answer["error"]:
        return str(answer["error"]["message"])
    for given, case, is_right in zip(answer["cases"], cases, rights, strict=True):
        if not is_right:
            gave = (
                f"gave {given['shown']}" if "shown" in given else f"stopped with {given['error']['message']}"
            )
            return f"{case.expression} {gave}; expected {case.shown}"
    wrong = next((test["name"] for test in answer["tests"] if not test["is_right"]), "")
    return f"the test “{wrong}” fails" if wrong else ""


def _same_as_ours(code: str) -> tuple[int, ...]:
    """Return the steps whose code is our solution."""
    found = [*_HEADING.finditer(code)]
    ends = [*(heading.start() for heading in found[1:]), len(code)]
    parts = {int(heading[1]): code[heading.end() : end] for heading, end in zip(found, ends, strict=True)}
    return tuple(
        number
        for number, step in enumerate(steps(), start=1)
        if "".join(step.solution.split()) in "".join(parts.get(number, "").split())
    )
