"""Search on the Vocabulary page: what is typed, what is found, and the selected token."""

from typing import Any

import pytest

from playground.analysis.vocabulary_index import vocabulary_index
from playground.catalog.registry import get_tokenizer
from playground.catalog.sentencepiece_file import load_sentencepiece
from playground.ui.vocabulary.old_links import vocabulary_query
from tests.ui.visits import html_of, learned, markdown_of, visit

NAME = "my__own__one"
SMALL = get_tokenizer("python_docs_4k")


@pytest.fixture(scope="module")
def own():
    return learned(NAME, "tokenization tokenization <b> " * 9)


def search(own, name="python_docs_4k", **fields):
    kept = {"keep.trained_tokenizers": {NAME: own}, "keep.tokenizer": [name]}
    return visit("vocabulary", kept | {f"vocabulary.{field}": value for field, value in fields.items()})


def rows(page):
    session = page.session_state["keep.vocabulary.session"]
    firsts = range(0, len(session.positions), 200)
    return [row for first in firsts for row in session.rows(first, 200)["rows"]]


def ids(page):
    return [row["id"] for row in rows(page)]


def test_a_search_lists_each_token_once_in_the_chosen_order(own):
    page = search(own, from_id=1000, to_id=1250, order="by rank")
    assert ids(page) == list(range(1000, 1251))
    page.selectbox(key="vocabulary.order").set_value("latest first").run()
    assert ids(page) == list(range(1250, 999, -1))
    for order in ("longest first", "best match first"):  # without a search there is nothing to match
        page.selectbox(key="vocabulary.order").set_value(order).run()
        lengths = [row["n_bytes"] for row in rows(page)]
        assert lengths == sorted(lengths, reverse=True)
        assert lengths[0] == max(len(SMALL.vocabulary.raw_of(token_id)) for token_id in range(1000, 1251))


def test_a_search_opens_its_own_first_token_and_escapes_it(own):
    index = vocabulary_index(own)
    page = search(own, NAME, query="/[<a]/", to_id=10**6)
    assert page.number_input(key="vocabulary.to_id").value == max(index.ids), "clamped to this vocabulary"
    assert "<code>&lt;</code>" in html_of(page)
    page.text_input(key="vocabulary.query").set_value("/(/").run()
    assert page.error[0].value.startswith("The pattern")
    assert "does not compile" in page.error[0].value


def test_an_id_a_text_and_a_special_token_are_found_in_one_box(own):
    page = search(own, "gpt2", query="262")
    assert [row["text"] for row in rows(page)][:2] == ["·the", "262"], "the token of the id is first"
    page.text_input(key="vocabulary.query").set_value("the").run()
    assert rows(page)[0]["text"] == "the", "the whole token stands before those that contain it"
    page.text_input(key="vocabulary.query").set_value("endoftext").run()
    assert page.caption[0].value == "Special tokens with their ids: `<|endoftext|>` (50,256)"
    assert not page.info
    page.text_input(key="vocabulary.query").set_value("99,999").run()
    assert "Ids go from 0 to 50,256." in page.info[0].value


def test_chips_filter_and_a_search_without_result_offers_the_nearest_tokens(own):
    page = search(own, query="DEF", only=["Ignore case"])
    assert ids(page)
    page = search(own, "gpt2", query="SolidGoldMagikrap")
    assert page.info[0].value == "No token of gpt2 contains this text. The nearest tokens:"
    assert page.dataframe[0].value["token"].tolist()[:2] == ["·SolidGoldMagikarp", "GoldMagikarp"]
    page = search(own, query="def", only=["Partial UTF-8"])
    assert "Without the filters," in page.info[0].value


@pytest.mark.parametrize(("text", "nearest"), [("زهرة", "ة".encode()), ("🦩", "🦩".encode()[:2])])
def test_a_word_or_emoji_of_which_no_token_has_two_characters_has_nearest_tokens(text, nearest):
    index = vocabulary_index(get_tokenizer("gpt2"))
    assert nearest in [index.raws[position] for position in index.nearest(text)]


def test_a_token_is_shown_as_its_file_spells_it(own):
    assert "in its file ` Ġthe `" in markdown_of(search(own, query=" the"))


def test_the_vocabulary_of_a_tokenizer_without_merges_is_searched(own):
    page = search(own, "bert_uncased", query="/^ization$/")
    assert ids(page) == [3989]
    assert "It is spelled \\#\\#ization in its file. It continues a word" in markdown_of(page)
    assert "<code>ization</code> id 3,989" in html_of(page)


def test_a_sentencepiece_token_has_a_tree_a_score_and_the_tokens_merged_from_it(own):
    page = search(own, "mistral_v1", query="/^ the$/")
    mistral: Any = load_sentencepiece("mistral_v1")
    (token_id,) = mistral.vocabulary.ids_of(b" the")
    assert ids(page) == [token_id]
    said = markdown_of(page)
    assert f"Its score in the file is −{token_id - 259}; the highest score merges first." in said
    rank = mistral.merges.rank_of(token_id)
    assert f"Rank {rank:,}: merge {rank - 255:,} of the vocabulary" in said
    assert "are merged from it, by rank:" in said


def test_a_pattern_that_takes_too_long_is_stopped_with_a_sentence(own, monkeypatch):
    monkeypatch.setattr("playground.analysis.vocabulary_index.MAX_SECONDS", 0.0)
    page = search(own, query="/^a$/")
    assert "took longer than 0 s and was stopped" in page.error[0].value.replace("\\", "")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"view.merge_tree": "Trees"}, {}),
        ({"view.compare": "Languages", "tokenizers": "a,b"}, {}),
        (
            {"view.merge_tree": "Vocabulary", "vocabulary.text": " the", "vocabulary.case": "true"},
            {"view.vocabulary": "Search", "vocabulary.query": " the", "vocabulary.only": "Ignore case"},
        ),
        (
            {"view.merge_tree": "Health", "tokenizer": "gpt2", "health.kind": "Not UTF-8"},
            {"view.vocabulary": "Health", "tokenizer": "gpt2", "health.kind": "Partial UTF-8"},
        ),
        (
            {"view.compare": "Vocabularies", "tokenizers": "a,b,c", "compare.second_vocabulary": "c"},
            {"view.vocabulary": "Compare", "tokenizer": "a", "other": "c"},
        ),
    ],
)
def test_old_addresses_of_vocabulary_views_are_translated(old, new):
    translated = vocabulary_query({name: [value] for name, value in old.items()})
    assert translated == {name: [value] for name, value in new.items()}
