from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.analysis import vocabulary
from playground.analysis.vocabulary import SCRIPT_KINDS, TokenQuery, VocabularyIndex, compare_vocabularies
from playground.bpe.merging import iter_token_parts
from playground.catalog.openai import load_openai
from playground.catalog.registry import get_tokenizer
from playground.core.errors import InvalidInputError, UnknownTokenError


@cache
def index_of(name: str) -> VocabularyIndex:
    return VocabularyIndex(load_openai(name).mergeable_ranks)


def found(index: VocabularyIndex, **conditions: Any) -> list[bytes]:
    return [index.raws[position] for position in index.search(TokenQuery(**conditions))]


@settings(max_examples=40, deadline=None)
@given(
    text=st.sampled_from(["ing", " ", "é", "가", "\n", "  ", "the", "🙂", "\ufffd", "ÿ"])
    | st.text(min_size=1, max_size=3)
)
def test_a_substring_search_finds_what_looking_at_every_token_finds(text):
    index = index_of("gpt2")
    try:
        needle = text.encode()
    except UnicodeEncodeError:
        return
    assert found(index, text=text) == [raw for raw in index.raws if needle in raw]


def test_case_is_ignored_on_request():
    index = index_of("gpt2")
    assert found(index, text="TOKEN", ignores_case=True) == [
        raw for raw, text in zip(index.raws, index.texts, strict=True) if "token" in text.lower()
    ]


def test_conditions_join():
    index = index_of("cl100k_base")
    raws = found(index, pattern="^ [A-Z]", min_id=1000, max_id=2000, min_bytes=5, starts_with_space=True)
    assert raws
    for raw in raws:
        assert 1000 <= index.mergeable_ranks[raw] <= 2000
        assert len(raw) >= 5
        assert raw[:1] == b" "
        assert raw[1:2].isupper()
    assert found(index, min_bytes=500) == []


def test_utf8_and_scripts():
    index = index_of("o200k_base")
    assert all(raw.decode(errors="ignore").encode() != raw for raw in found(index, is_utf8=False))
    assert "이".encode() in found(index, script="Hangul")
    assert b" the" in found(index, script="Latin")
    assert b"123" in found(index, script="Digits")
    assert b"\xec" in found(index, script="Part of a character")
    assert sum(index.script_counts().values()) == len(index.raws)
    with pytest.raises(InvalidInputError, match="unknown script 'Klingon'; choose from Latin"):
        index.search(TokenQuery(script="Klingon"))


def test_a_pattern_that_never_ends_is_stopped(monkeypatch):
    monkeypatch.setattr(vocabulary, "MAX_SECONDS", 0.3)
    index = VocabularyIndex({b"a" * 40 + b"b": 0, b"a" * 41: 1})
    with pytest.raises(InvalidInputError, match="took longer than"):
        index.search(TokenQuery(pattern=r"^(a|aa|aaa)+\d(?<!b)(a|b)*$|(.*)*\1\1c(?<=q)"))


def test_a_pattern_that_is_none_says_why():
    with pytest.raises(InvalidInputError, match=r"'\(' is not a regular expression: missing \)"):
        index_of("gpt2").search(TokenQuery(pattern="("))


def test_positions_and_parents():
    index = index_of("gpt2")
    assert index.raws[index.position_of(43453)] == b" SolidGoldMagikarp"
    with pytest.raises(UnknownTokenError, match="no mergeable token has id 50256; ids run from 0 to 50,255"):
        index.position_of(50256)
    parents = [index.raws[position] for position in index.parents_of(b" the")]
    assert b" them" in parents
    assert all(raw.startswith(b" the") or raw.endswith(b" the") for raw in parents)
    assert index.parents_of(b" SolidGoldMagikarp") == []


@pytest.mark.parametrize("name", ["gpt2", "python_docs_4k"])
def test_parents_are_those_that_recovering_every_merge_finds(name):
    ranks = get_tokenizer(name).mergeable_ranks  # type: ignore[attr-defined]
    index = VocabularyIndex(ranks)
    expected: dict[bytes, list[int]] = {}
    for position, parts in enumerate(iter_token_parts(index.raws, ranks)):
        for part in set(parts):
            expected.setdefault(part, []).append(position)
    raws = [
        b" ",
        b"e",
        b"\xff",
        b"\xe2",
        b" t",
        b"the",
        b"ing",
        b"--",
        *index.raws[:: len(index.raws) // 300],
    ]
    for raw in raws:
        assert index.parents_of(raw) == expected.get(raw, []), raw


def test_a_token_is_of_the_script_of_its_first_letter_that_has_one():
    texts = ["a", "aж", "жa", "1ж", " ", "!", "1!", "!1", "\u2fff", "ᚠ", "ᚠa", " \n", "𐍈7", "é"]
    kinds = ["Latin", "Latin", "Cyrillic", "Cyrillic", "White space", "Symbols and punctuation", "Digits",
             "Digits", "Symbols and punctuation", "Other script", "Latin", "White space", "Other script",
             "Latin"]  # fmt: skip
    raws = [text.encode() for text in texts] + [b"\xff", b"a\xff", b" \xe2", "\ufffd".encode()]
    index = VocabularyIndex({raw: rank for rank, raw in enumerate(raws)})
    found = [SCRIPT_KINDS[code] for code in index.script_codes]
    assert found == [*kinds, "Part of a character", "Latin", "Part of a character", "White space"]


def test_a_vocabulary_in_another_order_is_sorted_by_rank():
    index = VocabularyIndex({b"b": 7, b"a": 2, b"ab": 9})
    assert (index.raws, index.ids.tolist()) == ((b"a", b"b", b"ab"), [2, 7, 9])


def test_comparison_of_vocabularies():
    comparison = compare_vocabularies(
        load_openai("gpt2").mergeable_ranks, load_openai("r50k_base").mergeable_ranks
    )
    assert comparison.n_shared == comparison.n_first == 50256
    assert comparison.share_of_smaller == 1
    comparison = compare_vocabularies({b"a": 0, b"abc": 1, b"ab": 2}, {b"a": 0})
    assert comparison.longest_only_first == (b"abc", b"ab")
    assert comparison.longest_only_second == ()
