"""What the end of a text may become: whatever follows, the stable tokens stay."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.analysis.token_details import find_unstable, split_unstable
from playground.catalog.extended import with_own_special_tokens
from playground.catalog.openai import load_openai
from playground.catalog.ranked import RankedTokenizer
from playground.catalog.registry import get_tokenizer

ENDS = st.text(st.sampled_from("ab .,!\né안1'st"), min_size=1, max_size=12)


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base"])
@given(start=ENDS, end=ENDS, more=ENDS)
@settings(max_examples=40, deadline=None)
def test_stable_tokens_stay_whatever_follows(name, start, end, more):
    tokenizer, text = get_tokenizer(name), start + "Egg " + end
    unstable = find_unstable(tokenizer, text)
    if unstable is not None:
        ids = list(tokenizer.encode(text))
        n_stable = len(ids) - unstable.n_tokens
        assert list(tokenizer.encode(text + more))[:n_stable] == ids[:n_stable]
        rest = tokenizer.decode(ids[n_stable:])
        assert all(completion.startswith(rest.rstrip("\ufffd")) for completion in unstable.first)


def test_completions_are_the_tokens_that_begin_so():
    gpt2 = load_openai("gpt2")
    unstable = find_unstable(gpt2, "Hello worl", max_shown=1_000)
    assert unstable is not None
    begins = {raw.decode() for raw in gpt2.mergeable_ranks if raw.startswith(b" worl")}
    assert begins <= {*unstable.first}
    assert unstable.n_completions == len(unstable.first)
    assert unstable.first[0] == " world"


def test_only_the_end_of_a_long_text_is_looked_at():
    text = "Hello there. " * 5_000 + "Hello worl"
    assert find_unstable(load_openai("gpt2"), text) == find_unstable(load_openai("gpt2"), "Hello worl")


def test_what_is_too_long_or_not_known_is_none():
    gpt2 = load_openai("gpt2")
    assert find_unstable(gpt2, "") is None
    assert find_unstable(gpt2, "x" * 41) is None
    assert find_unstable(gpt2, "x" * 2_000) is None
    assert find_unstable(gpt2, "a" + " " * 5) is None
    assert find_unstable(get_tokenizer("bert_uncased"), "hel") is None


def test_own_special_tokens_change_nothing():
    gpt2 = load_openai("gpt2")
    own = with_own_special_tokens(gpt2, ("<user>",))
    assert find_unstable(own, "Hello worl") == find_unstable(gpt2, "Hello worl")


def test_ids_that_do_not_begin_at_0_are_read_as_they_are():
    tekken = get_tokenizer("mistral_tekken")
    assert isinstance(tekken, RankedTokenizer)
    unstable = find_unstable(tekken, "Hello worl")
    assert unstable is not None
    assert unstable.first[0] == " world"
    n_stable, completions = split_unstable(tekken, "Hello worl")
    assert n_stable == len(tekken.encode("Hello worl")) - unstable.n_tokens
    assert len(completions) == unstable.n_completions
