"""WordPiece's tries end in the library's tokens, and each is the next shorter piece."""

import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.catalog.registry import get_tokenizer
from playground.catalog.wordpiece import MAX_PROBED_CHARS, cut_longest_first
from playground.core.building import Given, Pretoken, Probed
from playground.render.probes import MAX_ROWS
from playground.server.forest.data import draw_forest
from tests.catalog import tokenizer_documents
from tests.render.test_merge_tree import nodes_of

ID_OF = {"[UNK]": 0, "a": 1, "ab": 2, "##b": 3, "##bc": 4, "c": 5, "##a": 6, "abca": 7}
LIBRARY = tokenizers.models.WordPiece(ID_OF, unk_token="[UNK]", max_input_chars_per_word=12)


@given(word=st.text("abc", min_size=1, max_size=14))
@settings(max_examples=30, deadline=None)
def test_tries_go_from_long_to_short_until_the_librarys_piece(word):
    built = cut_longest_first(word, ID_OF, 0, prefix="##", n_max_chars=12)
    assert list(built.ids) == [token.id for token in LIBRARY.tokenize(word)]
    if len(word) > 12:
        assert isinstance(built, Given)
        return
    assert isinstance(built, Probed)
    start, end = 0, len(word)
    for probe in built.probes:
        assert (probe.start, probe.end) == (start, end)
        assert probe.spelled == ("##" if start else "") + word[start:end]
        assert probe.is_found == (probe.spelled in ID_OF)
        start, end = (end, len(word)) if probe.is_found else (start, end - 1)
    is_unknown = not built.probes[-1].is_found
    assert (start == end) == is_unknown or start == len(word)
    assert (built.ids == (0,)) == is_unknown


@given(
    text=st.lists(st.sampled_from(["the", "cat", "hello", "naïve", "x", "中", " ", "안"]), max_size=5).map(
        "".join
    )
)
@settings(max_examples=20, deadline=None)
def test_a_tokenizer_json_of_wordpiece_shows_its_tries(text):
    tokenizer = tokenizer_documents.opened("like BERT")
    buildings = [tokenizer.build(pretoken) for pretoken in tokenizer.iter_pretokens(text)]
    assert all(isinstance(building, Probed) for building in buildings)
    ids = [token_id for building in buildings for token_id in building.ids]
    assert ids == tokenizer_documents.library_ids("like BERT")(text)


def test_every_try_is_drawn_and_told():
    data = draw_forest("unaffable", get_tokenizer("bert_uncased"))
    (drawn,) = data["new"].values()
    nodes = nodes_of(drawn["svg"])
    taken = [node.get("data-text") for node in nodes if node.get("class").endswith("best")]
    assert taken == ["una", "##ffa", "##ble"]
    assert len(nodes) == data["n_tries"] == 12
    assert nodes[0].get("data-said") == "try 1 of 12:  “unaffable”  is no piece: refused"
    assert nodes[6].get("data-said") == "try 7 of 12:  “una”  is a piece: taken"
    assert [f">{token_id}</text>" in drawn["svg"] for token_id in (14477, 20961, 3468)] == [True] * 3


def test_a_word_that_ends_unknown_takes_none_of_its_pieces():
    (drawn,) = draw_forest("a\u2603", get_tokenizer("bert_uncased"))["new"].values()
    assert "best" not in drawn["svg"]
    assert "the whole word is unknown" in drawn["svg"]
    assert ">100</text>" in drawn["svg"]


@pytest.mark.parametrize("n_chars", [MAX_PROBED_CHARS, MAX_PROBED_CHARS + 1])
def test_a_long_word_has_few_rows_and_a_longer_one_says_why_it_has_none(n_chars):
    bert = get_tokenizer("bert_uncased")
    data = draw_forest("internationalisation" * 3 + "x" * (n_chars - 60), bert)
    (drawn,) = data["new"].values()
    assert (data["why"] == "") == (n_chars == MAX_PROBED_CHARS)
    assert drawn["svg"].count('<rect class="span"') <= MAX_ROWS
    assert ("more refused" in drawn["svg"]) == (n_chars == MAX_PROBED_CHARS)
    assert isinstance(bert.build(Pretoken("x" * 101, 0, 101)), Given)
