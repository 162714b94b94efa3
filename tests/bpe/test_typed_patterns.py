"""Typed patterns that cost too much are refused before they are compiled; all errors are typed."""

import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import pytest
from hypothesis import given, settings

from playground.bpe import typed_patterns
from playground.bpe.split_pattern import SPLIT_PATTERNS, SplitPattern
from playground.bpe.typed_patterns import MAX_CHARACTERS, MAX_DEPTH, MAX_ITEMS, compile_typed, find_spans
from playground.core.errors import InvalidInputError
from tests.bpe.any_pattern import check_pattern, patterns

ROOT = Path(__file__).resolve().parents[2]

TOO_COSTLY = {
    "(((a{1000}){1000}){1000})": "come to more than",
    "((a{400}){400})": "come to more than",
    "(?:ab){100000}": "come to more than",
    "(?x)(a) {400} (b) # \n {400}": "come to more than",
    "(?#(){1000}(a{1000}){1000}": "come to more than",
    r"([)]a{1000}){1000}": "come to more than",
    r"(\)a{1000}){1000}": "come to more than",
    r"(?:\p{L}{500}){500}": "come to more than",
    "a{99999999999999999999}": "come to more than",
    "(" * 6000: "characters",
    "a" * (MAX_CHARACTERS + 1): "characters",
    "(" * 4000: "inside each other",
    "(?:" * 300 + "a" + ")" * 300: "inside each other",
    "[" * 200: "inside each other",
    "(?R)a|b": "calls itself",
    "(a(?1))|b": "calls itself",
    "(?P<n>a(?&n))|b": "calls itself",
    "(?P<n>a(?P>n))|b": "calls itself",
    r"\\(?R)|a": "calls itself",
}


@pytest.mark.parametrize("expression", TOO_COSTLY, ids=lambda expression: expression[:30])
def test_what_costs_too_much_is_not_compiled(expression, monkeypatch):
    monkeypatch.setattr("regex.compile", None)
    with pytest.raises(InvalidInputError, match=TOO_COSTLY[expression]):
        SplitPattern.typed(expression)


@pytest.mark.parametrize(
    "expression",
    [
        *SPLIT_PATTERNS.values(),
        r"(?:\p{L}{1,20}|\d{3}-\d{4}-\d{4}|[^\s]{2})+|\s",
        "a{1000}|b",
        "(?:" * (MAX_DEPTH - 1) + "a" + ")" * (MAX_DEPTH - 1) + "|b",
        "a" * MAX_CHARACTERS,
        rf"(?:a{{{MAX_ITEMS // 20}}})|b",
        r"\(?R\)|[\[\]]|\{5\}",
        r"(?(?=a)a|b)",
        r"\p{L}{500}|\p{N}{500}|\){500}",
    ],
    ids=lambda expression: expression[:30],
)
def test_what_patterns_need_is_read(expression):
    assert compile_typed(expression).pattern == expression


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("(", "does not compile: missing"),
        ("(?a)(?u)b", "does not compile: ASCII, LOCALE and UNICODE"),
        ("a*", "matches the empty text"),
        ("a|", "matches the empty text"),
        (r"(?r)\w|\s", "does not go from left to right"),
        (r"(a|aa)+\?|b", "takes too long"),
    ],
)
def test_a_pattern_that_cannot_be_used_says_why(expression, message, monkeypatch):
    monkeypatch.setattr(typed_patterns, "MAX_SECONDS", 0.1)
    with pytest.raises(InvalidInputError, match=message):
        SplitPattern.typed(expression)


def test_a_pattern_that_fills_the_memory_says_so(monkeypatch):
    filling = Mock(fullmatch=Mock(side_effect=MemoryError))
    monkeypatch.setattr(typed_patterns, "compile_typed", lambda _expression: filling)
    with pytest.raises(InvalidInputError, match="memory"):
        find_spans("a", "b")


@given(case=patterns())
@settings(max_examples=50)
def test_any_pattern_is_used_or_refused_with_one_kind_of_error(case):
    check_pattern(*case)


@pytest.mark.parametrize("expression", SPLIT_PATTERNS.values(), ids=SPLIT_PATTERNS)
def test_a_known_pattern_is_used(expression):
    assert check_pattern(f"{expression}|never", "to be, or 1234")


def test_items_are_never_counted_too_low():
    """A pattern of just as many items as are read is compiled in bounded memory."""
    code = (
        "import resource\n"
        "from playground.bpe.typed_patterns import compile_typed\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "for text in ('(?:ab){14000}', '((a{300}){300})', '(?:a|b){12000}', '(?:a{99}b?){900}'):\n"
        "    compile_typed(text)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120, check=True
    )
    assert int(done.stdout) < 150_000  # kilobytes
