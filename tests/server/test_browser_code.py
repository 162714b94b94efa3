"""Browser code is served for good at an address that changes with any file."""

import shutil
from functools import cache
from pathlib import Path

import pytest
import regex
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route
from starlette.testclient import TestClient

from playground.server.browser_code import WEB, WEB_PATH, digest_files, imported_modules
from playground.server.routes import ROUTES, routes_below

MODULES = sorted(path.relative_to(WEB).as_posix() for path in WEB.rglob("*.js"))
#: A statement at the head of a line, or a call: a sentence in quotes may say "from".
IMPORTED = regex.compile(r'(?m)^(?:import|export)\b(?:[^;"]*\bfrom)?\s*"([^"]+)"|import\("([^"]+)"\)')
CLIENT = TestClient(Starlette(routes=ROUTES))


@cache
def status_of(address: str) -> int:
    return CLIENT.get(address).status_code


def test_every_import_names_a_file_that_is_served():
    assert len(MODULES) > 100
    for module in MODULES:
        source = (WEB / module).read_text()
        paths = IMPORTED.findall(source)
        relative = [path for path in map("".join, paths) if not path.startswith("node:")]
        base = f"{WEB_PATH}/{module}".rpartition("/")[0]
        for path in relative:
            assert path.startswith("."), f"{module}: a module of ours is imported by its relative path"
            assert status_of(f"{base}/{path}") == 200, module
        if not module.endswith(".test.js"):
            found = imported_modules(module)
            assert len(found) == len(set(found)), module
            folder = (WEB / module).parent
            outright = {folder.joinpath(path).resolve() for path in regex.findall(r'from "([^"]+)";', source)}
            assert outright < {WEB / path for path in found}, module


def test_a_module_is_javascript_that_a_browser_keeps_for_good():
    answer = CLIENT.get(f"{WEB_PATH}/editor/editor.js")
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.content == (WEB / "editor" / "editor.js").read_bytes()


@pytest.mark.parametrize(
    "path", ["/web/0123456789abcdef/editor/editor.js", f"{WEB_PATH}/none.js", f"{WEB_PATH}/../x"]
)
def test_what_is_not_there_is_a_404_and_no_page(path):
    assert CLIENT.get(path).status_code == 404


def test_the_digest_changes_with_names_contents_and_where_a_file_ends(tmp_path: Path):
    shutil.copytree(WEB, tmp_path / "web")
    before = digest_files(tmp_path / "web")
    assert before == digest_files(WEB) == WEB_PATH.rpartition("/")[2]
    file = tmp_path / "web" / "shared" / "wire.js"
    text = file.read_text()
    file.write_text(text + " ")
    changed = digest_files(tmp_path / "web")
    file.write_text(text)
    file.rename(file.with_name("wires.js"))
    assert len({before, changed, digest_files(tmp_path / "web")}) == 3


def test_all_imports_are_found_through_others(tmp_path: Path):
    for name, text in {
        "a/a.js": 'import { b } from "../b.js";\nimport {\n  c,\n} from "./c.js";\nconst s = "no";',
        "a/c.js": 'export { d } from "./d.js";',
        "a/d.js": 'import "./a.js";',
        "b.js": "// import { x } from nowhere",
        "e.js": "",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert sorted(imported_modules("a/a.js", tmp_path)) == ["a/a.js", "a/c.js", "a/d.js", "b.js"]


def test_all_routes_stand_below_the_base_path():
    client = TestClient(Starlette(routes=routes_below("/tools/")))
    assert client.get(f"/tools{WEB_PATH}/editor/editor.js").status_code == 200
    assert client.post("/tools/session/none/open", json={}).status_code == 410
    assert client.get(f"{WEB_PATH}/editor/editor.js").status_code == 404
    assert len(routes_below("tools")) == len(ROUTES)
    below = TestClient(
        Starlette(routes=[*routes_below("tools"), Route("/tools/own", lambda _: Response("own"))])
    )
    assert below.get("/tools/own").text == "own", "the routes of Streamlit itself are still found"
