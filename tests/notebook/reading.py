"""Read the output of notebooks: a drawing's HTML as a browser does, and cells as a kernel runs them."""

import ast
from collections.abc import Mapping
from typing import Any
from xml.etree.ElementTree import Element

import html5lib


def code_of(notebook: Mapping[str, Any]) -> list[str]:
    """Return the source of each code cell."""
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]


def run_cells(sources: list[str]) -> list[Any]:
    """Run the cells in order; return what each shows: the value of its last line, or None."""
    names: dict[str, Any] = {"__name__": "__main__"}
    return [run_cell(source, names) for source in sources]


def run_cell(source: str, names: dict[str, Any]) -> Any:
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), names)
    if not isinstance(last, ast.Expr):
        return None
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)


HTML = "{http://www.w3.org/1999/xhtml}"
SVG = "{http://www.w3.org/2000/svg}"
#: The elements and attributes of drawings: nothing that runs, loads or sends requests.
ELEMENTS = {
    *(HTML + name for name in ("html", "head", "body", "style", "div", "p", "ul", "li", "span", "small")),
    *(HTML + name for name in ("table", "thead", "tbody", "tr", "th", "td")),
    *(SVG + name for name in ("svg", "g", "path", "rect", "text", "circle", "line")),
}


def read_drawing(html: str) -> Element:
    """Return the elements of a drawing. Fails for elements and attributes that drawings don't use."""
    root: Element = html5lib.parse(html, treebuilder="etree")
    for element in root.iter():
        assert element.tag in ELEMENTS, element.tag
        for name in element.attrib:
            assert not name.startswith("on")
            assert name not in ("href", "src", "srcset", "action"), name
    return root


def tiles(root: Element) -> list[tuple[str, list[int]]]:
    """Return the text and the ids of each tile."""
    found = []
    for item in root.iter(f"{HTML}li"):
        shown, ids = item
        found.append((shown.text or "", [int(part) for part in (ids.text or "").split() if part != "…"]))
    return found
