"""Rooms import only to the left, and no file uses private parts of a library or a browser."""

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
    ["formats", "analysis", "corpora", "expect", "drift"],
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
    "splintr": ["playground/corpora/"],
    "toktok": ["playground/corpora/"],
    "distributed": ["playground/corpora/dask_engine.py"],
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
    """Whether a module needs to be parsed; parsing all of them takes seconds."""
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


#: Everything that is written here, in Python and for browsers.
SOURCES = [
    "streamlit_app.py",
    *sorted(
        path.relative_to(ROOT).as_posix()
        for room in ("playground", "pages", "benchmarks", "scripts", "tests")
        for path in (ROOT / room).rglob("*")
        if path.suffix in {".py", ".js", ".html"} and not path.name.endswith(("test_layers.py", ".test.js"))
    ),
]
OURS = {"playground", "tests", "benchmarks", "scripts", "pages", "__future__"}
PRIVATE_PACKAGES = ("streamlit.runtime", "streamlit.proto", "streamlit.web")
#: Python documents these names in spite of their underscore.
DOCUMENTED = {"os._exit", "sys._getframe", "sys._current_frames"}
#: The second exception: Streamlit has no option for the dialogs that it shows when its server is away, so
#: its answer to this address is changed. Of its addresses, only those of the health check and of metrics are
#: documented.
PRIVATE_ADDRESSES = {"/_stcore/host-config": "playground/ui/middleware.py"}
TESTS_OF_ADDRESSES = ("tests/server/test_middleware.py", "tests/server/test_attacks.py")
DOCUMENTED_ADDRESSES = ("/_stcore/health", "/_stcore/metrics")
#: Assignments that replace a built-in of a browser, for example `WebSocket.prototype.send = …`.
REPLACED_BUILT_IN = re.compile(
    r"\b[A-Z]\w*\.prototype\.\w+\s*=(?!=)"
    r"|\b(?:window|globalThis|self)\.(?:fetch|WebSocket|XMLHttpRequest|EventSource|history|customElements)\s*=(?!=)"
    r"|\bhistory\.(?:pushState|replaceState)\s*=(?!=)"
    r"|\bObject\.defineProperty\(\s*(?:window|document|globalThis|[A-Z]\w*\.prototype)\b"
)


def private_uses(path: str, source: str) -> list[str]:
    """Return what a file uses of a library's private parts, or replaces in a browser."""
    found = [f"{path} replaces {match[0]}" for match in REPLACED_BUILT_IN.finditer(source)]
    found += [
        f"{path} uses {address}"
        for address in re.findall(r"/_stcore/[\w-]+", source)
        if address not in DOCUMENTED_ADDRESSES
        and path not in (PRIVATE_ADDRESSES.get(address), *TESTS_OF_ADDRESSES)
    ]
    if not path.endswith(".py"):
        return found
    foreign: set[str] = set()  # local names of what is imported from libraries
    for node in ast.walk(tree := ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [(alias.name, alias.asname or alias.name.partition(".")[0]) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [(f"{node.module}.{alias.name}", alias.asname or alias.name) for alias in node.names]
        else:
            continue
        for dotted, local in names:
            if dotted.partition(".")[0] in OURS:
                continue
            foreign.add(local)
            is_private = dotted.startswith(PRIVATE_PACKAGES) or any(map(_is_private, dotted.split(".")))
            if is_private and dotted not in DOCUMENTED:
                found.append(f"{path} imports {dotted}")
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and _root(node) in foreign:
            dotted = ast.unparse(node)
            if isinstance(node.ctx, ast.Store) and _is_class(node.value):
                found.append(f"{path} assigns to {dotted}")
            elif _is_private(node.attr) and dotted not in DOCUMENTED:
                found.append(f"{path} uses {dotted}")
    return found


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _is_class(node: ast.expr) -> bool:
    return ast.unparse(node).rpartition(".")[2][:1].isupper()


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__")


def test_nothing_uses_what_a_library_or_a_browser_keeps_private():
    assert len(SOURCES) > 300
    assert [use for path in SOURCES for use in private_uses(path, (ROOT / path).read_text())] == []


#: Names of Streamlit's own page: its classes, test ids, and those of the libraries that draw its widgets.
PRIVATE_DOM = re.compile(
    r"data-testid[\^$*~]?=[\"']?\w+|data-stale|\.st[A-Z]\w+|react-aria-\w+|\.dvn-[a-z-]+"
)


def test_few_places_depend_on_the_names_of_streamlits_own_page():
    """Each release of Streamlit may change them; `.st-key-…` and `--st-…` are documented and don't count."""
    styled = [path for path in (ROOT / "playground").rglob("*") if path.suffix in {".css", ".js", ".html"}]
    names = {name for path in styled for name in PRIVATE_DOM.findall(path.read_text())}
    assert len(names) <= 10, sorted(names)


def test_the_check_sees_a_private_use():
    assert private_uses("a.py", "from streamlit.runtime.state import SafeSessionState")
    assert private_uses("a.py", "import streamlit.web.cli")
    assert private_uses("a.py", "from numpy.core import _private")
    assert private_uses("a.py", "import streamlit as st\nst._config.set_option('a', 1)")
    assert private_uses("a.py", "from starlette.websockets import WebSocket\nWebSocket.send = None")
    assert private_uses("a.py", "path = '/_stcore/host-config'")
    assert private_uses("a.js", "WebSocket.prototype.send = function (data) {};")
    assert private_uses("a.js", "window.fetch = async () => {};")
    assert not private_uses("a.py", "from playground.ui import page\npage._x = 1")
    assert not private_uses("a.py", "import os\nos._exit(1)\nos.environ['A'] = 'b'")
    assert not private_uses("a.js", "if (Element.prototype.matches === other) { window.seen = 1; }")
