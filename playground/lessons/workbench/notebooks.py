"""The steps of the workbench as notebooks that need only `regex` and `tiktoken`."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from playground.lessons.workbench.steps import Step, steps

#: The text of the notebooks, which readers replace by their own.
TEXT = "The weather is what it is: 3½ degrees, naïve 京都, isn't it? 👋\n"
_NEEDS = (
    "Run the cells from the top. They need Python 3.11 or later and `pip install regex tiktoken`, and "
    "nothing else from this project."
)
_DOWNLOADS = " tiktoken downloads GPT-2's two files once, so the last two notebooks need the internet then."
_RUN_TESTS = """passed = 0
for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()  # an AssertionError below shows the line that fails
        passed += 1
print(f"All {passed} tests pass.")"""
_TIKTOKEN = """import tiktoken

TEXT = {text!r}  # your text


def tiktoken_encode(text):
    return tiktoken.get_encoding("gpt2").encode(text, allowed_special="all")"""


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


def notebook_stem(number: int, step: Step) -> str:
    """Return the name of a step's notebook without its extension."""
    return f"{number:02}-{step.slug.replace('_', '-')}"


def _notebook(number: int, step: Step, before: Sequence[Step], code: str) -> str:
    needs = _NEEDS + (_DOWNLOADS if step.given or step.texts else "")
    cells = [_markdown("\n\n".join([f"# {number} · {step.title}", *step.task, needs]))]
    if before:
        cells.append(
            _markdown("## The steps before, as we solve them\n\nPut your own functions here if you like.")
        )
        cells += [_code(earlier.given + earlier.solution) for earlier in before]
    if step.given:
        cells += [_markdown("## Given"), _code(step.given)]
    cells += [_markdown("## Your code" if code == step.stub else "## Our solution"), _code(code)]
    if step.texts:
        cells.append(_code(_TIKTOKEN.format(text=TEXT)))
    cells += [_markdown("## Tests"), _code(step.tests), _code(_RUN_TESTS)]
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
