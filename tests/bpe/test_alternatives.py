"""The alternatives of a split pattern; the oracle is a pattern in which each is a named group."""

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from playground.bpe.split_pattern import (
    SPLIT_PATTERNS,
    SplitPattern,
    alternatives_of,
    iter_pretokens,
    iter_taken,
)


@pytest.mark.parametrize(("name", "n"), [("gpt2", 7), ("cl100k", 8), ("o200k", 7), ("llama3", 7)])
def test_a_known_pattern_is_its_alternatives_joined(name, n):
    expression = SPLIT_PATTERNS[name]
    assert len(alternatives_of(expression)) == n
    assert "|".join(alternatives_of(expression)) == expression


@pytest.mark.parametrize(
    ("expression", "parts"),
    [
        ("a", ["a"]),
        ("a|", ["a", ""]),
        (r"\||[|]|[]|]|[^]|]", [r"\|", "[|]", "[]|]", "[^]|]"]),
        (r"(a|b)|[(]|c", ["(a|b)", "[(]", "c"]),
        (r"(?P<x>a)|\1b", [r"(?P<x>a)|\1b"]),
    ],
)
def test_bars_inside_are_none(expression, parts):
    assert alternatives_of(expression) == tuple(parts)


TEXTS = st.text(st.sampled_from(list("abS '\n\r\t1é!?-_👋안")), max_size=40)


@pytest.mark.parametrize("name", SPLIT_PATTERNS)
@given(text=TEXTS)
def test_a_piece_is_of_the_alternative_that_a_group_of_its_own_says(name, text):
    alternatives = alternatives_of(SPLIT_PATTERNS[name])
    grouped = regex.compile("|".join(f"(?P<g{n}>{part})" for n, part in enumerate(alternatives)))
    expected = [(match[0], int(str(match.lastgroup)[1:])) for match in grouped.finditer(text)]
    assert list(iter_taken(text, SplitPattern.named(name), alternatives)) == expected


@given(TEXTS, st.sampled_from([r"\w+|\s", r"(a|b)+|\d|'", r"(?i)S+|b"]))
def test_pieces_are_those_of_the_pretokens_for_a_typed_one_too(text, expression):
    pattern = SplitPattern.typed(expression)
    taken = list(iter_taken(text, pattern, alternatives_of(expression)))
    assert [piece for piece, _ in taken] == [piece for piece, _ in iter_pretokens(text, pattern)]
