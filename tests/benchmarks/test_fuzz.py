"""The fuzzing command finds a fault of each kind, and says which input shows it."""

import re
import sys

import pytest

from benchmarks.fuzz import __main__ as fuzz


@pytest.fixture
def run(monkeypatch, capsys):
    """Runs a round of planted faults: the exit code, and what was printed."""

    def run_targets(*names):
        arguments = ["--minutes", "0.0001", "--targets", "tests.benchmarks.planted", "--only", *names]
        monkeypatch.setattr(sys, "argv", ["fuzz", *arguments])
        return fuzz.main(), capsys.readouterr().out

    return run_targets


def test_planted_faults_are_found_with_the_input_that_shows_them(run):
    code, said = run("raises", "logs", "dies", "fills")
    assert code == 1
    for target, headline in {
        "raises": "ZeroDivisionError in <lambda>",
        "logs": "LoggedError in",
        "dies": "the process ended with signal 24",
        "fills": "MemoryError in _fill",
    }.items():
        assert f"\n{target}: {headline}" in said
        assert re.search(rf"\n\| {target} \| [1-9]\d* \| 1 \|\n", said)
    cases = list(map(int, re.findall(r"@example\(case=(\d+)\)", said)))
    assert cases[:2] + cases[3:] == [7, 7, 7]
    assert cases[2] >= 7  # a process that died makes no case smaller
    assert said.rstrip().endswith("4 findings")


def test_where_nothing_is_wrong_nothing_is_found(run):
    code, said = run("sound")
    assert code == 0
    assert re.search(r"\n\| sound \| [1-9]\d* \| 0 \|\n", said)
    assert "@example" not in said


def test_a_target_that_is_not_there_is_told(run, capsys):
    with pytest.raises(SystemExit):
        run("sounds")
    assert "no target is called sounds; choose from sound, raises" in capsys.readouterr().err
