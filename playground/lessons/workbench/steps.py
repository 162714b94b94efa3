"""The steps of the workbench, read from `assets/build/`: one file a step, for the page and the notebooks."""

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
    """A step: its task, a stub, our solution, the tests, known mistakes with advice, and a figure.

    `given` runs before the student's code. `texts` are those for which tests need tiktoken's ids.
    """

    slug: str
    title: str
    task: tuple[str, ...]
    stub: str
    solution: str
    tests: str
    probes: str
    mistakes: tuple[tuple[str, str], ...]
    figure: str
    given: str = ""
    texts: tuple[str, ...] = ()


def read_step(slug: str, source: str) -> Step:
    """Read a step's file: title and task as a comment, then cells that begin with `# %% name`.

    >>> step = read_step("x", "# Title\\n#\\n# Do it.\\n# %% stub\\nx = 1\\n\\n# %% mistake: No.\\nx = 2\\n")
    >>> step.title, step.task, step.stub, step.mistakes
    ('Title', ('Do it.',), 'x = 1\\n', (('No.', 'x = 2\\n'),))
    """
    head, *cells = source.split(f"\n{_CELL}")
    title, *task = [line.removeprefix("#").strip() for line in head.splitlines()]
    parts: dict[str, str] = {}
    mistakes: list[tuple[str, str]] = []
    for cell in cells:
        name, _, code = cell.partition("\n")
        code = code.strip("\n") + "\n"
        if name.startswith("mistake: "):
            mistakes.append((name.removeprefix("mistake: "), code))
        else:
            parts[name] = code
    return Step(
        slug=slug,
        title=title,
        task=tuple(filter(None, task)),
        stub=parts.get("stub", ""),
        solution=parts.get("solution", ""),
        tests=parts.get("tests", ""),
        probes=parts.get("probes", ""),
        mistakes=tuple(mistakes),
        figure=parts.get("figure", ""),
        given=parts.get("given", ""),
        texts=tuple(
            line.replace("\\n", "\n").replace("\\t", "\t") for line in parts.get("texts", "").splitlines()
        ),
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
