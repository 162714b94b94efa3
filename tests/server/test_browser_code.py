"""Browser code is served at an address that changes with any of its files."""

import shutil
from pathlib import Path

import regex

from playground.server.browser_code import WEB_PATH, digest_files
from playground.server.web_files import WEB, imported_modules
from tests.server.browser_side import CLIENT

#: A statement at the start of a line, or a call: a sentence in quotes may say "from".
IMPORTED = regex.compile(r'(?m)^(?:import|export)\b(?:[^;"]*\bfrom)?\s*"([^"]+)"|\bimport\("([^"]+)"\)')


def test_every_import_is_a_relative_path_of_a_file_that_exists():
    for path in WEB.rglob("*.js"):
        targets = map("".join, IMPORTED.findall(path.read_text()))
        for target in [target for target in targets if not target.startswith("node:")]:
            assert target.startswith("."), path
            assert (path.parent / target).is_file(), path


def test_modules_are_sent_as_javascript_that_browsers_cache():
    answer = CLIENT.get(f"{WEB_PATH}/shared/wire.js")
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.content == (WEB / "shared" / "wire.js").read_bytes()
    assert CLIENT.get("/web/0123456789abcdef/shared/wire.js").status_code == 404


def test_the_digest_changes_with_names_and_contents(tmp_path: Path):
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


def test_imports_of_imports_are_found_once(tmp_path: Path):
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
