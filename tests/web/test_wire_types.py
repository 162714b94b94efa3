"""Names on the wire are declared in Python; the browser code gets types from them, which are checked."""

from dataclasses import dataclass
from typing import NotRequired, TypedDict

import pytest
import regex

from playground.server.actions import Actions
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
