"""The layers of ARCHITECTURE.md: a module imports only from its own layer or from those to the left."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
#: Rooms from left to right; those of one line stand side by side and do not know each other.
ROWS = (
    ["core"],
    ["workers"],
    ["bpe"],
    ["files"],
    ["catalog"],
    ["training"],
    ["formats", "analysis", "corpora"],
    ["lessons"],
    ["render"],
    ["server"],
    ["ui", "shell", "notebook"],
)
LAYERS = {room: number for number, row in enumerate(ROWS) for room in row}
#: Libraries that may be imported only here (a path prefix each).
CONFINED = {
    "streamlit": ["playground/ui/", "pages/", "streamlit_app.py"],
    "tiktoken": ["playground/catalog/", "playground/files/"],
    "tiktoken_ext": ["playground/catalog/"],
    "tokenizers": ["playground/catalog/", "playground/files/"],
    "sentencepiece": ["playground/catalog/"],
    "altair": ["playground/render/"],
    "distributed": ["playground/corpora/dask_engine.py"],
    "numba": ["playground/training/kernel/"],
    # The one exception to "nothing of LLVM": `numba.extending.intrinsic`, a public function, needs it, and
    # Numba has no function that compares 64 bytes at once or reads eight bytes from any place.
    "llvmlite": ["playground/training/kernel/intrinsics.py"],
}
MODULES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in [*ROOT.glob("playground/**/*.py"), *ROOT.glob("pages/*.py"), ROOT / "streamlit_app.py"]
)


def imported_names(source: str) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative import"
            names.add(node.module or "")
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return names


def layer_of(dotted: str) -> str | None:
    parts = dotted.split(".")
    return parts[1] if parts[0] == "playground" and parts[1:2] and parts[1] in LAYERS else None


def _names_what_it_may_not(path: str, own: str | None, source: str) -> bool:
    """Whether to parse a module at all, for parsing all of them takes seconds."""
    rooms = [room for room in LAYERS if own not in (None, room) and LAYERS[room] >= LAYERS[str(own)]]
    libraries = [name for name, allowed in CONFINED.items() if not path.startswith(tuple(allowed))]
    dotted = "|".join([*(rf"playground\.{room}" for room in rooms), *libraries])
    return bool(re.search(rf"\b(?:{dotted})\b|\bplayground\s+import\b|^\s*from\s*\.", source, re.MULTILINE))


def violations(path: str, source: str) -> list[str]:
    own = layer_of(path.removesuffix(".py").replace("/", "."))
    if not _names_what_it_may_not(path, own, source):
        return []
    found = []
    for name in sorted(imported_names(source)):
        layer = layer_of(name)
        if own is not None and layer not in (None, own) and LAYERS[str(layer)] >= LAYERS[own]:
            found.append(f"{path} imports {name}")
        allowed = CONFINED.get(name.split(".")[0])
        if allowed is not None and not path.startswith(tuple(allowed)):
            found.append(f"{path} imports {name}, which belongs to {', '.join(allowed)}")
    return found


def test_imports_point_left():
    assert len(MODULES) > 300
    assert [wrong for path in MODULES for wrong in violations(path, (ROOT / path).read_text())] == []


def test_the_check_sees_a_wrong_import():
    assert violations("playground/training/trainer.py", "from playground.ui import page")
    assert violations("playground/analysis/language_counts.py", "import streamlit as st")
    assert violations("playground/server/api.py", "import streamlit")
    assert violations("playground/shell/count.py", "from playground.ui import page")
    assert violations("playground/shell/count.py", "from playground import (\n    core,\n    ui,\n)")
    assert violations("playground/bpe/lecture.py", "def f():\n    import playground.files.checks as c")
    with pytest.raises(AssertionError, match="relative"):
        violations("playground/core/tokens.py", "from . import errors")
    assert not violations("playground/ui/page.py", "import streamlit\nfrom playground.core import tokens")
