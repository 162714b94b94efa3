"""The unit tests of the browser code (`*.test.js`) pass in the Node.js that Playwright brings."""

import subprocess
from pathlib import Path

import pytest
import regex

from playground.server.web_files import WEB
from tests.browser import find_node

TESTS = sorted(WEB.rglob("*.test.js"))


def run_node(tests: list[Path]) -> "subprocess.CompletedProcess[str]":
    command = [find_node(), "--test", "--test-isolation=none", "--test-reporter=spec", *map(str, tests)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def count(kind: str, output: str) -> int:
    return int(regex.findall(rf"(?m)^ℹ {kind} (\d+)", output)[-1])


def test_all_unit_tests_of_the_browser_code_pass():
    done = run_node(TESTS)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    n_written = sum(len(regex.findall(r'(?m)^test\("', path.read_text())) for path in TESTS)
    assert count("pass", done.stdout) == n_written > 80
    assert count("skipped", done.stdout) == count("todo", done.stdout) == 0


def test_a_missing_node_is_reported(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("tests.browser.PLAYWRIGHTS_NODE", "/nowhere/node")
    with pytest.raises(RuntimeError, match="/nowhere/node"):
        find_node()
