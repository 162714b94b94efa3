"""Names on the wire are declared in Python; the browser code gets types from them, which are checked."""

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import NotRequired, TypedDict

import pytest
import regex

from playground.server.actions import Actions
from playground.server.browser_code import WEB
from scripts import write_wire_types
from scripts.write_wire_types import FILE, REQUESTS, wire_types


def test_the_written_types_are_up_to_date():
    assert FILE.read_text(encoding="utf-8") == wire_types(), "run python -m scripts.write_wire_types"


@dataclass
class Inner:
    a: int | None

    @property
    def twice(self) -> float:
        return 2 * (self.a or 0)


class Outer(TypedDict):
    inner: list[Inner]
    pairs: tuple[tuple[int, str], ...]
    by_name: NotRequired[dict[str, bool]]


def test_python_types_become_typescript_types(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(write_wire_types, "GIVEN", (Outer,))
    monkeypatch.setattr(write_wire_types, "REQUESTS", {})
    inner = "export type Inner = {\n  a: number | null;\n  twice: number;\n};\n"
    outer = (
        "export type Outer = {\n  inner: Inner[];\n  pairs: [number, string][];\n"
        "  by_name?: Record<string, boolean>;\n};\n"
    )
    types = wire_types()
    assert inner in types
    assert outer in types


@pytest.mark.parametrize("actions", REQUESTS.values(), ids=REQUESTS)
def test_each_action_takes_the_fields_of_its_shape(actions: Actions):
    for name, action in actions.items():
        fields = "".join(rf"\s+{field}\??: [^;]+;" for field in action.shape.fields)
        assert regex.search(rf"  {name}: {{{fields}\s*}};", wire_types()), name


#: Names that differ on purpose, and their users.
MISSPELT = {
    "n_tokens_plain": "editor/editor_notes.js",
    "n_deleted": "shared/text_sync.js",
    "tokens_against_first": "compare/views.js",
    "pair_ranks": "forest/step_player.js",
    "score_name": "train/film.js",
    "'letters'": "editor/totals.js",
    '"elsewhere"': "editor/editor.js",
    '"settled"': "compare/compare.js",
}


def test_the_type_checker_finds_wrong_names(tmp_path: Path):
    web = shutil.copytree(WEB, tmp_path / "web")
    types = wire_types()
    for name in MISSPELT:
        assert name in types
        types = types.replace(name, f"{name[:-1]}_{name[-1]}")
    (web / "shared" / FILE.name).write_text(types)
    users = [web / user for user in MISSPELT.values()]
    deno = Path(sys.executable).with_name("deno")
    done = subprocess.run(
        [deno, "check", "--quiet", "--config", WEB.parents[1] / "deno.json", *users],
        capture_output=True,
        text=True,
        env={"NO_COLOR": "1", "HOME": str(tmp_path)},
        check=False,
    )
    told = set(regex.findall(r"/web/(\w+/\w+\.js):\d", done.stderr))
    assert set(MISSPELT.values()) <= told
