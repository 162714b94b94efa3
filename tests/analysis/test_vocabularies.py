"""Searching, comparing and checking vocabularies equals looking at every token."""

from functools import cache
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.analysis import vocabulary_index
from playground.analysis.model_parameters import KNOWN_SIZES, MODELS, Model
from playground.analysis.unicode_scripts import SCRIPT_KINDS
from playground.analysis.vocabulary_health import compare_vocabularies, vocabulary_health
from playground.analysis.vocabulary_index import TokenQuery, VocabularyIndex, first_merges, parents_of
from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.openai import load_openai
from playground.catalog.opened import tokenizer_of
from playground.catalog.registry import get_tokenizer
from playground.catalog.trained import TrainedTokenizer
from playground.core.errors import InvalidInputError
from playground.core.vocabulary import TableVocabulary
from playground.files.library_file import LibraryFile
from tests.catalog import sentencepiece_models, tokenizer_documents


@cache
def index_of(name: str) -> VocabularyIndex:
    return vocabulary_index.vocabulary_index(load_openai(name))


def toy_index(raws: list[bytes]) -> VocabularyIndex:
    return VocabularyIndex(TableVocabulary("toy", range(len(raws)), raws))


def found(index: VocabularyIndex, **conditions: Any) -> list[bytes]:
    return [index.raws[position] for position in index.search(TokenQuery(**conditions))]


@given(
    text=st.sampled_from(["ing", " ", "é", "가", "\n", "  ", "the", "🙂", "\ufffd", "ÿ"])
    | st.text(min_size=1, max_size=3)
)
def test_a_search_finds_every_token_that_contains_the_text(text):
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


def test_all_conditions_of_a_search_must_hold():
    index = index_of("cl100k_base")
    raws = found(index, pattern="^ [A-Z]", min_id=1000, max_id=2000, min_bytes=5, starts_with_space=True)
    assert raws
    for raw in raws:
        assert 1000 <= load_openai("cl100k_base").mergeable_ranks[raw] <= 2000
        assert len(raw) >= 5
        assert raw[:1] == b" "
        assert raw[1:2].isupper()
    assert found(index, min_bytes=500) == []


def test_tokens_are_found_by_script_and_by_validity_as_utf8():
    index = index_of("o200k_base")
    assert all(raw.decode(errors="ignore").encode() != raw for raw in found(index, is_utf8=False))
    assert "이".encode() in found(index, script="Hangul")
    assert b" the" in found(index, script="Latin")
    assert b"123" in found(index, script="Digits")
    assert b"\xec" in found(index, script="Part of a character")
    assert sum(index.script_counts().values()) == len(index.raws)
    with pytest.raises(InvalidInputError, match="unknown script 'Klingon'; choose from Latin"):
        index.search(TokenQuery(script="Klingon"))


def test_a_pattern_that_takes_too_long_is_stopped(monkeypatch):
    monkeypatch.setattr(vocabulary_index, "MAX_SECONDS", 0.3)
    index = toy_index([b"a" * 40 + b"b", b"a" * 41])
    with pytest.raises(InvalidInputError, match="took longer than"):
        index.search(TokenQuery(pattern=r"^(a|aa|aaa)+\d(?<!b)(a|b)*$|(.*)*\1\1c(?<=q)"))


def test_an_invalid_pattern_is_refused_with_the_reason():
    with pytest.raises(InvalidInputError, match=r"the pattern '\(' does not compile: missing \)"):
        index_of("gpt2").search(TokenQuery(pattern="("))


