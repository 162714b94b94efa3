import random

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from playground.core.graphemes import grapheme_starts
from tests.analysis.texts import MIXED

#: Table 1c of Unicode Standard Annex #29, word for word. (`regex`'s own `\X` lets a virama join a consonant
#: to anything before it.)
CLUSTER = regex.compile(
    r"""
    \r\n | [\p{GCB=Control}\r\n]
    | \p{GCB=Prepend}*+
      (?: \p{GCB=L}*+ (?: \p{GCB=V}++ | \p{GCB=LV} \p{GCB=V}*+ | \p{GCB=LVT} ) \p{GCB=T}*+
        | \p{GCB=L}++ | \p{GCB=T}++
        | \p{GCB=RI} \p{GCB=RI}
        | \p{ExtPict} (?: \p{GCB=Extend}*+ \p{GCB=ZWJ} \p{ExtPict} )*
        | \p{InCB=Consonant}
          (?: [\p{InCB=Extend}[\p{InCB=Linker}&&\p{GCB=Extend}]]* [\p{InCB=Linker}&&\p{GCB=Extend}]
              [\p{InCB=Extend}[\p{InCB=Linker}&&\p{GCB=Extend}]]* \p{InCB=Consonant} )*
        | [^\p{GCB=Control}\r\n] )
      [\p{GCB=Extend}\p{GCB=ZWJ}\p{GCB=SpacingMark}]*+
    | \p{GCB=Prepend}++ [\p{GCB=Extend}\p{GCB=ZWJ}\p{GCB=SpacingMark}]*+
    """,
    regex.VERBOSE | regex.V1,
)


def starts_by_table(text):
    return [match.start() for match in CLUSTER.finditer(text)] + [len(text)]


def starts(text):
    return grapheme_starts(text).nonzero()[0].tolist()


#: At least one character of each class, so that random rows of them meet every rule.
LETTERS = [
    *["a", "\r", "\n", "\x01", "\u0301", "\u200c", "\u094d", "\u093c", "\u200d", "🇳", "\u0600", "\u0903"],
    *["\u1100", "\u1161", "\u11a8", "가", "각", "👩", "🏽", "\ufe0f", "©", "क", "ષ", "\u0acd", "\ud800"],
]


@given(st.text(st.sampled_from(LETTERS), max_size=12))
def test_grapheme_starts_equal_the_standards_examples(text):
    assert starts(text) == starts_by_table(text)


def test_grapheme_starts_equal_the_standard_around_every_character():
    """Try each assigned character between random neighbours."""
    pick = random.Random(0).choice
    text = "".join(
        pick(LETTERS) + chr(code) + pick(LETTERS) for code in range(0, 0x20000, 3) if chr(code) not in "\r\n"
    )
    assert starts(text) == starts_by_table(text)


@pytest.mark.parametrize("text", ["", "a", "\r\n", "a\r\nb\r\r\n\n", MIXED, "🇳🇵" * 5000, "👩\u200d" * 5000])
def test_grapheme_starts_equal_the_standard_on_texts(text):
    assert starts(text) == starts_by_table(text)
