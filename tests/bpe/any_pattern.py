"""Patterns that a person may type, including mutations of known ones, and a check of each."""

from unittest.mock import patch

import regex
from hypothesis import strategies as st

from playground.bpe import typed_patterns
from playground.bpe.split_pattern import SPLIT_PATTERNS, SplitPattern, iter_pretokens
from playground.core.errors import InvalidInputError
from tests.analysis.texts import texts
from tests.mutations import mutate

_PARTS = [
    *(
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "a",
        "b",
        "ß",
        "|",
        "*",
        "+",
        "?",
        "\\",
        "^",
        "$",
        ".",
        "-",
        ",",
        "9",
        "#",
    ),
    *(r"\p{L}", r"\b", r"\K", r"\X", r"\G", r"\L<x>", r"\1", r"\g<n>", "(?:", "(?=", "(?<=", "(?<!", "(?>"),
    *("(?P<n>", "(?P=n)", "(?(n)", "(?|", "(?i)", "(?r)", "(?b)", "(?e)", "(?V1)", "(?a)", "(?u)", "(?L)"),
    *("{e<=1}", "{1,3}", "{2}", "{400}", "{,4}", "(*FAIL)", "(*SKIP)", "(?x)", "(?R)", "(?1)", "[[:alpha:]]"),
]


@st.composite
def patterns(draw: st.DrawFn) -> tuple[str, str]:
    """Draw an expression and a text to cut."""
    if draw(st.booleans()):
        expression = "".join(draw(st.lists(st.sampled_from(_PARTS), max_size=8)))
    else:
        raw = draw(st.sampled_from(list(SPLIT_PATTERNS.values()))).encode()
        for _ in range(draw(st.integers(1, 3))):
            raw = mutate(draw, raw, [part.encode() for part in _PARTS])
        expression = raw.decode(errors="replace")
    text = draw(texts()) * draw(st.sampled_from([1, 1, 1, 50]))
    return expression, draw(st.sampled_from(["aab abAB 11 ß\nx(a)", text]))


def check_pattern(expression: str, text: str) -> bool:
    """Check that a typed pattern cuts like `regex` and loses nothing; return False if it is refused."""
    with patch.object(typed_patterns, "MAX_SECONDS", 0.2):
        try:
            pattern = SplitPattern.typed(expression)
            pretokens = list(iter_pretokens(text, pattern))
        except InvalidInputError as error:
            assert 0 < len(str(error)) < 1_000  # noqa: PT017
            return False
    assert "".join(pretoken for pretoken, _ in pretokens) == text
    if pattern.name == "custom":
        matches = [match.group() for match in regex.finditer(expression, text) if match.group()]
        assert [pretoken for pretoken, is_match in pretokens if is_match] == matches
    return True
