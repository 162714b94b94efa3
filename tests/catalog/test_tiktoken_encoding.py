"""Texts with very long white space have tiktoken's ids, where tiktoken can encode them."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from playground.catalog import tiktoken_encoding
from playground.catalog.openai import load_openai
from playground.catalog.tiktoken_encoding import (
    MAX_WHITESPACE_RUN,
    encode_known_pattern,
)

NAMES = ["gpt2", "cl100k_base", "o200k_base"]
#: The last three are a letter, a digit and a mark in `regex`'s Unicode, and not in tiktoken's.
_VISIBLE = [
    "a",
    "It's",
    "1",
    "!",
    "/",
    "é",
    "e\u0301",
    "!\u0301",
    "안",
    "'",
    "\u0558",
    "\U00011de0",
    "\u05c8",
]
_RUNS = [" ", "\n", "\r\n", "\t", "\u3000", "\n ", " \n", "\n\n\t "]
_spaces = st.text(st.sampled_from(" \n\r\t\u3000"), max_size=4)
_words = st.lists(st.sampled_from(_VISIBLE) | _spaces, max_size=5).map("".join)


@st.composite
def texts(draw, long):
    """Draw words, and up to three runs of `long` or more white-space characters."""
    parts = []
    for _ in range(draw(st.integers(1, 3))):
        run = draw(st.sampled_from(_RUNS))
        parts += [draw(_words), draw(_spaces), run * -(-long // len(run)), draw(_spaces)]
    return "".join([*parts, draw(_words)])


@pytest.mark.parametrize("name", NAMES)
@given(text=texts(8))
@example("!" + "\n" * 8 + "//\u0301" + "\n" * 10 + " \n a")  # "//" belongs to "!" in o200k, the mark does not
@settings(max_examples=30)
def test_ids_are_tiktokens_when_eight_is_already_long(name, text):
    tokenizer = load_openai(name)
    with pytest.MonkeyPatch.context() as context:
        context.setattr(tiktoken_encoding, "MAX_WHITESPACE_RUN", 8)
        assert encode_known_pattern(tokenizer.lazy, text) == tokenizer.encoding.encode_ordinary(text)


BEFORE = ["x", "1\U00011de0234!", "\u0558"]
LONGEST_RUNS = list(zip(NAMES, [" ", "\n", "\t\r\n"], BEFORE, strict=True))


@pytest.mark.parametrize(("name", "run", "before"), LONGEST_RUNS, ids=NAMES)
def test_runs_too_long_for_one_regex_call_have_tiktokens_ids(name, run, before):
    text = before + run * (MAX_WHITESPACE_RUN // len(run) + 1) + "1\U00011de0234 a"
    tokenizer = load_openai(name)
    assert tokenizer.encode(text) == tokenizer.encoding.encode_ordinary(text)


@pytest.mark.parametrize("name", ["o200k_base"])
def test_white_space_too_long_for_tiktoken_is_encoded(name):
    """Beyond tiktoken's limit, the oracles are the bytes, and the ends of a shorter run."""
    tokenizer = load_openai(name)
    ids, shorter = (tokenizer.encode(f"!a{' ' * n_chars}!a") for n_chars in (600_000, 260_000))
    assert tokenizer.decode(ids) == f"!a{' ' * 600_000}!a"
    assert (ids[:2], ids[-2:]) == (shorter[:2], shorter[-2:])
