"""Typed patterns that cost too much are refused before they are compiled; all errors are typed."""

import pytest
import regex
from hypothesis import given, settings

from playground.bpe import typed_patterns
from playground.bpe.split_pattern import SPLIT_PATTERNS, SplitPattern
from playground.bpe.typed_patterns import (
    MAX_CHARACTERS,
    MAX_CHARACTERS_HERE,
    MAX_DEPTH,
    MAX_ITEMS,
    MAX_ITEMS_HERE,
    compile_typed,
    find_spans,
)
from playground.core.errors import InvalidInputError
from playground.workers import pool
from tests.bpe.any_pattern import check_pattern, patterns

TOO_COSTLY = {
    "(((a{1000}){1000}){1000})": "come to more than",
    "(?x)(a) {400} (b) # \n {400}": "come to more than",
    "(?#(){1000}(a{1000}){1000}": "come to more than",
    r"([)]a{1000}){1000}": "come to more than",
    "a{99999999999999999999}": "come to more than",
    "(" * 6000: "characters",
    "a" * (MAX_CHARACTERS + 1): "characters",
    "(" * 4000: "inside each other",
    "(?R)a|b": "calls itself",
    "(?P<n>a(?P>n))|b": "calls itself",
    r"\\(?R)|a": "calls itself",
}


@pytest.mark.parametrize("expression", TOO_COSTLY, ids=lambda expression: expression[:30])
def test_an_expression_that_costs_too_much_is_not_compiled(expression, monkeypatch):
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
def test_ordinary_expressions_are_compiled(expression):
    assert compile_typed(expression).pattern == expression


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("(", "does not compile: missing"),
        (r"\p{Nope}+", r"'\\p\{Nope\}\+' does not compile: unknown property"),
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


#: Each "a" doubles the number of ways to match.
ENDLESS = "(a|a)*[bc]"


@pytest.fixture
def own_pool(monkeypatch):
    own = pool.Pool()
    monkeypatch.setattr(pool, "_POOL", own)
    yield own
    own.close()


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (r"\w+|\W", "to be 👋 \ud800 " * (MAX_CHARACTERS_HERE // 10 + 1)),
        (f"a{{{MAX_ITEMS_HERE}}}|b", "abba" + "a" * MAX_ITEMS_HERE),
        (f"{ENDLESS}|a", "a" * 19),
    ],
    ids=["a long text", "a large pattern", "a slow search"],
)
def test_long_texts_and_slow_searches_match_as_in_regex(expression, text, own_pool, monkeypatch):
    monkeypatch.setattr(typed_patterns, "SECONDS_HERE", 0.0 if len(text) == 19 else 0.05)
    expected = [place for match in regex.finditer(expression, text) for place in match.span()]
    assert find_spans(expression, text).tolist() == expected


@given(case=patterns())
@settings(max_examples=30)
def test_any_pattern_is_used_or_refused_with_one_kind_of_error(case):
    check_pattern(*case)
