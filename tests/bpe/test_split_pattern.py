"""Split patterns equal tiktoken's, and their alternatives are found as by named groups."""

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
from playground.catalog.openai import encoding_names, load_openai
from playground.core.errors import InvalidInputError


@pytest.mark.parametrize(
    ("pattern_name", "encoding_name"),
    [("gpt2", "gpt2"), ("gpt2", "p50k_edit"), ("cl100k", "cl100k_base"), ("o200k", "o200k_harmony")],
)
def test_split_patterns_equal_tiktokens(pattern_name, encoding_name):
    assert SPLIT_PATTERNS[pattern_name] == load_openai(encoding_name).split_pattern


def test_a_known_pattern_is_recognized_by_its_expression():
    for name in encoding_names():
        assert SplitPattern.of(load_openai(name).split_pattern).is_known
    assert SplitPattern.of("") == SplitPattern.named("none")
    assert not SplitPattern.of("").is_known
    assert SplitPattern.of(r"\w+").name == "custom"
    assert SplitPattern.typed(SPLIT_PATTERNS["o200k"]) == SplitPattern.named("o200k")


@pytest.mark.parametrize("name", ["gpt5", "cl100k_bas", "llama-3.1"])
def test_a_plain_word_is_a_name_and_not_an_expression(name):
    with pytest.raises(InvalidInputError, match=f"'{name}'; choose from none, gpt2, cl100k, o200k, llama3"):
        SplitPattern.parse(name)
    assert [SplitPattern.parse(known).name for known in ("none", "llama3", "x", r"\w+")] == [
        "none", "llama3", "custom", "custom",
    ]  # fmt: skip


def test_an_operation_on_sets_is_refused_because_engines_read_it_differently():
    with pytest.raises(InvalidInputError, match=r"has && in a set, which is an operation in tiktoken"):
        SplitPattern.typed(r"[\p{L}&&[^a]]+|.")
    assert SplitPattern.typed(r"a&&b|\[&&|.").name == "custom"


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
def test_bars_inside_groups_and_sets_do_not_separate_alternatives(expression, parts):
    assert alternatives_of(expression) == tuple(parts)


TEXTS = st.text(st.sampled_from(list("abS '\n\r\t1é!?-_👋안")), max_size=40)


@pytest.mark.parametrize("name", SPLIT_PATTERNS)
@given(text=TEXTS)
def test_each_piece_has_the_alternative_that_matched_it(name, text):
    alternatives = alternatives_of(SPLIT_PATTERNS[name])
    grouped = regex.compile("|".join(f"(?P<g{n}>{part})" for n, part in enumerate(alternatives)))
    expected = [(match[0], int(str(match.lastgroup)[1:])) for match in grouped.finditer(text)]
    assert list(iter_taken(text, SplitPattern.named(name), alternatives)) == expected


@given(TEXTS, st.sampled_from([r"\w+|\s", r"(a|b)+|\d|'", r"(?i)S+|b"]))
def test_alternatives_do_not_change_the_pretokens_even_for_typed_patterns(text, expression):
    pattern = SplitPattern.typed(expression)
    taken = list(iter_taken(text, pattern, alternatives_of(expression)))
    assert [piece for piece, _ in taken] == [piece for piece, _ in iter_pretokens(text, pattern)]
