"""Texts with very long white space have tiktoken's ids, where tiktoken gives any."""

from unittest.mock import patch

import pytest
import regex
import tiktoken
from hypothesis import example, given, settings
from hypothesis import strategies as st

from playground.catalog import tiktoken_encoding
from playground.catalog.openai import load_openai
from playground.catalog.tiktoken_encoding import (
    MAX_WHITESPACE_RUN,
    encode_known_pattern,
    iter_long_runs,
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
    """Words, and up to three runs of `long` or more white-space characters."""
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
def test_the_longest_runs_that_tiktoken_takes(name, run, before):
    text = before + run * (MAX_WHITESPACE_RUN // len(run) + 1) + "1\U00011de0234 a"
    tokenizer = load_openai(name)
    assert tokenizer.encode(text) == tokenizer.encoding.encode_ordinary(text)


def test_a_digit_that_only_regex_knows_is_cut_as_tiktoken_cuts_it():
    """This text has other ids when `regex` splits the whole of it, so the tests above can fail."""
    encoding = load_openai("cl100k_base").encoding
    text = "1\U00011de0234"
    by_regex = [
        token_id
        for piece in regex.findall(encoding._pat_str, text)
        for token_id in encoding._core_bpe.encode_single_piece(piece.encode())
    ]
    assert by_regex != encoding.encode_ordinary(text)


@pytest.mark.parametrize("name", ["o200k_base"])
def test_white_space_that_tiktoken_does_not_take(name):
    """Beyond tiktoken there is no oracle but the bytes, and the ends, which a shorter run shares."""
    tokenizer = load_openai(name)
    ids, shorter = (tokenizer.encode(f"!a{' ' * n_chars}!a") for n_chars in (600_000, 260_000))
    assert tokenizer.decode(ids) == f"!a{' ' * 600_000}!a"
    assert (ids[:2], ids[-2:]) == (shorter[:2], shorter[-2:])


@given(text=st.text(st.sampled_from(" \n\u3000a"), max_size=60), n_long=st.integers(1, 9))
def test_long_runs_are_those_of_a_plain_search(text, n_long):
    expected = [match.span() for match in regex.finditer(r"\s+", text) if len(match.group()) >= n_long]
    assert list(iter_long_runs(text, n_long)) == expected


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("line", ["!" + "\n" * 9 + "/", "a" + "\n" * 9 + "b"])
def test_what_stands_before_a_run_is_looked_at_once(name, line, monkeypatch):
    monkeypatch.setattr(tiktoken_encoding, "MAX_WHITESPACE_RUN", 8)
    with patch.object(
        tiktoken_encoding, "_takes_line_ends", wraps=tiktoken_encoding._takes_line_ends
    ) as probe:
        tokenizer = load_openai(name)
        ids = encode_known_pattern(tokenizer.lazy, line * 300)
    assert ids == tokenizer.encoding.encode_ordinary(line * 300)
    probed = [call.args[1] for call in probe.call_args_list]
    assert len(probed) == 300
    assert len("".join(probed)) < 300 * len(line)


def test_regex_and_tiktoken_call_the_same_characters_white_space():
    ranks = {bytes([byte]): byte for byte in range(256)}
    ranks |= {bytes([byte]) + b"!": 256 + byte for byte in range(256)}
    # A character and "!" are one piece, in which a merge shows, unless the character is white space.
    toy = tiktoken.Encoding("toy", pat_str=r"\S+|\s+", mergeable_ranks=ranks, special_tokens={})
    every = "".join(chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000)
    spaces = set(regex.findall(r"\s", every))
    near = {chr(ord(space) + away) for space in spaces if space != "\0" for away in (-1, 1)}
    sample = spaces | near | set(every[:0x900] + every[0x1600:0x1900] + every[0x1F00:0x2100] + "\ufeff")
    assert spaces == {c for c in sample if toy.encode_ordinary(f"{c}!")[-1] == ord("!")}
