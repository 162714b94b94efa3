"""Machine code that is kept: it is loaded without Numba, and a damaged file is made anew."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from playground.training.kernel import native_code
from playground.training.kernel.compiled import CompiledFunction, compiled, laid_out
from playground.training.kernel.first_use import listening

ROOT = Path(__file__).resolve().parents[3]
ADDED = """
from typing import NamedTuple
from playground.training.kernel.compiled import compiled, inlined, inner

@inlined
def twice(number):
    return 2 * number

@inner
def four_times(number):
    return twice(twice(number))

class Pair(NamedTuple):
    ones: object
    table: object

@compiled
def weigh(pair, factor, share):
    total = 0.0
    for row in range(pair.table.shape[0]):
        for column in range(pair.table.shape[1]):
            total += pair.table[row, column] * four_times(pair.ones[column])
    return int(total * share) + factor
"""
USE = """
import sys
import numpy as np
from added import Pair, weigh
pair = Pair(np.array([1, 2, 3], np.uint8), np.arange(6, dtype=np.float32).reshape(2, 3)[:, ::-1])
print(weigh(pair, 7, 0.5), weigh(Pair(pair.ones, pair.table.copy()), 7, 0.5), "numba" in sys.modules)
"""


def test_kept_code_needs_no_numba_and_damaged_code_is_made_anew(tmp_path):
    """Nested arguments, two layouts of one array, and functions that call each other."""
    (tmp_path / "added.py").write_text(ADDED)
    path = os.pathsep.join([str(ROOT), str(tmp_path)])
    environment = os.environ | {"PYTHONPATH": path, "NUMBA_CACHE_DIR": str(tmp_path / "kept")}

    def use():
        done = subprocess.run(
            [sys.executable, "-c", USE],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    # The rows are 2 1 0 and 5 4 3: 4 · (2 + 2 + 0) + 4 · (5 + 8 + 9), half of it and 7.
    assert use() == "59 59 True"
    assert use() == "59 59 False"
    kept = sorted((tmp_path / "kept").glob("*/*.o"))
    assert len(kept) == 2
    kept[0].write_bytes(kept[0].read_bytes()[:-100])
    assert use() == "59 59 True"
    assert use() == "59 59 False"


def test_what_fails_or_cannot_be_handed_over_is_an_error():
    with pytest.raises(TypeError, match="arrays, tuples of them, int and float, not str"):
        remainder("text")
    with pytest.raises(RuntimeError, match=r"the compiled .*remainder failed"):
        remainder(np.array([3, 0]))
    assert remainder(np.array([7, 4])) == 3


def test_a_call_into_a_library_that_is_not_loaded_is_refused():
    with pytest.raises(TypeError, match=r"would call .*which is not loaded"):
        complain(np.array([3]))


@compiled
def remainder(numbers):
    return numbers[0] % numbers[1]


@compiled
def complain(numbers):
    print(numbers[0])
    return 0


def test_an_argument_that_is_laid_out_once_is_the_argument_and_needs_no_code_of_its_own():
    @compiled
    def summed(table, factor):
        total = 0
        for number in table:
            total += factor * number
        return total

    table = np.arange(5)
    held = laid_out(table)
    assert summed(held, 2) == summed(table, 2) == 20
    table[0] = 7  # it is held, and no copy of it
    assert summed(held, 2) == summed(table, 2) == 34
    assert isinstance(summed, CompiledFunction)
    assert summed.n_compiled + summed.n_loaded == 1


def test_who_listens_last_hears_when_a_function_is_compiled(monkeypatch):
    @compiled
    def doubled(number):
        return int(2 * number)

    heard: list[tuple[str, bool]] = []
    monkeypatch.setattr(native_code, "CACHE_DIR", None)  # else it may be there
    with listening(lambda is_compiling: heard.append(("first", is_compiling))):
        with listening(lambda is_compiling: heard.append(("last", is_compiling))):
            assert doubled(3) == 6
            assert doubled(4) == 8
        assert doubled(1.5) == 3
    assert heard == [("last", True), ("last", False), ("first", True), ("first", False)]
