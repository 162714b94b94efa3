"""The steps of the workbench, read from `assets/build/`: one file a step, for the page and the notebooks."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from playground.core.assets import damaged, read_text

#: The files of the steps, in order.
ORDER = (
    "get_stats",
    "merge",
    "train",
    "decode",
    "encode",
    "split",
    "special_tokens",
    "gpt2_files",
    "equals_tiktoken",
)
#: The four steps of minbpe's exercise as milestones, each with the steps that make it.
MILESTONES = {
    "Byte-pair encoding: train, encode, decode": ORDER[:5],
    "The split pattern": ORDER[5:6],
    "Special tokens": ORDER[6:7],
    "GPT-2's files, and the ids of tiktoken": ORDER[7:],
}
_CELL = "# %% "


@dataclass(frozen=True, slots=True)
class Step:
    """A step: task, stub, our solution, tests and a figure. `given` runs before the student's code."""

    slug: str
    title: str
    task: tuple[str, ...]
    stub: str
    solution: str
    tests: str
    figure: str
    given: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names that the step defines, which tests may use."""
        return tuple(name for node in ast.parse(self.given + self.solution).body for name in _defined(node))


def _defined(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef):
        yield node.name
    elif isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.Assign):
        yield from (
            each.id for target in node.targets for each in ast.walk(target) if isinstance(each, ast.Name)
        )


def read_step(slug: str, source: str) -> Step:
    """Read a step's file: title and task as a comment, then cells that begin with `# %% name`.

    >>> step = read_step("x", "# Title\\n#\\n# Do it.\\n# %% stub\\nx = 1\\n\\n# %% solution\\nx = 2\\n")
    >>> step.title, step.task, step.stub, step.names
    ('Title', ('Do it.',), 'x = 1\\n', ('x',))
    """
    head, *cells = source.split(f"\n{_CELL}")
    title, *task = [line.removeprefix("#").strip() for line in head.splitlines()]
    parts: dict[str, str] = {}
    for cell in cells:
        name, _, code = cell.partition("\n")
        parts[name] = code.strip("\n") + "\n"
    return Step(
        slug=slug,
        title=title,
        task=tuple(filter(None, task)),
        stub=parts.get("stub", ""),
        solution=parts.get("solution", ""),
        tests=parts.get("tests", ""),
        figure=parts.get("figure", ""),
        given=parts.get("given", ""),
    )


@cache
def steps() -> tuple[Step, ...]:
    """Return all steps in order. Raises AssetError.

    >>> [step.title for step in steps()][:2]
    ['Count the pairs', 'Merge a pair']
    """
    found = []
    for slug in ORDER:
        step = read_step(slug, read_text(f"build/{slug}.py"))
        if not (step.stub and step.solution and step.tests):
            raise damaged(f"build/{slug}.py", "a stub, a solution or tests are missing")
        found.append(step)
    return tuple(found)
