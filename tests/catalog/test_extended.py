"""Added special tokens behave like those of a `tiktoken.Encoding` that is built with them."""

from functools import cache

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.catalog.extended import (
    MAX_OWN_SPECIAL,
    WithSpecialTokens,
    special_tokens_that_fit,
    with_own_special_tokens,
)
from playground.catalog.openai import load_openai
from playground.core.errors import InvalidInputError, UnknownTokenError
from playground.files.limits import MAX_SPECIAL_CHARS

#: None is the beginning of another: tiktoken promises no order among such.
NAMES = ["<user>", "[/INST]", "a b", "\n\n#", "안녕", "<|im_end|>", ".*"]
_words = st.sampled_from(
    [*NAMES, "<|endoftext|>", "a ", "b", "\n", "#", "hello", " ", "안", ".", "<us", "er>"]
)
texts = st.lists(_words | st.text(max_size=3), max_size=12).map("".join)


def tiktokens_own(base, extra):
    return tiktoken.Encoding(
        "extended",
        pat_str=base.split_pattern,
        mergeable_ranks=dict(base.mergeable_ranks),
        special_tokens={**base.special_tokens, **extra},
    )


BASE = load_openai("gpt2")
OURS = WithSpecialTokens(BASE, {name: 50257 + place for place, name in enumerate(NAMES)})


@cache
def theirs():
    return tiktokens_own(BASE, {name: 50257 + place for place, name in enumerate(NAMES)})


@given(text=texts, allowed=st.sets(st.sampled_from([*NAMES, "<|endoftext|>"])))
@settings(max_examples=30)
def test_ids_are_those_of_a_tiktoken_encoding_with_the_same_special_tokens(text, allowed):
    ids = OURS.encode(text, allowed_special=frozenset(allowed))
    assert ids == theirs().encode(text, allowed_special=allowed, disallowed_special=())
    assert OURS.decode(ids) == text
    assert b"".join(map(OURS.vocabulary.raw_of, ids)) == theirs().decode_bytes(ids) == text.encode()


@given(text=texts)
def test_special_tokens_are_ordinary_text_unless_allowed(text):
    assert OURS.encode(text) == BASE.encode(text)


def test_the_longer_of_two_that_start_together_wins():
    tokenizer = with_own_special_tokens(BASE, ["<a>", "<a>b"])
    assert tokenizer.encode("<a>b<a>", allowed_special=frozenset(["<a>", "<a>b"])) == [50258, 50257]


@pytest.mark.parametrize("wrong", [-1, 50257 + len(NAMES), 10**30])
def test_the_error_for_an_unknown_id_names_the_base_and_the_added_tokens(wrong):
    with pytest.raises(UnknownTokenError, match=rf"has no token {wrong};.*50,256.*50257 \(“<user>”\)"):
        OURS.vocabulary.raw_of(wrong)


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ([""], ["at least one character"]),
        (["<|endoftext|>"], ["<|endoftext|>", "exists already"]),
        (["x" * (MAX_SPECIAL_CHARS + 1)], ["201", "200"]),
        (["a\ud83d"], ["surrogate"]),
    ],
)
def test_invalid_names_are_refused(names, words):
    with pytest.raises(InvalidInputError) as caught:
        with_own_special_tokens(BASE, names)
    assert all(word in str(caught.value) for word in words)


def test_valid_special_tokens_are_used_although_others_are_invalid():
    names = ["<a>", "<|endoftext|>", "", "<a>", "x" * (MAX_SPECIAL_CHARS + 1), "<b>"]
    taken, problems = special_tokens_that_fit(BASE, names)
    assert taken == ("<a>", "<b>")
    assert len(problems) == 4
    taken, problems = special_tokens_that_fit(BASE, [f"<{n}>" for n in range(10_000)])
    assert taken == tuple(f"<{n}>" for n in range(MAX_OWN_SPECIAL))
    assert problems == ["65 own special tokens are too many; up to 64 fit"]
