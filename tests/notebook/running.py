"""A notebook's cells, run as a kernel runs them: one after the other, in one place."""

import ast
from collections.abc import Mapping
from typing import Any


def code_of(notebook: Mapping[str, Any]) -> list[str]:
    """The source of each code cell."""
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]


def run_cells(sources: list[str]) -> list[Any]:
    """Run the cells in order; what each shows, which is the value of its last line, or None."""
    names: dict[str, Any] = {"__name__": "__main__"}
    return [run_cell(source, names) for source in sources]


def run_cell(source: str, names: dict[str, Any]) -> Any:
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), names)
    if not isinstance(last, ast.Expr):
        return None
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
