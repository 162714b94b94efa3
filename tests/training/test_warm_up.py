"""Who compiles: another process, so that nobody at this server waits; this one only where that cannot be."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ADDED = """
import numpy as np
from playground.training.kernel.compiled import compiled

@compiled
def add_one(numbers):
    return numbers[0] + 1

@compiled
def add_two(numbers):
    return numbers[0] + 2

def use_one():
    assert add_one(np.array([40])) == 41

def use_two():
    assert add_two(np.array([40])) == 42
"""
PROGRAM = """
import sys, added
from playground.training.warm_up import load_or_compile
from playground.workers import pool

asked, ask = [], pool.run

def run(name, **limits):
    asked.append(name)
    return ask(name, **limits)

def n_loaded_and_compiled(function):
    return [function.n_loaded, function.n_compiled]

pool.run = run
load_or_compile(added.use_one)
load_or_compile(added.use_one)
sys.executable = "/nowhere/python"
pool._POOL = pool.Pool()
load_or_compile(added.use_two)
print(*asked, n_loaded_and_compiled(added.add_one), n_loaded_and_compiled(added.add_two))
"""


@pytest.mark.parametrize(
    ("cache", "expected"),
    [("cache", "added.use_one added.use_two [1, 0] [0, 1]"), ("added.py/no-folder", "[0, 1] [0, 1]")],
    ids=["kept on disk", "nowhere to keep it"],
)
def test_another_process_compiles_where_what_it_compiles_is_kept(tmp_path, cache, expected):
    """What is asked of another process, and for two functions how often this one loaded and compiled them.

    The process for the second cannot be started.
    """
    (tmp_path / "added.py").write_text(ADDED)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=ROOT,
        env=os.environ
        | {
            "PYTHONPATH": os.pathsep.join([str(ROOT), str(tmp_path)]),
            "NUMBA_CACHE_DIR": str(tmp_path / cache),
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode, done.stdout.strip()) == (0, expected), done.stderr
