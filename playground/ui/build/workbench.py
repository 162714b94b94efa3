"""The workbench: steps, editor, tests and figure in one browser component. Code runs in the browser only."""

import ast
from functools import cache
from typing import TypedDict

from playground.lessons.workbench.notebooks import TEXT, notebook_stem
from playground.lessons.workbench.steps import MILESTONES, Step, steps
from playground.render.palette import token_css
from playground.server.build_files import NOTEBOOKS_PATH, PYTHON_PATH, WORKBENCH_PATH, n_megabytes
from playground.ui import component

_component = component.define(
    "build",
    html='<div class="build"></div>',
    module="build/build.js",
    styles=("shared/token_strip.css", "build/build.css"),
    css=token_css(),
)


class TestData(TypedDict):
    """A test's name, as a sentence, and its source."""

    name: str
    source: str


class StepData(TypedDict):
    """A step of the workbench; `cases` are its tests one by one, `names` what tests may use.

    `notebook` is a name without its end.
    """

    slug: str
    title: str
    task: list[str]
    stub: str
    solution: str
    given: str
    tests: str
    cases: list[TestData]
    names: list[str]
    figure: str
    notebook: str


class MilestoneData(TypedDict):
    """A milestone and the steps that it consists of."""

    title: str
    steps: list[str]


class BuildData(TypedDict):
    """Data of the component: addresses of the browser's Python, fresh cases and notebooks; the steps."""

    python: str
    fresh: str
    megabytes: float
    notebooks: str
    text: str
    steps: list[StepData]
    milestones: list[MilestoneData]


def _cases(step: Step) -> list[TestData]:
    """Return a step's tests one by one, each with the values and classes of the file that it uses."""
    nodes = ast.parse(step.tests).body
    sources = [ast.get_source_segment(step.tests, node) or "" for node in nodes]
    shared = {
        node.name if isinstance(node, ast.ClassDef) else ast.unparse(node.targets[0]): source
        for node, source in zip(nodes, sources, strict=True)
        if isinstance(node, ast.ClassDef | ast.Assign)
    }
    return [
        {
            "name": node.name.removeprefix("test_").replace("_", " "),
            "source": "\n\n".join([*(text for name, text in shared.items() if name in source), source]),
        }
        for node, source in zip(nodes, sources, strict=True)
        if isinstance(node, ast.FunctionDef)
    ]


@cache
def step_data() -> list[StepData]:
    """Return all steps, in order."""
    return [
        {
            "slug": step.slug,
            "title": step.title,
            "task": list(step.task),
            "stub": step.stub,
            "solution": step.solution,
            "given": step.given,
            "tests": step.tests,
            "cases": _cases(step),
            "names": [name for earlier in steps()[:number] for name in earlier.names],
            "figure": step.figure,
            "notebook": notebook_stem(number, step),
        }
        for number, step in enumerate(steps(), start=1)
    ]


def show_workbench() -> None:
    """Draw the component; the address names the step."""
    data: BuildData = {
        "python": component.address(PYTHON_PATH),
        "fresh": component.address(WORKBENCH_PATH),
        "megabytes": n_megabytes(),
        "notebooks": component.address(NOTEBOOKS_PATH),
        "text": TEXT.strip(),
        "steps": step_data(),
        "milestones": [{"title": title, "steps": list(slugs)} for title, slugs in MILESTONES.items()],
    }
    _component(key="build", data=data)