@pytest.mark.parametrize("name", ["python_docs_4k"])
def test_parents_of_a_token_are_those_found_by_recovering_every_merge(name):
    tokenizer = get_tokenizer(name)
    index = vocabulary_index.vocabulary_index(tokenizer)
    merges = tokenizer.merges
    assert merges is not None
    expected: dict[int, list[int]] = {}
    for position, token_id in enumerate(index.ids.tolist()):
        for part in set(merges.parts_of(token_id)):
            expected.setdefault(part, []).append(position)
    raws = [b" ", b"e", b"\xff", b"\xe2", b" t", b"the", b"ing", b"--"]
    some = [token_id for raw in raws for token_id in tokenizer.vocabulary.ids_of(raw)]
    for token_id in [*some, *index.ids.tolist()[:: len(index.ids) // 300]]:
        assert parents_of(index, merges, token_id) == expected.get(token_id, []), token_id


def test_a_special_token_is_never_part_of_a_merge():
    model = BpeModel(SplitPattern.named("none"), ((97, 98, 256),)).with_special_tokens(("b",))
    tokenizer = TrainedTokenizer("special", model)
    index = vocabulary_index.vocabulary_index(tokenizer)
    assert len(tokenizer.vocabulary.ids_of(b"b")) == 2
    assert [index.raws[position] for position in parents_of(index, tokenizer.merges, 97)] == [b"ab"]


def test_tokens_with_the_same_bytes_have_separate_parents():
    # 258 and 259 both spell "abc"; each is taken further by one merge.
    merges = ((97, 98, 256), (98, 99, 257), (256, 99, 258), (97, 257, 259), (258, 100, 260), (259, 101, 261))
    tokenizer = TrainedTokenizer("twins", BpeModel(SplitPattern.named("none"), merges))
    index = vocabulary_index.vocabulary_index(tokenizer)
    parents = {
        token_id: [int(index.ids[position]) for position in parents_of(index, tokenizer.merges, token_id)]
        for token_id in (97, 256, 257, 258, 259)
    }
    assert parents == {97: [256, 259], 256: [258], 257: [259], 258: [260], 259: [261]}
    assert tokenizer.vocabulary.ids_of(b"abc") == (258, 259)
    assert [(merge.rank, merge.parts) for merge in first_merges(index, tokenizer.merges, 4)] == [
        (256, (b"a", b"b")),
        (257, (b"b", b"c")),
        (258, (b"ab", b"c")),
        (259, (b"a", b"bc")),
    ]


def test_the_script_of_a_token_is_that_of_its_first_letter_with_a_script():
    texts = ["a", "aж", "жa", "1ж", " ", "!", "1!", "!1", "\u2fff", "ᚠ", "ᚠa", " \n", "𐍈7", "é"]
    kinds = ["Latin", "Latin", "Cyrillic", "Cyrillic", "White space", "Symbols and punctuation", "Digits",
             "Digits", "Symbols and punctuation", "Other script", "Latin", "White space", "Other script",
             "Latin"]  # fmt: skip
    raws = [text.encode() for text in texts] + [b"\xff", b"a\xff", b" \xe2", "\ufffd".encode()]
    index = toy_index(raws)
    found = [SCRIPT_KINDS[code] for code in index.script_codes]
    assert found == [*kinds, "Part of a character", "Latin", "Part of a character", "White space"]


def test_tokens_are_sorted_by_rank_or_else_by_id():
    raws = [b"b", b"a", b"ab", b"<s>"]
    by_rank = VocabularyIndex(TableVocabulary("toy", [7, 2, 9, 1], raws, ranks=[0, 2, 1, -1]), {1})
    assert (by_rank.raws, by_rank.ids.tolist(), by_rank.ranks.tolist()) == (
        (b"b", b"ab", b"a"),
        [7, 9, 2],
        [0, 1, 2],
    )
    by_id = VocabularyIndex(TableVocabulary("toy", [7, 2, 9, 1], raws))
    assert by_id.raws == (b"<s>", b"a", b"b", b"ab")


def test_two_vocabularies_share_the_tokens_with_the_same_bytes():
    comparison = compare_vocabularies(index_of("gpt2").raws, index_of("r50k_base").raws)
    assert comparison.n_shared == comparison.n_first == 50256
    comparison = compare_vocabularies([b"a", b"abc", b"ab"], [b"a"])
    assert comparison.longest_only_first == (b"abc", b"ab")
    assert comparison.longest_only_second == ()


def test_two_vocabularies_of_one_name_are_kept_apart():
    pattern = SplitPattern.named("none")
    one = TrainedTokenizer("mine", BpeModel(pattern, ((97, 98, 256),)))
    other = TrainedTokenizer("mine", BpeModel(pattern, ((98, 97, 256),)))
    assert vocabulary_index.vocabulary_index(one).raws[-1] == b"ab"
    assert vocabulary_index.vocabulary_index(other).raws[-1] == b"ba"
    assert vocabulary_index.vocabulary_index(one).raws[-1] == b"ab"
    named_as_built_in = TrainedTokenizer("gpt2", one.model)
    assert len(vocabulary_index.vocabulary_index(named_as_built_in).raws) == 257
    assert vocabulary_index.vocabulary_index(one) is vocabulary_index.vocabulary_index(one)


EVERY_TEXT = ["".join(letters) for length in range(1, 7) for letters in product("ab", repeat=length)]


@st.composite
def merges(draw):
    """Draw merges of "a" and "b", each of two existing tokens, in any order."""
    raw_of = {97: b"a", 98: b"b"}
    found: list[tuple[int, int, int]] = []
    for new_id in range(256, 256 + draw(st.integers(1, 7))):
        pair = draw(st.sampled_from(list(raw_of))), draw(st.sampled_from(list(raw_of)))
        raw = raw_of[pair[0]] + raw_of[pair[1]]
        if len(raw) <= 4 and pair not in [merge[:2] for merge in found]:
            found.append((*pair, new_id))
            raw_of[new_id] = raw
    return tuple(found)


@given(merges())
@settings(max_examples=40, deadline=None)
def test_lost_tokens_are_those_that_no_text_encodes_to(merges):
    tokenizer = TrainedTokenizer("x", BpeModel(SplitPattern.named("none"), merges))
    given_by_some = {token_id for text in EVERY_TEXT for token_id in tokenizer.encode(text)}
    health = vocabulary_health(tokenizer)
    assert set(health.lost) == {new_id for _, _, new_id in merges} - given_by_some
    parts = {part for left, right, _ in tokenizer_merges(tokenizer) for part in (left, right)}
    assert set(health.only_parts) == set(health.lost) & parts


def tokenizer_merges(tokenizer):
    for token_id in tokenizer.vocabulary.ids.tolist():
        parts = tokenizer.merges.parts_of(token_id)
        for n in range(len(parts) - 1):
            yield parts[n], parts[n + 1], token_id


def test_gpt2_has_the_unusual_tokens_found_by_a_plain_check():
    gpt2 = vocabulary_health(get_tokenizer("gpt2"))
    vocabulary = get_tokenizer("gpt2").vocabulary
    assert gpt2.n_tokens == 50_257
    assert len(gpt2.not_utf8) == sum(not is_text(vocabulary.raw_of(n)) for n in range(50_256))
    assert (gpt2.duplicates, gpt2.spelled) == ((), ())
    for token_id in gpt2.lost:
        assert token_id not in get_tokenizer("gpt2").encode(vocabulary.raw_of(token_id).decode())


def is_text(raw):
    try:
        return raw.decode() is not None
    except UnicodeDecodeError:
        return False


def test_tokenizers_without_merges_are_checked_too():
    pieces = "[UNK]\n[CLS]\nthe\n##s\nThe\nthes\né\n##the\na\n[unused0]"
    bert = vocabulary_health(tokenizer_of("x", LibraryFile.of("vocab.txt", pieces.encode())))
    # It keeps capital letters, "##the" goes on with "a", and punctuation cuts "[unused0]".
    assert (bert.lost, bert.only_parts, bert.duplicates) == ((9,), (), ())
    # "ab" is a token, so "##b" is one only after another letter.
    cut = vocabulary_health(tokenizer_of("x", LibraryFile.of("vocab.txt", b"[UNK]\na\nab\nx\n##b")))
    assert cut.lost == ()
    for tokenizer in (sentencepiece_models.opened("bpe, bytes"), tokenizer_documents.opened("like T5")):
        health = vocabulary_health(tokenizer)
        assert (health.n_tokens, health.duplicates) == (len(tokenizer.vocabulary), ())


def test_tokens_with_the_same_bytes_are_reported_as_duplicates():
    merges = ((97, 97, 256), (256, 97, 257), (97, 256, 258))
    health = vocabulary_health(TrainedTokenizer("x", BpeModel(SplitPattern.named("none"), merges)))
    assert (health.duplicates, health.lost) == (((257, 258),), (258,))


@pytest.mark.parametrize("name", KNOWN_SIZES)
def test_the_known_vocabulary_sizes_are_those_of_the_tokenizers(name):
    assert get_tokenizer(name).vocabulary.n_vocab == KNOWN_SIZES[name]


def test_tied_models_have_one_matrix_of_rows_and_others_two():
    assert Model("own", 768, 0, is_tied=True).n_in_rows(1_000) == 768_000
    assert Model("own", 768, 0, is_tied=False).n_in_rows(1_000) == 1_536_000
    assert Model("own", 10, 300, is_tied=True).share_of_rows(10) == 0.25
    assert Model("own", 10, 0, is_tied=True).share_of_rows(0) == 0.0
    assert round(100 * MODELS["gpt2"].share_of_rows(KNOWN_SIZES["gpt2"])) == 31
