"""Split patterns equal tiktoken's, and a text cut at its safe places keeps its tokens."""

from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from playground.bpe.pretokenize import SAFE_CUT, SPLIT_PATTERNS
from playground.catalog.openai import encoding_names, load_openai
from playground.catalog.registry import get_tokenizer

#: Letters, digits, marks, punctuation and white space that the patterns treat apart. The last three are
#: letters to `regex` and unknown to tiktoken's older Unicode, as is the digit before them.
HARD_CHARACTERS = list(
    "aZsStéñßДд中ひ안ſ07٣½²'’./!-—€\u0301\u200d\u200b\ufeff🏽👩\x1c\x00_\U00011de0\U000107bb\U00010940"
)
WHITE_SPACE = list(" \t\n\r\x0b\x0c\x85\xa0\u2028\u3000")
hard_texts = st.lists(
    st.one_of(
        st.sampled_from(HARD_CHARACTERS),
        st.sampled_from(WHITE_SPACE),
        st.sampled_from(["\r\n", "\n\n", "  ", " \n", "'s", "'LL", "://", "Don't", ".\n/", "a\n/", "1234"]),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=40,
).map("".join)


def pieces_at_safe_cuts(text, safe_cut):
    places = [0, *(match.start() for match in safe_cut.finditer(text)), len(text)]
    return [text[start:end] for start, end in pairwise(places)]


@pytest.mark.parametrize(
    ("pattern_name", "encoding_name"),
    [("gpt2", "gpt2"), ("gpt2", "p50k_edit"), ("cl100k", "cl100k_base"), ("o200k", "o200k_harmony")],
)
def test_split_patterns_are_tiktokens(pattern_name, encoding_name):
    assert SPLIT_PATTERNS[pattern_name] == load_openai(encoding_name).split_pattern


@pytest.mark.parametrize("name", encoding_names())
@given(text=hard_texts)
@example(text="\U000107bb\n\na")
@example(text="a.\n/b")
@example(text="x\r\ny  z\n")
@settings(max_examples=300, deadline=None)
def test_cutting_at_every_safe_place_keeps_the_ids(name, text):
    tokenizer = load_openai(name)
    pieces = pieces_at_safe_cuts(text, SAFE_CUT)
    assert [id_ for piece in pieces for id_ in tokenizer.encode(piece)] == tokenizer.encode(text)


@pytest.mark.parametrize("name", ["utf8_bytes", "characters"])
@given(text=hard_texts)
@settings(max_examples=50, deadline=None)
def test_baselines_may_be_cut_anywhere(name, text):
    tokenizer = get_tokenizer(name)
    assert [id_ for character in text for id_ in tokenizer.encode(character)] == tokenizer.encode(text)


def test_safe_cuts_are_frequent_in_prose_and_code():
    assert pieces_at_safe_cuts("Hello, big world.\nNext line", SAFE_CUT) == [
        "Hello,", " big", " world.\n", "Next", " line",
    ]  # fmt: skip
    assert pieces_at_safe_cuts("世界\r\nx = 1\n", SAFE_CUT) == ["世界", "\r\nx", " =", " 1", "\n"]
