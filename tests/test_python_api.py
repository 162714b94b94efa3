"""The examples of docs/python.md and of `tessera` itself are true."""

import doctest
from pathlib import Path

import pytest

import tessera

ROOT = Path(__file__).resolve().parents[1]


def test_the_page_of_docs_is_true():
    assert doctest.testfile(str(ROOT / "docs" / "python.md"), module_relative=False).failed == 0


def test_each_public_name_has_a_true_example_or_is_a_value():
    found = doctest.testmod(tessera)
    assert (found.failed, found.attempted > 6) == (0, True)


def test_an_error_is_one_sentence():
    with pytest.raises(tessera.TesseraError, match="unknown split pattern 'bogus'"):
        tessera.get("gpt2", pattern="bogus")
    with pytest.raises(tessera.TesseraError, match="no-such-model"):
        tessera.count("a", model="no-such-model")
