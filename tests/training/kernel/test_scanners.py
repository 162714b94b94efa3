"""The hand-written scanners against `regex`, which reads the patterns themselves."""

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.bpe.split_pattern import SplitPattern, iter_pretokens
from playground.training.kernel.scanners import SCANNERS
from playground.training.pretoken_counts import count_pretokens

TRICKY = "aZéÉſǅʰ中ا1٣½ \t\n\r\u00a0\u2003'!/_-\u0301\u0903\u200d🙂sStTlLeErRvVdDmM\x1c\x85"


def counts_by_regex(text, name):
    counts = Counter(pretoken for pretoken, _ in iter_pretokens(text, SplitPattern.named(name)))
    return [(pretoken.encode(), n) for pretoken, n in counts.items()]


@pytest.mark.parametrize("name", SCANNERS)
def test_scanner_equals_regex_on_tricky_characters(name):
    pattern = SplitPattern.named(name)
    for _ in range(500):
        text = "".join(random.choices(TRICKY, k=random.randint(1, 40)))
        assert list(count_pretokens([text], pattern).items()) == counts_by_regex(text, name), text


@pytest.mark.parametrize("name", SCANNERS)
@given(text=st.text(st.characters(exclude_categories=["Cs"])))
def test_scanner_equals_regex_on_any_character(name, text):
    assert list(count_pretokens([text], SplitPattern.named(name)).items()) == counts_by_regex(text, name)


@pytest.mark.parametrize("name", SCANNERS)
def test_scanner_equals_regex_on_long_texts(name, corpora):
    for text in corpora.values():
        assert list(count_pretokens([text], SplitPattern.named(name)).items()) == counts_by_regex(text, name)
