"""The steps of the workbench as notebooks that need only `regex`, and for GPT-2 two files beside them."""

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

from playground.lessons.workbench.browser_modules import gpt2_files
from playground.lessons.workbench.cases import SETUP, draw
from playground.lessons.workbench.steps import Step, steps

#: The text of the page, which readers replace by their own.
TEXT = "The weather is what it is: 3½ degrees, naïve 京都, isn't it? 👋\n"
_NEEDS = (
    "Run the cells from the top. They need Python 3.11 or later and `pip install regex`, and "
    "nothing else from this project."
)
_FILES = (
    " This notebook reads `vocab.bpe` and `encoder.json` from its folder: they are in the zip of the "
    "page Build, so it needs no internet."
)
_RUN_TESTS = """passed = 0
for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()  # an AssertionError below shows the line that fails
        passed += 1
print(f"All {passed} tests pass.")"""


def build_notebooks() -> Mapping[str, str]:
    """Return the notebooks by file name: each step with a blank, and with our solution.

    >>> list(build_notebooks())[:2]
    ['01-get-stats.ipynb', '01-get-stats-solution.ipynb']
    """
    found = {}
    for number, step in enumerate(steps(), start=1):
        before = steps()[: number - 1]
        stem = notebook_stem(number, step)
        found[f"{stem}.ipynb"] = _notebook(number, step, before, step.stub)
        found[f"{stem}-solution.ipynb"] = _notebook(number, step, before, step.solution)
    return found


def notebooks_zip() -> bytes:
    """Return all notebooks and the two files of GPT-2 as a zip, which needs no internet."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in {**build_notebooks(), **gpt2_files()}.items():
            archive.writestr(f"build/{name}", text)
    return packed.getvalue()


def _more(step: Step) -> str:
    """Return assertions for examples that the page would draw."""
    checks = (
        f"assert ({case.expression}) == {case.shown}, {case.expression!r}"
        for case in draw(step.slug, 2026, TEXT)
    )
    return "\n".join([SETUP.get(step.slug, ""), *checks, 'print("All examples are right.")']).strip()


def notebook_stem(number: int, step: Step) -> str:
    """Return the name of a step's notebook without its extension."""
    return f"{number:02}-{step.slug.replace('_', '-')}"


def _notebook(number: int, step: Step, before: Sequence[Step], code: str) -> str:
    needs = _NEEDS + (_FILES if any(each.given for each in [*before, step]) else "")
    cells = [_markdown("\n\n".join([f"# {number} · {step.title}", *step.task, needs]))]
    if before:
        cells.append(
            _markdown("## The steps before, as we solve them\n\nPut your own functions here if you like.")
        )
        cells += [_code(earlier.given + earlier.solution) for earlier in before]
    if step.given:
        cells += [_markdown("## Given"), _code(step.given)]
    cells += [_markdown("## Your code" if code == step.stub else "## Our solution"), _code(code)]
    cells += [_markdown("## Tests"), _code(step.tests), _code(_RUN_TESTS)]
    cells += [
        _markdown("## More examples\n\nRandom ones; the page Build draws others at each run."),
        _code(_more(step)),
    ]
    notebook = {
        "cells": [{"id": f"cell-{n}", **cell} for n, cell in enumerate(cells, start=1)],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"


def _markdown(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": text.splitlines(keepends=True)}


def _code(text: str) -> dict[str, Any]:
    source = text.rstrip().splitlines(keepends=True)
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": source}
