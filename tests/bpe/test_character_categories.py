"""The table of categories equals that of tiktoken's engine, and all cutting follows it."""

import random

import numpy as np
import pytest
import regex

from playground.bpe import character_categories as module
from playground.bpe.character_categories import CATEGORIES, character_categories, with_stand_ins
from playground.bpe.split_pattern import SPLIT_PATTERNS, SplitPattern, iter_pretokens
from playground.training import pretoken_counts
from playground.training.pretoken_counts import count_pretokens
from tests.engine_classes import EVERY, members_in_tiktoken


@pytest.mark.parametrize("category", [name for name in CATEGORIES if name != "Cs"])
def test_every_character_has_the_category_that_tiktoken_gives_it(category):
    """Each character has one category in the table, so it is asked about once."""
    codes = np.flatnonzero(character_categories() == CATEGORIES.index(category))
    text = "".join(map(chr, codes.tolist()))
    assert text
    assert members_in_tiktoken(rf"\p{{{category}}}", text) == text


def test_python_regex_and_tiktoken_agree_on_white_space():
    spaces = members_in_tiktoken(r"\s")
    assert spaces == "".join(regex.findall(r"\s", EVERY))
    assert spaces == "".join(regex.findall(f"[{pretoken_counts._SPACE}]", EVERY))


@pytest.mark.parametrize("letters", ["s", "d", "m", "t", "l", "v", "r", "e"])
def test_regex_and_tiktoken_agree_on_the_case_of_letters_in_contractions(letters):
    expression = f"(?i:{letters})"
    assert members_in_tiktoken(expression) == "".join(regex.findall(expression, EVERY))


def test_stand_ins_have_the_category_of_their_character():
    text = "".join(map(chr, range(0x110000)))
    cut = with_stand_ins(text)
    assert len(cut) == len(text)
    for number, category in enumerate(CATEGORIES):
        members = np.flatnonzero(character_categories() == number).tolist()
        stand_ins = "".join(cut[code] for code in members)
        assert regex.fullmatch(rf"\p{{{category}}}*", stand_ins)
    changed = [new for old, new in zip(text, cut, strict=True) if old != new]
    assert not any(new.isascii() for new in changed)


@pytest.fixture
def another_unicode(monkeypatch):
    """Make `regex` differ from the table in characters that are frequent in texts."""
    categories = character_categories().copy()
    for character, category in [
        ("ȹ", "Cn"),
        ("ヿ", "Cn"),
        ("½", "Cn"),
        ("а", "Lm"),
        ("\u0301", "Lu"),
        ("‼", "Nd"),
    ]:
        categories[ord(character)] = CATEGORIES.index(category)
    with monkeypatch.context() as patch:
        patch.setattr(module, "character_categories", lambda: categories)
        module._stand_ins.cache_clear()
        yield
    module._stand_ins.cache_clear()


@pytest.mark.parametrize("name", SPLIT_PATTERNS)
@pytest.mark.usefixtures("another_unicode")
def test_cutting_and_counting_follow_the_table_if_regex_has_another_unicode_version(name):
    draw = random.Random(5)
    pattern = SplitPattern.named(name)
    differ = 0
    for _ in range(400):
        text = "".join(draw.choices("ȹヿ½а\u0301‼aZ '\ns2?", k=draw.randint(1, 14)))
        pretokens = list(dict.fromkeys(pretoken for pretoken, _ in iter_pretokens(text, pattern)))
        assert [raw.decode() for raw, _ in count_pretokens([text], pattern).items()] == pretokens
        differ += pretokens != list(dict.fromkeys(regex.findall(pattern.expression, text)))
    assert differ > 100
